//! `GET /v1/database/{database}/subscribe`.

mod connection;
mod encode;
mod ending;
mod handshake;

use std::time::Duration;

pub use handshake::subscribe;

/// How often a client is pinged and how long it may stay silent.
#[derive(Clone, Copy)]
pub struct Limits {
    pub ping: Duration,
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ping: Duration::from_secs(15),
            idle: Duration::from_secs(30),
        }
    }
}
