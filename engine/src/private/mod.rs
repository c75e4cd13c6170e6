//! The host's own API under `/private`, for measuring only: no SpacetimeDB server has it.
//!
//! It stays apart from the public API, which must answer like the real server. Every request is the
//! database owner's, with a token, and no web page may make one: no CORS headers here.

mod subscriber;
mod subscribers;
mod views;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::auth::identify;
use crate::host::Host;

pub use subscribers::Crowd;

pub fn router(host: Arc<Host>) -> Router {
    let one = Router::new()
        .route(
            "/subscribers",
            get(subscribers::list)
                .post(subscribers::add)
                .delete(subscribers::remove),
        )
        .route("/views/expire", post(views::expire))
        .route_layer(from_fn_with_state(host.clone(), identify));
    Router::new()
        .nest("/private/database/{database}", one)
        .with_state(host)
}
