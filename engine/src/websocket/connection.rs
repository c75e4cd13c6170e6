//! One client's conversation, from its first message to its disconnect.

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use futures::future::poll_fn;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use scopeguard::ScopeGuard;
use spacetimedb_client_api_messages::websocket::{v1, v2};
use stdb::client::messages::SerializableMessage;
use stdb::client::{
    ClientConnection, ClientConnectionReceiver, DataMessage, MessageExecutionError,
    MessageHandleError, OutboundMessage, Protocol, WsVersion,
};
use stdb::worker_metrics::{ClientDisconnectCause as Cause, WORKER_METRICS};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::Limits;
use super::encode::Encoder;
use super::ending::{Ending, close_frame};

pub type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// How long to wait for the other side's part of a closing handshake.
const GOODBYE: Duration = Duration::from_millis(250);

/// Messages taken from the engine's queue at a time.
const BATCH: usize = 256;

/// Frames written before looking again whether a ping is due.
const FRAMES: usize = 8;

/// Ends a handshake that the module's `client_connected` did not agree to.
pub async fn turn_away(mut socket: Socket, reason: &impl Display) {
    let farewell = Message::Close(Some(close_frame(CloseCode::Policy, reason)));
    timeout(GOODBYE, socket.send(farewell)).await.ok();
}

pub async fn serve(
    client: ClientConnection,
    outgoing: ClientConnectionReceiver,
    socket: Socket,
    token: Box<str>,
    limits: Limits,
) {
    // The engine aborts this task for a client that does not keep up: it must be disconnected too.
    let client = scopeguard::guard(client, |client| {
        tokio::spawn(client.disconnect());
    });
    let ending = converse(&client, outgoing, socket, token, limits).await;
    if let Some(recorder) = client.disconnect_recorder() {
        recorder.record(ending);
    }
    ScopeGuard::into_inner(client).disconnect().await;
}

async fn converse(
    client: &ClientConnection,
    outgoing: ClientConnectionReceiver,
    socket: Socket,
    token: Box<str>,
    limits: Limits,
) -> Cause {
    if client.send_message(None, greeting(client, token)).is_err() {
        return Cause::Unknown;
    }
    let (mut sink, mut stream) = socket.split();
    let (errors_tx, errors) = unbounded_channel();
    let pinged = Mutex::new(None);
    let mut watched = client.clone();
    let Ending { cause, farewell } = tokio::select! {
        ending = listen(client, &mut stream, errors_tx, &pinged, limits.idle) => ending,
        ending = speak(client, &mut sink, outgoing, errors, &pinged, limits.ping) => ending,
        _ = watched.watch_module_host() => Ending::module_exited(),
    };
    // Answers the client's close or sends our own, and waits for the client to hang up.
    let goodbye = async {
        match farewell {
            Some(frame) => sink.send(Message::Close(Some(frame))).await?,
            None => sink.flush().await?,
        }
        while stream.next().await.transpose()?.is_some() {}
        Ok::<_, Error>(())
    };
    if let Ok(Err(error)) = timeout(GOODBYE, goodbye).await {
        log::debug!("{}: {error}", client.id);
    }
    cause
}

/// Clients cannot always read the headers of the handshake: the first message repeats them.
fn greeting(client: &ClientConnection, token: Box<str>) -> OutboundMessage {
    let (identity, connection_id) = (client.id.identity, client.id.connection_id);
    match client.config.version {
        WsVersion::V1 => {
            let message = v1::IdentityToken {
                identity,
                token,
                connection_id,
            };
            OutboundMessage::V1(SerializableMessage::Identity(message))
        }
        WsVersion::V2 | WsVersion::V3 => {
            let message = v2::InitialConnection {
                identity,
                connection_id,
                token,
            };
            OutboundMessage::V2(v2::ServerMessage::InitialConnection(message))
        }
    }
}

