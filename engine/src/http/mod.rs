//! The public HTTP API under `/v1`, with the paths, codes and shapes of the real server.

mod call;
mod client;
mod database;
mod identity;
mod names;
mod publish;
mod schema;
mod sql;
mod target;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde_json::{Value, json};
use tower_http::cors::{Any, CorsLayer};

use crate::auth::identify;
use crate::error::Refusal;
use crate::host::{self, Host};
use crate::websocket::subscribe;

pub use client::{fresh_connection_id, to_the_end, turned_away};
pub use database::require_owner;
pub use target::{Known, Target};

pub fn router(host: Arc<Host>) -> Router {
    let one = Router::new()
        .route("/", get(database::info).delete(database::delete))
        .route("/identity", get(database::identity))
        .route(
            "/names",
            get(names::list).post(names::add).put(names::replace),
        )
        .route("/schema", get(schema::schema))
        .route("/call/{function}", post(call::call))
        .route("/sql", post(sql::sql))
        .route("/logs", get(database::logs))
        .route("/subscribe", get(subscribe));
    // A module may be of any size.
    let publishing = Router::new()
        .route("/database", post(publish::publish_unnamed))
        .route("/database/{database}", put(publish::publish))
        .route("/database/{database}/reset", put(publish::reset))
        .layer(DefaultBodyLimit::disable());
    let databases = Router::new()
        .nest("/database/{database}", one)
        .merge(publishing)
        .route_layer(from_fn_with_state(host.clone(), identify));
    let identities = Router::new()
        .route("/", post(identity::create))
        .route("/public-key", get(identity::public_key))
        .route("/websocket-token", post(identity::websocket_token))
        .route("/{identity}/verify", get(identity::verify))
        .route("/{identity}/databases", get(identity::databases));
    let cors = CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(Any)
        .allow_headers([header::AUTHORIZATION, header::ACCEPT, header::CONTENT_TYPE]);
    let v1 = Router::new()
        .route("/ping", get(ping))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .nest("/identity", identities)
        .merge(databases)
        .layer(cors);
    Router::new().nest("/v1", v1).with_state(host)
}

/// Whether anybody is there; a token, if one comes along, must be good.
async fn ping(State(host): State<Arc<Host>>, headers: HeaderMap, uri: Uri) -> Result<(), Refusal> {
    host.tokens.present(&headers, &uri).await.map(drop)
}

async fn health() -> Json<Value> {
    Json(json!({
        "package_name": env!("CARGO_PKG_NAME"),
        "version": host::VERSION,
        "nodes": [0],
        "schedulable": true,
    }))
}

async fn metrics(State(host): State<Arc<Host>>) -> Result<String, Refusal> {
    host.metrics.text().map_err(Refusal::internal)
}
