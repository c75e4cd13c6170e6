//! What a database is, what it logs, and its end.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use spacetimedb_sats::serde::SerdeWrapper;
use stdb::Identity;

use super::client::to_the_end;
use super::target::{Known, Target};
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;
use crate::registry::Entry;

/// Only the owner may do this; the text is the real server's.
pub fn require_owner(entry: &Entry, caller: Identity, action: &str) -> Result<(), Refusal> {
    if entry.database.owner_identity == caller {
        return Ok(());
    }
    let database = entry.database.database_identity;
    let text =
        format!("{caller} is not authorized to perform action on database {database}: {action}");
    Err(Refusal::new(StatusCode::FORBIDDEN, text))
}

pub async fn info(Known(entry): Known) -> Json<Value> {
    let database = entry.database;
    Json(json!({
        "database_identity": SerdeWrapper(database.database_identity),
        "owner_identity": SerdeWrapper(database.owner_identity),
        "host_type": SerdeWrapper(database.host_type),
        "initial_program": SerdeWrapper(database.initial_program),
    }))
}

pub async fn identity(State(host): State<Arc<Host>>, target: Target) -> Result<String, Refusal> {
    let identity = target.identity(&host).ok_or_else(|| target.unknown())?;
    Ok(identity.to_string())
}

/// An identity that is no database is deleted already, an unknown name is an error.
pub async fn delete(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    target: Target,
) -> Result<(), Refusal> {
    to_the_end(async move {
        let _turn = host.turn().await;
        let identity = target.identity(&host).ok_or_else(|| target.unknown())?;
        let entry = host.registry().get(identity).cloned();
        if let Some(entry) = entry {
            require_owner(&entry, caller.identity(), "delete database")?;
            host.delete(&entry).await;
        }
        Ok(())
    })
    .await
}

#[derive(Deserialize)]
pub struct Tail {
    num_lines: Option<u32>,
    #[serde(default)]
    follow: bool,
}

pub async fn logs(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    Query(Tail { num_lines, follow }): Query<Tail>,
) -> Result<Response, Refusal> {
    require_owner(&entry, caller.identity(), "view module logs")?;
    let module = host.module(&entry).await?;
    let lines = module
        .database_logger()
        .tail(num_lines, follow)
        .await
        .map_err(Refusal::internal)?;
    let headers = [
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONTENT_TYPE, "application/x-ndjson"),
    ];
    Ok((headers, Body::from_stream(lines)).into_response())
}
