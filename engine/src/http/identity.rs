//! Identities and the tokens that prove them.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde_json::{Value, json};
use stdb::Identity;

use crate::auth::SignedIn;
use crate::error::Refusal;
use crate::host::Host;

/// Long enough to open a socket with, for clients that can only put a token into the URL.
const WEBSOCKET_TOKEN_LIFE: Duration = Duration::from_secs(60);

pub async fn create(State(host): State<Arc<Host>>) -> Result<Json<Value>, Refusal> {
    let caller = host.tokens.mint()?;
    Ok(Json(
        json!({ "identity": caller.identity(), "token": caller.token }),
    ))
}

pub async fn public_key(State(host): State<Arc<Host>>) -> impl IntoResponse {
    let kind = [(header::CONTENT_TYPE, "application/pem-certificate-chain")];
    (kind, host.tokens.public_pem().into_vec())
}

pub async fn websocket_token(
    State(host): State<Arc<Host>>,
    SignedIn(caller): SignedIn,
) -> Result<Json<Value>, Refusal> {
    let short = host.tokens.short_lived(&caller, WEBSOCKET_TOKEN_LIFE)?;
    Ok(Json(json!({ "token": short.token })))
}

pub async fn verify(
    Path(identity): Path<String>,
    SignedIn(caller): SignedIn,
) -> Result<StatusCode, Refusal> {
    if parse(&identity)? == caller.identity() {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Refusal::bad_request(""))
    }
}

pub async fn databases(
    State(host): State<Arc<Host>>,
    Path(identity): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let owner = parse(&identity)?;
    let registry = host.registry();
    let owned = registry
        .all()
        .filter(|entry| entry.database.owner_identity == owner);
    let identities: Vec<Identity> = owned
        .map(|entry| entry.database.database_identity)
        .collect();
    Ok(Json(json!({ "identities": identities })))
}

fn parse(identity: &str) -> Result<Identity, Refusal> {
    let invalid = |error| Refusal::bad_request(format!("Invalid URL: {error}"));
    Identity::from_hex(identity).map_err(invalid)
}
