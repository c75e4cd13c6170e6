//! Publishing: create, update, or start again empty.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::{Extension, Json};
use bytes::Bytes;
use serde::Deserialize;
use spacetimedb_client_api_messages::name::{MigrationPolicy, PublishOp, PublishResult};
use spacetimedb_lib::Hash;
use spacetimedb_schema::auto_migrate;
use stdb::Identity;
use stdb::host::UpdateDatabaseResult;
use stdb::messages::control_db::HostType;

use super::client::to_the_end;
use super::database::require_owner;
use super::target::Target;
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;
use crate::registry::Entry;

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Options {
    clear: bool,
    host_type: HostType,
    policy: MigrationPolicy,
    /// Approves a breaking change. The same parameter may carry a caller's token: read only if asked for.
    token: Option<String>,
}

impl Options {
    /// Nothing of a JavaScript module may reach the engine: its V8 is not part of this build.
    fn require_wasm(&self) -> Result<(), Refusal> {
        match self.host_type {
            HostType::Wasm => Ok(()),
            HostType::Js => Err(Refusal::bad_request(
                "host_type=Js: this host runs WASM modules only, JavaScript needs a real SpacetimeDB server",
            )),
        }
    }

    fn migration(&self) -> Result<auto_migrate::MigrationPolicy, Refusal> {
        match (&self.policy, &self.token) {
            (MigrationPolicy::Compatible, _) => Ok(auto_migrate::MigrationPolicy::Compatible),
            (MigrationPolicy::BreakClients, Some(token)) => {
                let hash = Hash::from_hex(token).map_err(Refusal::bad_request)?;
                Ok(auto_migrate::MigrationPolicy::BreakClients(hash))
            }
            (MigrationPolicy::BreakClients, None) => Err(Refusal::bad_request(
                "policy=BreakClients needs a migration token",
            )),
        }
    }
}

pub async fn publish_unnamed(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Query(options): Query<Options>,
    program: Bytes,
) -> Result<Json<PublishResult>, Refusal> {
    options.require_wasm()?;
    if options.clear {
        return Err(Refusal::bad_request(
            "clear needs the name or identity of a database",
        ));
    }
    to_the_end(async move {
        let _turn = host.turn().await;
        create(&host, &caller, None, program).await
    })
    .await
}

pub async fn publish(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    target: Target,
    Query(options): Query<Options>,
    program: Bytes,
) -> Result<Json<PublishResult>, Refusal> {
    options.require_wasm()?;
    let policy = options.migration()?;
    to_the_end(async move {
        let _turn = host.turn().await;
        match target.entry(&host) {
            None => create(&host, &caller, Some(target), program).await,
            Some(entry) if options.clear => {
                empty(&host, &caller, &target, &entry, Some(program)).await
            }
            Some(entry) => {
                require_owner(&entry, caller.identity(), "update database")?;
                update(&host, &entry, program, policy).await?;
                Ok(success(&target, &entry, PublishOp::Updated))
            }
        }
    })
    .await
}

pub async fn reset(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    target: Target,
    Query(options): Query<Options>,
    program: Bytes,
) -> Result<Json<PublishResult>, Refusal> {
    options.require_wasm()?;
    to_the_end(async move {
        let _turn = host.turn().await;
        let entry = target.entry(&host).ok_or_else(|| target.unknown())?;
        let program = Some(program).filter(|program| !program.is_empty());
        empty(&host, &caller, &target, &entry, program).await
    })
    .await
}

async fn create(
    host: &Host,
    caller: &Caller,
    target: Option<Target>,
    program: Bytes,
) -> Result<Json<PublishResult>, Refusal> {
    let (database_identity, domain) = match target {
        Some(Target::Identity(identity)) => (identity, None),
        Some(Target::Name(name)) => (fresh_identity(host)?, Some(name)),
        None => (fresh_identity(host)?, None),
    };
    let name = domain.clone().map(String::from);
    host.create(database_identity, caller.identity(), name, program)
        .await?;
    Ok(Json(PublishResult::Success {
        domain,
        database_identity,
        op: PublishOp::Created,
    }))
}

/// A database's identity is made like a user's.
fn fresh_identity(host: &Host) -> Result<Identity, Refusal> {
    Ok(host.tokens.mint()?.identity())
}

async fn update(
    host: &Host,
    entry: &Entry,
    program: Bytes,
    policy: auto_migrate::MigrationPolicy,
) -> Result<(), Refusal> {
    match host.update(entry, program, policy).await? {
        UpdateDatabaseResult::NoUpdateNeeded
        | UpdateDatabaseResult::UpdatePerformed { .. }
        | UpdateDatabaseResult::UpdatePerformedWithClientDisconnect { .. } => Ok(()),
        UpdateDatabaseResult::AutoMigrateError(errors) => Err(Refusal::bad_request(format!(
            "Database update rejected: {errors}"
        ))),
        UpdateDatabaseResult::ErrorExecutingMigration(error) => Err(Refusal::bad_request(format!(
            "Failed to create or update the database: {error:#}"
        ))),
    }
}

async fn empty(
    host: &Host,
    caller: &Caller,
    target: &Target,
    entry: &Entry,
    program: Option<Bytes>,
) -> Result<Json<PublishResult>, Refusal> {
    require_owner(entry, caller.identity(), "reset database")?;
    host.reset(entry, program).await?;
    Ok(success(target, entry, PublishOp::Updated))
}

fn success(target: &Target, entry: &Entry, op: PublishOp) -> Json<PublishResult> {
    let database_identity = entry.database.database_identity;
    Json(PublishResult::Success {
        domain: target.name().cloned(),
        database_identity,
        op,
    })
}
