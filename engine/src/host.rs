//! The engine and the databases it runs, all in memory.

use std::future::ready;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use futures::future::join_all;
use spacetimedb_datastore::system_tables::ModuleKind;
use spacetimedb_datastore::traits::Program;
use spacetimedb_paths::FromPathUnchecked;
use spacetimedb_paths::server::ServerDataDir;
use spacetimedb_schema::auto_migrate::MigrationPolicy;
use stdb::Identity;
use stdb::auth::JwtKeys;
use stdb::client::ClientActorIndex;
use stdb::db::persistence::LocalPersistenceProvider;
use stdb::db::{Config, Storage};
use stdb::energy::NullEnergyMonitor;
use stdb::hash::Hash;
use stdb::host::{HostController, HostRuntimeConfig, IdcConfig, ModuleHost, UpdateDatabaseResult};
use stdb::messages::control_db::{Database, HostType};
use stdb::util::jobs::JobCores;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::auth::Tokens;
use crate::error::Refusal;
use crate::metrics::Metrics;
use crate::registry::{Entry, Registry};
use crate::websocket::Limits;

/// The version of the engine crate, which is what clients ask for.
pub const VERSION: &str = env!("ENGINE_VERSION");

/// How long a database may take to end before it is left behind.
const PATIENCE: Duration = Duration::from_secs(10);

pub struct Host {
    engine: HostController,
    registry: Mutex<Registry>,
    /// The module being started: the engine asks for it by hash, one at a time.
    starting: Arc<Mutex<Bytes>>,
    turn: tokio::sync::Mutex<()>,
    pub tokens: Tokens,
    pub clients: ClientActorIndex,
    pub metrics: Metrics,
    pub limits: Limits,
}

impl Host {
    pub fn new(folder: &Path, port: u16, cores: JobCores, limits: Limits) -> anyhow::Result<Self> {
        let folder = Arc::new(ServerDataDir::from_path_unchecked(folder));
        let keys = JwtKeys::generate()?;
        let starting = Arc::<Mutex<Bytes>>::default();
        let program = {
            let starting = starting.clone();
            move |_: Hash| {
                let program = starting.lock().expect("no panic while held").to_vec();
                ready(Ok(Some(program.into_boxed_slice())))
            }
        };
        let engine = HostController::new(
            folder.clone(),
            Config {
                storage: Storage::Memory,
                page_pool_max_size: None,
            },
            HostRuntimeConfig::default(),
            Arc::new(program),
            Arc::new(NullEnergyMonitor),
            Arc::new(()),
            Arc::new(LocalPersistenceProvider::new(folder)),
            cores,
        );
        // No database starts without it, whether or not its module ever calls another.
        engine.set_idc_config(IdcConfig {
            http_port: port,
            token_signer: Arc::new(keys.clone()),
        })?;
        Ok(Self {
            metrics: Metrics::new(&engine)?,
            engine,
            registry: Mutex::default(),
            starting,
            turn: tokio::sync::Mutex::default(),
            tokens: Tokens::new(keys),
            clients: ClientActorIndex::new(),
            limits,
        })
    }

    pub fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().expect("no panic while held")
    }

    /// Databases are created, changed and removed one at a time.
    pub async fn turn(&self) -> impl Drop + use<'_> {
        self.turn.lock().await
    }

    pub async fn module(&self, entry: &Entry) -> Result<ModuleHost, Refusal> {
        Ok(self.engine.get_module_host(entry.replica).await?)
    }

    /// Like `module`, and told when the database is updated or ends.
    pub async fn watch(&self, entry: &Entry) -> Result<watch::Receiver<ModuleHost>, Refusal> {
        Ok(self.engine.watch_module_host(entry.replica).await?)
    }

    /// Starts a database; it is registered only if its module is valid and its `init` succeeds.
    /// The check before the start is needed: what does not start as WASM, the engine takes for
    /// JavaScript of an old version, and there is no V8.
    pub async fn create(
        &self,
        database_identity: Identity,
        owner_identity: Identity,
        name: Option<String>,
        program: Bytes,
    ) -> anyhow::Result<()> {
        let module = Program::from_bytes(ModuleKind::WASM, &program[..]);
        let entry = {
            let mut registry = self.registry();
            let database = Database {
                id: registry.next_id(),
                database_identity,
                owner_identity,
                host_type: HostType::Wasm,
                initial_program: module.hash,
                bootstrap_generation: 0,
            };
            Entry {
                database,
                replica: registry.next_id(),
                program,
                subscribers: Arc::default(),
            }
        };
        let checked = entry.database.clone();
        self.engine.check_module_validity(checked, module).await?;
        self.start(&entry).await?;
        let mut registry = self.registry();
        registry.insert(entry);
        if let Some(name) = name {
            registry.name(name, database_identity);
        }
        Ok(())
    }

    pub async fn update(
        &self,
        entry: &Entry,
        program: Bytes,
        policy: MigrationPolicy,
    ) -> anyhow::Result<UpdateDatabaseResult> {
        let (database, program) = (entry.database.clone(), program.to_vec().into());
        self.engine
            .update_module_host(
                database,
                HostType::Wasm,
                entry.replica,
                program,
                policy,
                Default::default(),
            )
            .await
    }

    /// Empties a database: checks the module first, so that a bad one leaves the old data alone.
    pub async fn reset(&self, entry: &Entry, program: Option<Bytes>) -> anyhow::Result<()> {
        let mut fresh = Entry {
            replica: self.registry().next_id(),
            subscribers: Arc::default(),
            ..entry.clone()
        };
        if let Some(bytes) = program {
            let program = Program::from_bytes(ModuleKind::WASM, &bytes[..]);
            fresh.database.initial_program = program.hash;
            fresh.program = bytes;
            self.engine
                .check_module_validity(fresh.database.clone(), program)
                .await?;
        }
        self.stop(entry).await;
        self.registry().insert(fresh.clone());
        self.start(&fresh).await
    }

    pub async fn delete(&self, entry: &Entry) {
        self.registry().remove(entry.database.database_identity);
        self.stop(entry).await;
    }

    /// Ends every database and with it every connected client.
    pub async fn stop_all(&self) {
        let entries: Vec<Entry> = self.registry().all().cloned().collect();
        join_all(entries.iter().map(|entry| self.stop(entry))).await;
    }

    async fn start(&self, entry: &Entry) -> anyhow::Result<()> {
        *self.starting.lock().expect("no panic while held") = entry.program.clone();
        let started = self
            .engine
            .get_or_launch_module_host(entry.database.clone(), entry.replica)
            .await;
        *self.starting.lock().expect("no panic while held") = Bytes::new();
        if started.is_err() {
            self.stop(entry).await;
        }
        started.map(drop)
    }

    async fn stop(&self, entry: &Entry) {
        // Those inside leave while there is a module to tell.
        timeout(PATIENCE, entry.subscribers.leave()).await.ok();
        let stopped = self.engine.exit_module_host(entry.replica, PATIENCE).await;
        if let Err(error) = stopped.context("a database did not end") {
            log::warn!("{error:#}");
        }
    }
}
