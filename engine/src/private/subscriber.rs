//! One of the engine's own clients without a socket: it counts what it is sent and drops it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use scopeguard::ScopeGuard;
use serde_json::{Value, json};
use spacetimedb_client_api_messages::websocket::common::{Compression, QuerySetId};
use spacetimedb_client_api_messages::websocket::v2::{ServerMessage, Subscribe};
use spacetimedb_lib::identity::AuthCtx;
use stdb::Identity;
use stdb::auth::identity::ConnectionAuthCtx;
use stdb::client::consume_each_list::ConsumeEachBuffer;
use stdb::client::{
    ClientActorId, ClientConfig, ClientConnection, ClientConnectionReceiver, OutboundMessage,
    Protocol, WsVersion,
};
use stdb::worker_metrics::{ClientDisconnectCause as Cause, WORKER_METRICS};
use tokio::sync::{oneshot, watch};

use crate::auth::fresh_claims;
use crate::error::Refusal;
use crate::host::Host;
use crate::http::{fresh_connection_id, turned_away};
use crate::registry::Entry;

/// What a WebSocket client of the sweep asks for.
const CONFIG: ClientConfig = ClientConfig {
    protocol: Protocol::Binary,
    version: WsVersion::V2,
    compression: Compression::None,
    tx_update_full: true,
    confirmed_reads: false,
};

/// Messages taken from the engine's queue at a time.
const BATCH: usize = 256;

/// Leaves when dropped.
pub struct Subscriber {
    identity: Identity,
    tally: Arc<Tally>,
    /// Its other end lives until the client is disconnected.
    stop: watch::Sender<()>,
}

#[derive(Default)]
struct Tally {
    updates: AtomicU64,
    ended: OnceLock<String>,
}

/// The first rows, or the engine's words why there are none.
type Applied = oneshot::Sender<Result<(), Box<str>>>;

impl Subscriber {
    /// Connects under a new identity and subscribes; returns when the first rows have come.
    pub async fn join(
        host: &Host,
        entry: &Entry,
        queries: Box<[Box<str>]>,
    ) -> Result<Self, Refusal> {
        let claims = fresh_claims();
        let identity = claims.identity;
        let auth = ConnectionAuthCtx::try_from(claims)?;
        let id = ClientActorId {
            identity,
            connection_id: fresh_connection_id(),
            name: host.clients.next_client_name(),
        };
        let mut module = host.watch(entry).await?;
        let connected =
            ClientConnection::call_client_connected_maybe_reject(&mut module, id, auth.clone())
                .await
                .map_err(turned_away)?;

        let tally = Arc::<Tally>::default();
        let (stop, stopped) = watch::channel(());
        let (applied, first_rows) = oneshot::channel();
        let counted = tally.clone();
        let client = ClientConnection::spawn(
            id,
            auth,
            AuthCtx::new(entry.database.owner_identity, identity),
            CONFIG,
            entry.replica,
            module,
            move |client, incoming| stay(client, incoming, counted, applied, stopped),
            connected,
        )
        .await;
        let request = Subscribe {
            request_id: 1,
            query_set_id: QuerySetId::new(1),
            query_strings: queries,
        };
        client
            .subscribe_v2(request, Instant::now())
            .await
            .map_err(Refusal::internal)?;
        match first_rows.await {
            Ok(Ok(())) => Ok(Self {
                identity,
                tally,
                stop,
            }),
            Ok(Err(words)) => Err(Refusal::bad_request(format!(
                "the subscription was refused: {words}"
            ))),
            Err(_) => Err(Refusal::internal("the database ended")),
        }
    }

    /// TransactionUpdates so far, and why there will be no more.
    pub fn report(&self) -> Value {
        json!({
            "identity": self.identity,
            "updates": self.tally.updates.load(Ordering::Relaxed),
            "ended": self.tally.ended.get(),
        })
    }

    pub async fn leave(&self) {
        self.stop.send_replace(());
        self.stop.closed().await;
    }
}

async fn stay(
    client: ClientConnection,
    incoming: ClientConnectionReceiver,
    tally: Arc<Tally>,
    applied: Applied,
    stopped: watch::Receiver<()>,
) {
    let stop = stopped.clone();
    // The engine aborts this task for a client that does not keep up: it must be disconnected too.
    let present = scopeguard::guard((client, tally, stopped), |(client, tally, stopped)| {
        tally.end(Cause::OutgoingQueueFull.as_str());
        tokio::spawn(async move {
            client.disconnect().await;
            drop(stopped);
        });
    });
    let cause = count(&present.0, incoming, &present.1, applied, stop).await;
    let (client, tally, stopped) = ScopeGuard::into_inner(present);
    tally.end(cause.as_str());
    if let Some(recorder) = client.disconnect_recorder() {
        recorder.record(cause);
    }
    client.disconnect().await;
    drop(stopped);
}

impl Tally {
    /// The first reason stays.
    fn end(&self, reason: impl Into<String>) {
        self.ended.get_or_init(|| reason.into());
    }
}

/// Takes messages as fast as they come, until told to stop or the database ends.
async fn count(
    client: &ClientConnection,
    mut incoming: ClientConnectionReceiver,
    tally: &Tally,
    applied: Applied,
    mut stop: watch::Receiver<()>,
) -> Cause {
    let module = client.module();
    let pool = module.subscriptions().bsatn_rlb_pool.clone();
    let closed = WORKER_METRICS
        .ws_clients_closed_connection
        .with_label_values(&module.info().database_identity);
    // A handle that is held would outlive an update of the module.
    drop(module);
    let mut watched = client.clone();
    let mut applied = Some(applied);
    let mut messages = Vec::new();
    loop {
        tokio::select! {
            received = incoming.recv_many(&mut messages, BATCH) => if received == 0 {
                return Cause::ModuleExited;
            },
            _ = watched.watch_module_host() => return Cause::ModuleExited,
            _ = stop.changed() => {
                closed.inc();
                return Cause::ClientClose;
            }
        }
        for message in messages.drain(..) {
            let OutboundMessage::V2(message) = message else {
                continue;
            };
            match &message {
                ServerMessage::TransactionUpdate(_) => {
                    tally.updates.fetch_add(1, Ordering::Relaxed);
                }
                ServerMessage::SubscribeApplied(_) => {
                    applied.take().map(|applied| applied.send(Ok(())));
                }
                ServerMessage::SubscriptionError(error) => {
                    tally.end(format!("subscription ended: {}", error.error));
                    let words = Err(error.error.clone());
                    applied.take().map(|applied| applied.send(words));
                }
                _ => {}
            }
            // As after a message is sent: the next evaluation under the lock takes these buffers.
            message.consume_each_list(&mut |buffer| pool.try_put(buffer));
        }
    }
}
