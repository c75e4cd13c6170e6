//! The command line.

use std::net::SocketAddr;
use std::time::Duration;

use crate::websocket::Limits;

pub const HELP: &str = "\
A loopback host for the published SpacetimeDB engine: databases in memory, the public HTTP and WebSocket API.

Usage: stdb-engine [FLAGS]

  --listen ADDRESS         Loopback address to listen on; port 0 takes a free one. [127.0.0.1:3000]
  --ping-interval SECONDS  Time between WebSocket pings. [15]
  --idle-timeout SECONDS   A WebSocket client that sends nothing, not even pongs, for so long is dropped. [30]
  --log FILTER             What to log on stderr: a level or a list such as warn,stdb=debug. [warn]
  --exit-with-stdin        End when standard input is closed, so as not to outlive the parent.
  --version                Print the engine's version and end.
  --help                   Print this text and end.

When ready, one JSON line on standard output tells the address, the engine's version and the process id.
";

pub enum Command {
    Serve(Options),
    Help,
    Version,
}

pub struct Options {
    pub listen: SocketAddr,
    pub limits: Limits,
    pub log: String,
    pub exit_with_stdin: bool,
}

pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let mut options = Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 3000)),
        limits: Limits::default(),
        log: "warn".to_owned(),
        exit_with_stdin: false,
    };
    while let Some(argument) = arguments.next() {
        let (flag, inline) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (argument.as_str(), None),
        };
        let value = || {
            inline
                .or_else(|| arguments.next())
                .ok_or(format!("{flag} needs a value"))
        };
        match flag {
            "--listen" => options.listen = loopback(&value()?)?,
            "--ping-interval" => options.limits.ping = seconds(flag, &value()?)?,
            "--idle-timeout" => options.limits.idle = seconds(flag, &value()?)?,
            "--log" => options.log = value()?,
            "--exit-with-stdin" => options.exit_with_stdin = true,
            "--version" | "-V" => return Ok(Command::Version),
            "--help" | "-h" => return Ok(Command::Help),
            _ => return Err(format!("unknown argument {argument:?}; see --help")),
        }
    }
    if options.limits.ping >= options.limits.idle {
        return Err("--ping-interval must be shorter than --idle-timeout".to_owned());
    }
    Ok(Command::Serve(options))
}

/// The engine holds whatever a test puts into it and asks nobody for a password: no network.
fn loopback(text: &str) -> Result<SocketAddr, String> {
    match text.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        _ => Err(format!(
            "--listen takes a loopback address such as 127.0.0.1:3000, not {text:?}"
        )),
    }
}

fn seconds(flag: &str, text: &str) -> Result<Duration, String> {
    let duration = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| format!("{flag} takes a number of seconds, not {text:?}"))
}
