//! The database a path names, by name or by identity.

use std::fmt;
use std::sync::Arc;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use spacetimedb_client_api_messages::name::DatabaseName;
use stdb::Identity;

use crate::error::Refusal;
use crate::host::Host;
use crate::registry::Entry;

#[derive(Clone)]
pub enum Target {
    Identity(Identity),
    Name(DatabaseName),
}

impl Target {
    fn parse(text: &str) -> Result<Self, Refusal> {
        if let Ok(identity) = Identity::from_hex(text) {
            return Ok(Self::Identity(identity));
        }
        let invalid = |error| Refusal::bad_request(format!("Invalid URL: {error}"));
        text.parse().map(Self::Name).map_err(invalid)
    }

    pub fn name(&self) -> Option<&DatabaseName> {
        match self {
            Self::Identity(_) => None,
            Self::Name(name) => Some(name),
        }
    }

    /// The identity, if it is given or the name is known.
    pub fn identity(&self, host: &Host) -> Option<Identity> {
        match self {
            Self::Identity(identity) => Some(*identity),
            Self::Name(name) => host.registry().named(name.as_ref()),
        }
    }

    pub fn entry(&self, host: &Host) -> Option<Entry> {
        let identity = self.identity(host)?;
        host.registry().get(identity).cloned()
    }

    pub fn unknown(&self) -> Refusal {
        match self {
            Self::Identity(_) => Refusal::not_found("No such database."),
            Self::Name(_) => Refusal::not_found(format!("{self} not found")),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity(identity) => write!(f, "`{identity}`"),
            Self::Name(name) => write!(f, "`{name}`"),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Target {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let parameters = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|error| Refusal::bad_request(format!("Invalid URL: {error}")))?;
        let database = parameters.iter().find(|(name, _)| *name == "database");
        let (_, text) = database.ok_or_else(|| Refusal::internal("a route without a database"))?;
        Self::parse(text)
    }
}

/// A database that exists; the request is refused with 404 if it does not.
pub struct Known(pub Entry);

impl FromRequestParts<Arc<Host>> for Known {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, host: &Arc<Host>) -> Result<Self, Refusal> {
        let target = Target::from_request_parts(parts, host).await?;
        target.entry(host).map(Self).ok_or_else(|| target.unknown())
    }
}
