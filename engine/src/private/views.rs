//! `POST /private/database/{database}/views/expire`: the engine's cleanup of views, at once.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::{Extension, Json};
use serde_json::{Value, json};
use spacetimedb_datastore::execution_context::Workload;

use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;
use crate::http::{Known, require_owner, to_the_end};

/// As many as the engine's own cleanup takes at a time.
const BATCH: usize = 1024;

/// Drops every view instance without a subscriber, in one transaction. The engine itself does this
/// every ten minutes, to instances that were left ten minutes before.
pub async fn expire(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
) -> Result<Json<Value>, Refusal> {
    require_owner(&entry, caller.identity(), "expire views")?;
    let database = host.module(&entry).await?.relational_db().clone();
    to_the_end(async move {
        let cleanup = move || {
            database.with_auto_commit(Workload::Internal, |tx| {
                let cleared = tx.clear_expired_views(Duration::ZERO, Duration::MAX, BATCH)?;
                anyhow::Ok(cleared)
            })
        };
        let done = tokio::task::spawn_blocking(cleanup)
            .await
            .map_err(Refusal::internal)??;
        Ok(Json(json!({ "expired": done.cleaned })))
    })
    .await
}
