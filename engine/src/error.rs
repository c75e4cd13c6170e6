//! A refused request: a status and one line of text, as the real server answers.

use std::fmt::Display;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use stdb::host::NoSuchModule;

#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    text: String,
}

impl Refusal {
    pub fn new(status: StatusCode, text: impl Display) -> Self {
        Self {
            status,
            text: format!("{text:#}"),
        }
    }

    pub fn bad_request(text: impl Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    pub fn not_found(text: impl Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, text)
    }

    pub fn internal(error: impl Display) -> Self {
        log::error!("{error:#}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, self.text).into_response()
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        Self::internal(error)
    }
}

impl From<NoSuchModule> for Refusal {
    fn from(error: NoSuchModule) -> Self {
        Self::internal(error)
    }
}
