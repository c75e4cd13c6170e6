//! `/private/database/{database}/subscribers`: clients inside the engine, by the hundred.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use futures::future::join_all;
use futures::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::subscriber::Subscriber;
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;
use crate::http::{Known, require_owner, to_the_end};

/// The subscribers of one database, in the order they came. Whoever adds, counts or removes some
/// waits for those before.
#[derive(Default)]
pub struct Crowd(Mutex<Vec<Subscriber>>);

impl Crowd {
    /// Returns when all are disconnected.
    pub async fn leave(&self) {
        let mut crowd = self.0.lock().await;
        join_all(crowd.iter().map(Subscriber::leave)).await;
        crowd.clear();
    }
}

/// Joins that are under way at a time.
const PARALLEL: usize = 16;

#[derive(Deserialize)]
pub struct Wanted {
    queries: Box<[Box<str>]>,
    count: usize,
}

/// Adds subscribers; if one is refused, those of this request leave again.
pub async fn add(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    Json(Wanted { queries, count }): Json<Wanted>,
) -> Result<Json<Vec<Value>>, Refusal> {
    require_owner(&entry, caller.identity(), "add subscribers")?;
    to_the_end(async move {
        let mut crowd = entry.subscribers.0.lock().await;
        let joining = (0..count).map(|_| {
            let (host, entry, queries) = (host.clone(), entry.clone(), queries.clone());
            to_the_end(async move { Subscriber::join(&host, &entry, queries).await })
        });
        let joined = stream::iter(joining).buffered(PARALLEL);
        crowd.extend(joined.try_collect::<Vec<_>>().await?);
        Ok(report(&crowd))
    })
    .await
}

/// What each has received so far. It reads counters, nothing is committed.
pub async fn list(
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
) -> Result<Json<Vec<Value>>, Refusal> {
    require_owner(&entry, caller.identity(), "list subscribers")?;
    Ok(report(&entry.subscribers.0.lock().await))
}

/// Answers when all are disconnected.
pub async fn remove(
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
) -> Result<(), Refusal> {
    require_owner(&entry, caller.identity(), "remove subscribers")?;
    to_the_end(async move {
        entry.subscribers.leave().await;
        Ok(())
    })
    .await
}

fn report(crowd: &[Subscriber]) -> Json<Vec<Value>> {
    Json(crowd.iter().map(Subscriber::report).collect())
}
