//! From the engine's messages to WebSocket frames.

use std::collections::VecDeque;
use std::time::Instant;

use bytes::Bytes;
use prometheus::Histogram;
use stdb::Identity;
use stdb::client::messages::{
    SerializeBuffer, SwitchedServerMessage, ToProtocol, serialize, serialize_v2, serialize_v3,
};
use stdb::client::{ClientConfig, DataMessage, MessageExecutionError, OutboundMessage, WsVersion};
use stdb::subscription::row_list_builder_pool::BsatnRowListBuilderPool;
use stdb::util::spawn_rayon;
use stdb::worker_metrics::WORKER_METRICS;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

/// As the real server cuts its messages, so that pings find a gap in long ones.
const FRAME: usize = 4096;

/// Messages of more rows are serialized on the engine's thread pool, not on the network's threads.
const MANY_ROWS: usize = 1024;

/// About the most rows v3 puts into one WebSocket message, if more than one is waiting.
const V3_ROWS: usize = 4096;

pub struct Encoder {
    config: ClientConfig,
    pool: BsatnRowListBuilderPool,
    seconds: Histogram,
    bytes: Histogram,
    rows: Histogram,
}

impl Encoder {
    pub fn new(config: ClientConfig, pool: BsatnRowListBuilderPool, database: Identity) -> Self {
        Self {
            config,
            pool,
            seconds: WORKER_METRICS
                .websocket_serialize_secs
                .with_label_values(&database),
            bytes: WORKER_METRICS
                .websocket_sent_msg_size
                .with_label_values(&database),
            rows: WORKER_METRICS
                .websocket_sent_num_rows
                .with_label_values(&database),
        }
    }

    /// Appends the frames of these messages. The engine sends a client only its own version's.
    pub async fn encode(&self, messages: &mut Vec<OutboundMessage>, frames: &mut VecDeque<Frame>) {
        let mut together = Vec::new();
        let mut together_rows = None;
        for message in messages.drain(..) {
            let rows = message.num_rows();
            match message {
                OutboundMessage::V1(message) => self.encode_v1(message, rows, frames).await,
                OutboundMessage::V2(message) if self.config.version == WsVersion::V2 => {
                    let (pool, compression) = (self.pool.clone(), self.config.compression);
                    let job =
                        move |buffer| serialize_v2(&pool, buffer, message, compression).1.into();
                    self.run(job, rows, frames).await;
                }
                OutboundMessage::V2(message) => {
                    together.push(message);
                    together_rows = Some(together_rows.unwrap_or(0) + rows.unwrap_or(0));
                    if together_rows > Some(V3_ROWS) {
                        self.encode_v3(&mut together, together_rows.take(), frames)
                            .await;
                    }
                }
            }
        }
        if !together.is_empty() {
            self.encode_v3(&mut together, together_rows, frames).await;
        }
    }

    /// Version 1 tells a client that a call did not even reach the module in the form of an update.
    pub async fn encode_error(&self, error: MessageExecutionError, frames: &mut VecDeque<Frame>) {
        self.encode_v1(error, None, frames).await;
    }

    async fn encode_v1(
        &self,
        message: impl ToProtocol<Encoded = SwitchedServerMessage> + Send + 'static,
        rows: Option<usize>,
        frames: &mut VecDeque<Frame>,
    ) {
        let (pool, config) = (self.pool.clone(), self.config);
        self.run(
            move |buffer| serialize(&pool, buffer, message, config).1,
            rows,
            frames,
        )
        .await;
    }

    async fn encode_v3(
        &self,
        messages: &mut Vec<spacetimedb_client_api_messages::websocket::v2::ServerMessage>,
        rows: Option<usize>,
        frames: &mut VecDeque<Frame>,
    ) {
        let messages = std::mem::take(messages);
        let (pool, compression) = (self.pool.clone(), self.config.compression);
        let job = move |buffer| serialize_v3(&pool, buffer, messages, compression).1.into();
        self.run(job, rows, frames).await;
    }

    async fn run(
        &self,
        job: impl FnOnce(SerializeBuffer) -> DataMessage + Send + 'static,
        rows: Option<usize>,
        frames: &mut VecDeque<Frame>,
    ) {
        let buffer = SerializeBuffer::new(self.config);
        let timed = move || {
            let start = Instant::now();
            let message = job(buffer);
            (message, start.elapsed())
        };
        let (message, elapsed) = match rows {
            Some(MANY_ROWS..) => spawn_rayon(timed).await,
            _ => timed(),
        };
        self.seconds.observe(elapsed.as_secs_f64());
        self.bytes.observe(message.len() as f64);
        if let Some(rows) = rows {
            self.rows.observe(rows as f64);
        }
        match message {
            DataMessage::Text(text) => frames.extend(fragments(text.into_bytes(), Data::Text)),
            DataMessage::Binary(bytes) => frames.extend(fragments(bytes, Data::Binary)),
        }
    }
}

fn fragments(message: Bytes, kind: Data) -> impl Iterator<Item = Frame> {
    let length = message.len();
    (0..length).step_by(FRAME).map(move |start| {
        let end = length.min(start + FRAME);
        let kind = if start == 0 { kind } else { Data::Continue };
        Frame::message(message.slice(start..end), OpCode::Data(kind), end == length)
    })
}
