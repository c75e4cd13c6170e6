//! The engine's counters as Prometheus text.

use prometheus::{Registry, TextEncoder};
use spacetimedb_datastore::db_metrics::DB_METRICS;
use spacetimedb_datastore::db_metrics::data_size::DATA_SIZE_METRICS;
use stdb::host::HostController;
use stdb::metrics::ENGINE_METRICS;
use stdb::worker_metrics::{self, WORKER_METRICS};

pub struct Metrics {
    registry: Registry,
}

impl Metrics {
    /// Registers the engine's groups and starts its own periodic gauges. Needs a tokio runtime.
    pub fn new(engine: &HostController) -> anyhow::Result<Self> {
        let registry = Registry::new();
        registry.register(Box::new(&*WORKER_METRICS))?;
        registry.register(Box::new(&*ENGINE_METRICS))?;
        registry.register(Box::new(&*DB_METRICS))?;
        registry.register(Box::new(&*DATA_SIZE_METRICS))?;

        let node = || "embedded".to_owned();
        let runtime = tokio::runtime::Handle::current();
        worker_metrics::spawn_jemalloc_stats(node());
        worker_metrics::spawn_tokio_stats(node(), "main".to_owned(), runtime);
        worker_metrics::spawn_page_pool_stats(node(), engine.page_pool.clone());
        worker_metrics::spawn_bsatn_rlb_pool_stats(node(), engine.bsatn_rlb_pool.clone());
        Ok(Self { registry })
    }

    /// The engine's groups, then what its libraries put into the process-wide registry.
    pub fn text(&self) -> prometheus::Result<String> {
        let mut text = String::new();
        TextEncoder.encode_utf8(&self.registry.gather(), &mut text)?;
        TextEncoder.encode_utf8(&prometheus::gather(), &mut text)?;
        Ok(text)
    }
}
