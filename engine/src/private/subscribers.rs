//! `/private/database/{database}/subscribers`: clients inside the engine, by the hundred.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use futures::future::join_all;
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
pub type Crowd = Mutex<Vec<Subscriber>>;

#[derive(Deserialize)]
pub struct Wanted {
    queries: Box<[Box<str>]>,
    count: usize,
}

/// Adds subscribers, one after the other; if one is refused, those of this request leave again.
pub async fn add(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    Json(Wanted { queries, count }): Json<Wanted>,
) -> Result<Json<Vec<Value>>, Refusal> {
    require_owner(&entry, caller.identity(), "add subscribers")?;
    to_the_end(async move {
        let mut crowd = entry.subscribers.lock().await;
        let before = crowd.len();
        for _ in 0..count {
            match Subscriber::join(&host, &entry, queries.clone()).await {
                Ok(subscriber) => crowd.push(subscriber),
                Err(refusal) => {
                    leave(crowd.split_off(before)).await;
                    return Err(refusal);
                }
            }
        }
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
    Ok(report(&*entry.subscribers.lock().await))
}

/// Answers when all are disconnected.
pub async fn remove(
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
) -> Result<(), Refusal> {
    require_owner(&entry, caller.identity(), "remove subscribers")?;
    to_the_end(async move {
        let mut crowd = entry.subscribers.lock().await;
        leave(std::mem::take(&mut *crowd)).await;
        Ok(())
    })
    .await
}

async fn leave(subscribers: Vec<Subscriber>) {
    join_all(subscribers.iter().map(Subscriber::leave)).await;
}

fn report(crowd: &[Subscriber]) -> Json<Vec<Value>> {
    Json(crowd.iter().map(Subscriber::report).collect())
}
