//! How a conversation ends, and what is said about it.

use std::fmt::Display;

use stdb::worker_metrics::ClientDisconnectCause as Cause;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Why a conversation ended, and what to tell the client if it can still hear.
pub struct Ending {
    pub cause: Cause,
    pub farewell: Option<CloseFrame>,
}

impl Ending {
    pub fn silent(cause: Cause) -> Self {
        Self {
            cause,
            farewell: None,
        }
    }

    pub fn close(cause: Cause, code: CloseCode, reason: impl Display) -> Self {
        Self {
            cause,
            farewell: Some(close_frame(code, reason)),
        }
    }

    pub fn module_exited() -> Self {
        Self::close(Cause::ModuleExited, CloseCode::Away, "module exited")
    }

    pub fn unreadable(error: &Error) -> Self {
        use Cause::*;
        let (cause, code) = match error {
            Error::Capacity(_) => (WebsocketReceiveCapacity, Some(CloseCode::Size)),
            Error::Protocol(_) => (WebsocketReceiveProtocol, Some(CloseCode::Protocol)),
            Error::Utf8(_) => (WebsocketReceiveUtf8, Some(CloseCode::Invalid)),
            Error::AttackAttempt => (WebsocketReceiveAttackAttempt, Some(CloseCode::Policy)),
            Error::ConnectionClosed => (WebsocketReceiveConnectionClosed, None),
            Error::AlreadyClosed => (WebsocketReceiveAlreadyClosed, None),
            Error::Io(_) => (WebsocketReceiveIo, None),
            _ => (WebsocketReceiveError, None),
        };
        Self {
            cause,
            farewell: code.map(|code| close_frame(code, error)),
        }
    }
}

pub fn close_frame(code: CloseCode, reason: impl Display) -> CloseFrame {
    let mut reason = reason.to_string();
    // A control frame carries 125 bytes, two of them the code.
    reason.truncate(reason.floor_char_boundary(123));
    CloseFrame {
        code,
        reason: reason.into(),
    }
}
