//! From an HTTP request to a client of the engine.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use spacetimedb_client_api_messages::websocket::common::Compression;
use spacetimedb_client_api_messages::websocket::{v1, v2, v3};
use spacetimedb_lib::ConnectionId;
use spacetimedb_lib::identity::AuthCtx;
use stdb::client::{ClientActorId, ClientConfig, ClientConnection, Protocol, WsVersion};
use stdb::host::ModuleHost;
use stdb::host::module_host::ClientConnectedError;
use stdb::worker_metrics::{ClientRejectCause, record_client_rejection};
use tokio::sync::watch;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::connection::{self, Socket};
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;
use crate::http::{Target, fresh_connection_id};
use crate::registry::Entry;

const MAX_INCOMING: usize = 32 << 20;

/// The subprotocols, the server's favourite first.
const PROTOCOLS: [(&str, Protocol, WsVersion); 4] = [
    (v3::BIN_PROTOCOL, Protocol::Binary, WsVersion::V3),
    (v2::BIN_PROTOCOL, Protocol::Binary, WsVersion::V2),
    (v1::BIN_PROTOCOL, Protocol::Binary, WsVersion::V1),
    (v1::TEXT_PROTOCOL, Protocol::Text, WsVersion::V1),
];

#[derive(Deserialize)]
pub struct Wishes {
    connection_id: Option<String>,
    #[serde(default)]
    compression: Compression,
    #[serde(default)]
    light: bool,
    confirmed: Option<bool>,
}

pub async fn subscribe(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    target: Target,
    Query(wishes): Query<Wishes>,
    mut request: Request,
) -> Result<Response, Refusal> {
    let upgrade = request.extensions_mut().remove::<OnUpgrade>();
    let headers = request.headers();
    let (upgrade, key) = websocket_request(headers, upgrade)?;
    let connection_id = connection_id(wishes.connection_id.as_deref())?;
    let entry = target.entry(&host).ok_or_else(|| target.unknown())?;
    let (name, protocol, version) = negotiate(headers).ok_or_else(|| {
        record_client_rejection(
            entry.database.database_identity,
            ClientRejectCause::InvalidProtocol,
        );
        Refusal::bad_request("no valid protocol selected")
    })?;
    let newcomer = Newcomer {
        id: ClientActorId {
            identity: caller.identity(),
            connection_id,
            name: host.clients.next_client_name(),
        },
        config: ClientConfig {
            protocol,
            version,
            compression: wishes.compression,
            tx_update_full: !wishes.light,
            confirmed_reads: wishes.confirmed.unwrap_or(version != WsVersion::V1),
        },
        module: host.watch(&entry).await?,
        caller,
        entry,
        host,
    };
    tokio::spawn(newcomer.welcome(upgrade));

    let accept = [
        (header::CONNECTION, "upgrade".to_owned()),
        (header::UPGRADE, "websocket".to_owned()),
        (
            header::SEC_WEBSOCKET_ACCEPT,
            derive_accept_key(key.as_bytes()),
        ),
        (header::SEC_WEBSOCKET_PROTOCOL, name.to_owned()),
    ];
    Ok((StatusCode::SWITCHING_PROTOCOLS, accept).into_response())
}

/// The connection to take over and the client's key, if this is a WebSocket handshake at all.
fn websocket_request(
    headers: &HeaderMap,
    upgrade: Option<OnUpgrade>,
) -> Result<(OnUpgrade, String), Refusal> {
    let says =
        |name, wanted: &str| listed(headers, name).any(|word| word.eq_ignore_ascii_case(wanted));
    let upgrade = upgrade
        .filter(|_| says(header::CONNECTION, "upgrade") && says(header::UPGRADE, "websocket"))
        .ok_or_else(|| {
            Refusal::new(
                StatusCode::UPGRADE_REQUIRED,
                "this path speaks the websocket protocol only",
            )
        })?;
    if !says(header::SEC_WEBSOCKET_VERSION, "13") {
        return Err(Refusal::bad_request("`Sec-WebSocket-Version` must be 13"));
    }
    let key = headers
        .get(header::SEC_WEBSOCKET_KEY)
        .and_then(|key| key.to_str().ok());
    let missing = || Refusal::bad_request("`Sec-WebSocket-Key` is missing");
    Ok((upgrade, key.ok_or_else(missing)?.to_owned()))
}

fn negotiate(headers: &HeaderMap) -> Option<(&'static str, Protocol, WsVersion)> {
    let offered =
        |name: &str| listed(headers, header::SEC_WEBSOCKET_PROTOCOL).any(|word| word == name);
    PROTOCOLS.into_iter().find(|(name, ..)| offered(name))
}

/// The words of a comma-separated header, which may also be sent more than once.
fn listed(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let values = headers
        .get_all(name)
        .into_iter()
        .filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

fn connection_id(asked_for: Option<&str>) -> Result<ConnectionId, Refusal> {
    let Some(hex) = asked_for else {
        return Ok(fresh_connection_id());
    };
    match ConnectionId::from_hex(hex).map_err(Refusal::bad_request)? {
        ConnectionId::ZERO => Err(Refusal::bad_request(
            "the all-zeros connection id is reserved",
        )),
        id => Ok(id),
    }
}

/// A client whose handshake is answered and whose module has not yet agreed.
struct Newcomer {
    id: ClientActorId,
    config: ClientConfig,
    module: watch::Receiver<ModuleHost>,
    caller: Caller,
    entry: Entry,
    host: Arc<Host>,
}

impl Newcomer {
    async fn welcome(mut self, upgrade: OnUpgrade) {
        let database = self.entry.database.database_identity;
        let Ok(upgraded) = upgrade.await else {
            record_client_rejection(database, ClientRejectCause::WebsocketUpgradeError);
            return;
        };
        let config = WebSocketConfig::default()
            .read_buffer_size(16 << 10)
            .max_message_size(Some(MAX_INCOMING))
            .max_frame_size(Some(MAX_INCOMING));
        let socket: Socket =
            WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config))
                .await;
        let Ok(auth) = self.caller.context() else {
            return;
        };
        let agreed = ClientConnection::call_client_connected_maybe_reject(
            &mut self.module,
            self.id,
            auth.clone(),
        );
        let connected = match agreed.await {
            Ok(connected) => connected,
            Err(error) => {
                log::debug!("{} turned away: {error:#}", self.id);
                record_client_rejection(database, reject_cause(&error));
                return connection::turn_away(socket, &error).await;
            }
        };
        let (limits, token) = (self.host.limits, self.caller.token);
        ClientConnection::spawn(
            self.id,
            auth,
            AuthCtx::new(self.entry.database.owner_identity, self.id.identity),
            self.config,
            self.entry.replica,
            self.module,
            move |client, outgoing| connection::serve(client, outgoing, socket, token, limits),
            connected,
        )
        .await;
    }
}

fn reject_cause(error: &ClientConnectedError) -> ClientRejectCause {
    match error {
        ClientConnectedError::Rejected(_) => ClientRejectCause::ClientConnectedRejected,
        ClientConnectedError::OutOfEnergy => ClientRejectCause::OutOfEnergy,
        ClientConnectedError::DBError(_) | ClientConnectedError::ReducerCall(_) => {
            ClientRejectCause::ClientConnectedError
        }
    }
}
