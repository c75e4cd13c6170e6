//! What every request that reaches a module shares: a connection of its own, and no early end.

use axum::http::StatusCode;
use spacetimedb_lib::ConnectionId;
use stdb::host::ModuleHost;
use stdb::host::module_host::ClientConnectedError;
use uuid::Uuid;

use crate::auth::Caller;
use crate::error::Refusal;

pub fn fresh_connection_id() -> ConnectionId {
    ConnectionId::from_u128(Uuid::new_v4().as_u128())
}

/// Runs to the end even if the caller hangs up, which would otherwise leave half a change behind.
pub async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::spawn(work).await.map_err(Refusal::internal)?
}

/// Does the work between the module's `client_connected` and `client_disconnected`.
pub async fn as_client<T, Work>(
    module: ModuleHost,
    caller: Caller,
    work: impl FnOnce(ModuleHost, ConnectionId) -> Work + Send + 'static,
) -> Result<T, Refusal>
where
    T: Send + 'static,
    Work: Future<Output = Result<T, Refusal>> + Send,
{
    let identity = caller.identity();
    let context = caller.context()?;
    to_the_end(async move {
        let connection = fresh_connection_id();
        module
            .call_identity_connected(context, connection)
            .await
            .map_err(turned_away)?;
        let outcome = work(module.clone(), connection).await;
        let left = module
            .call_identity_disconnected(identity, connection)
            .await;
        left.map_err(Refusal::internal)?;
        outcome
    })
    .await
}

pub fn turned_away(error: ClientConnectedError) -> Refusal {
    let status = match &error {
        ClientConnectedError::Rejected(_) => StatusCode::FORBIDDEN,
        ClientConnectedError::OutOfEnergy => StatusCode::SERVICE_UNAVAILABLE,
        ClientConnectedError::ReducerCall(_) => StatusCode::NOT_FOUND,
        ClientConnectedError::DBError(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    match error {
        ClientConnectedError::Rejected(reason) => Refusal::new(status, reason),
        error => Refusal::new(status, error),
    }
}
