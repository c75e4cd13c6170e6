//! `POST /v1/database/{database}/sql`: one statement, run on the module's own thread.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use spacetimedb_client_api_messages::http::{SqlStmtResult, SqlStmtStats};
use spacetimedb_lib::identity::AuthCtx;
use spacetimedb_sats::{ProductTypeElement, ProductValue};
use stdb::host::ModuleHost;
use stdb::sql::execute;

use super::call::duration_header;
use super::client::as_client;
use super::target::Known;
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;

pub async fn sql(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    statement: String,
) -> Result<Response, Refusal> {
    let module = host.module(&entry).await?;
    let rights = AuthCtx::new(entry.database.owner_identity, caller.identity());
    let result = as_client(module, caller, |module, _| run(module, rights, statement)).await?;
    let duration = Duration::from_micros(result.total_duration_micros);
    Ok(([duration_header(duration)], Json([result])).into_response())
}

/// `?confirmed` needs no care here: in memory nothing ever waits for a disk.
async fn run(
    module: ModuleHost,
    rights: AuthCtx,
    statement: String,
) -> Result<SqlStmtResult<ProductValue>, Refusal> {
    let start = Instant::now();
    let mut head = Vec::new();
    let database = module.relational_db().clone();
    let subscriptions = Some(module.subscriptions().clone());
    let result = execute::run(
        database,
        statement,
        rights,
        subscriptions,
        Some(module),
        &mut head,
    )
    .await
    .map_err(Refusal::bad_request)?;
    let columns = head
        .into_iter()
        .map(|(name, kind)| ProductTypeElement::new(kind, Some(name)));
    Ok(SqlStmtResult {
        schema: columns.collect(),
        rows: result.rows,
        total_duration_micros: start.elapsed().as_micros() as u64,
        stats: SqlStmtStats::from_metrics(&result.metrics),
    })
}