/// Hands the client's messages to the module, one after the other: a client that sends faster than
/// the module takes is slowed down by its own connection.
async fn listen(
    client: &ClientConnection,
    stream: &mut SplitStream<Socket>,
    errors: UnboundedSender<MessageExecutionError>,
    pinged: &Mutex<Option<Instant>>,
    idle: Duration,
) -> Ending {
    let database = client.module().info().database_identity;
    loop {
        let message = match timeout(idle, stream.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(error))) => return Ending::unreadable(&error),
            Ok(None) => return Ending::silent(Cause::WebsocketStreamEnded),
            Err(_) => {
                WORKER_METRICS
                    .ws_clients_idle_timed_out
                    .with_label_values(&database)
                    .inc();
                return Ending::silent(Cause::IdleTimeout);
            }
        };
        let data: DataMessage = match (message, client.config.protocol) {
            (Message::Text(text), Protocol::Text) => text.as_str().to_owned().into(),
            (Message::Binary(bytes), Protocol::Binary) => bytes.into(),
            (Message::Text(_) | Message::Binary(_), expected) => {
                let reason = format!("this subprotocol takes {} messages only", expected.as_str());
                return Ending::close(Cause::ClientMessageError, CloseCode::Unsupported, reason);
            }
            (Message::Pong(_), _) => {
                let sent = pinged.lock().expect("no panic while held").take();
                if let Some(sent) = sent {
                    let rtt = WORKER_METRICS
                        .websocket_pong_rtt
                        .with_label_values(&database);
                    rtt.observe(sent.elapsed().as_secs_f64());
                }
                continue;
            }
            (Message::Close(_), _) => {
                WORKER_METRICS
                    .ws_clients_closed_connection
                    .with_label_values(&database)
                    .inc();
                return Ending::silent(Cause::ClientClose);
            }
            // Pings are answered by the library.
            (Message::Ping(_) | Message::Frame(_), _) => continue,
        };
        match client.handle_message(data, Instant::now()).await {
            Ok(()) => {}
            Err(MessageHandleError::Execution(error)) if client.config.version == WsVersion::V1 => {
                log::debug!("{}: {error:#}", client.id);
                if errors.send(error).is_err() {
                    return Ending::silent(Cause::WebsocketSendError);
                }
            }
            Err(error) => {
                return Ending::close(
                    Cause::ClientMessageError,
                    CloseCode::Error,
                    format!("{error:#}"),
                );
            }
        }
    }
}

/// Sends what the engine has for this client, in its order, and pings in between.
async fn speak(
    client: &ClientConnection,
    sink: &mut SplitSink<Socket, Message>,
    mut outgoing: ClientConnectionReceiver,
    mut errors: UnboundedReceiver<MessageExecutionError>,
    pinged: &Mutex<Option<Instant>>,
    every: Duration,
) -> Ending {
    let (pool, database) = {
        let module = client.module();
        (
            module.subscriptions().bsatn_rlb_pool.clone(),
            module.info().database_identity,
        )
    };
    let encoder = Encoder::new(client.config, pool, database);
    let mut ping = interval(every);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut messages, mut frames) = (Vec::new(), VecDeque::new());
    loop {
        let wrote = tokio::select! {
            biased;
            _ = ping.tick() => {
                *pinged.lock().expect("no panic while held") = Some(Instant::now());
                sink.send(Message::Ping(Default::default())).await
            }
            Some(error) = errors.recv() => {
                encoder.encode_error(error, &mut frames).await;
                Ok(())
            }
            received = outgoing.recv_many(&mut messages, BATCH), if frames.is_empty() => {
                if received == 0 {
                    return Ending::module_exited();
                }
                encoder.encode(&mut messages, &mut frames).await;
                Ok(())
            }
            wrote = write_some(sink, &mut frames), if !frames.is_empty() => wrote,
        };
        if let Err(error) = wrote {
            log::debug!("{}: {error}", client.id);
            return Ending::silent(Cause::WebsocketSendError);
        }
    }
}

/// Writes the next few frames; returns to the loop in between, so that pings stay due in time.
async fn write_some(
    sink: &mut SplitSink<Socket, Message>,
    frames: &mut VecDeque<Frame>,
) -> Result<(), Error> {
    for _ in 0..FRAMES {
        // Taken from the queue only when there is room: a ping may cut this short at any wait.
        poll_fn(|cx| sink.poll_ready_unpin(cx)).await?;
        match frames.pop_front() {
            Some(frame) => sink.start_send_unpin(Message::Frame(frame))?,
            None => break,
        }
    }
    sink.flush().await
}
