//! A small loopback host over the published SpacetimeDB engine crate.

mod args;
mod auth;
mod error;
mod host;
mod http;
mod metrics;
mod private;
mod registry;
mod scratch;
mod websocket;

use std::io::{self, IsTerminal, Read, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::serve::ListenerExt;
use stdb::startup;
use stdb::util::jobs::JobCores;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tracing_subscriber::EnvFilter;

use args::{Command, Options};
use host::Host;
use scratch::Scratch;

/// As in the real server: allocation is part of what is measured.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let options = match args::parse(std::env::args().skip(1)) {
        Ok(Command::Serve(options)) => options,
        Ok(Command::Help) => return print(args::HELP),
        Ok(Command::Version) => return print(&format!("{}\n", host::VERSION)),
        Err(text) => return complain(&text, 2),
    };
    match EnvFilter::try_new(&options.log) {
        Ok(filter) => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            .init(),
        Err(error) => return complain(&format!("--log: {error}"), 2),
    }
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => complain(&format!("{error:#}"), 1),
    }
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn complain(text: &str, code: u8) -> ExitCode {
    eprintln!("stdb-engine: {text}");
    ExitCode::from(code)
}

fn run(options: Options) -> anyhow::Result<()> {
    raise_descriptor_limit();
    // Threads as the real server lays them out; with few cores none is pinned.
    let cores = startup::pin_threads();
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    cores.tokio.configure(builder.enable_all());
    let runtime = builder.build()?;
    cores.rayon.configure(runtime.handle());
    let database_cores = cores.databases.make_database_runners();

    let scratch = Scratch::new().context("cannot make a temporary folder")?;
    let served = runtime.block_on(serve(options, &scratch, database_cores.clone()));
    runtime.shutdown_timeout(Duration::from_secs(1));
    // Its own runtimes must not end inside the one above.
    drop(database_cores);
    served
}

async fn serve(options: Options, scratch: &Scratch, cores: JobCores) -> anyhow::Result<()> {
    let stop = stop_requested(options.exit_with_stdin)?;
    let listener = TcpListener::bind(options.listen)
        .await
        .with_context(|| format!("cannot listen on {}", options.listen))?;
    let address = listener.local_addr()?;
    let host = Arc::new(Host::new(
        scratch.path(),
        address.port(),
        cores,
        options.limits,
    )?);
    let router = http::router(host.clone()).merge(private::router(host.clone()));
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            log::debug!("no TCP_NODELAY: {error}");
        }
    });
    announce(address);
    tokio::select! {
        served = axum::serve(listener, router) => served?,
        () = stop => {}
    }
    host.stop_all().await;
    Ok(())
}

/// Tells the parent that connections are now accepted. A parent that does not read it is no error.
fn announce(address: SocketAddr) {
    let (listen, pid) = (address.to_string(), std::process::id());
    let line = serde_json::json!({ "listen": listen, "version": host::VERSION, "pid": pid });
    let mut stdout = io::stdout().lock();
    if writeln!(stdout, "{line}")
        .and_then(|()| stdout.flush())
        .is_err()
    {
        log::debug!("nobody reads standard output");
    }
}

/// Completes on SIGTERM, on SIGINT, or when the parent's pipe closes.
fn stop_requested(exit_with_stdin: bool) -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let (closed_tx, closed) = oneshot::channel();
    let mut closed_tx = Some(closed_tx);
    if let Some(closed_tx) = closed_tx.take_if(|_| exit_with_stdin) {
        // A plain thread: tokio's own would hold up the end of the runtime.
        std::thread::spawn(move || {
            let mut stdin = io::stdin();
            while matches!(stdin.read(&mut [0; 256]), Ok(1..)) {}
            closed_tx.send(()).ok();
        });
    }
    Ok(async move {
        let _stays_open = closed_tx;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = closed => {}
        }
    })
}

/// One client is one descriptor: take all that the system grants, not the usual 1,024.
fn raise_descriptor_limit() {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: both calls only read or fill the struct they are given.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}
