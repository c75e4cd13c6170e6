//! The names of a database.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use serde_json::{Value, json};
use spacetimedb_client_api_messages::name::{
    DatabaseName, DomainName, InsertDomainResult, SetDomainsResult,
};

use super::target::Known;
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;

pub async fn list(State(host): State<Arc<Host>>, Known(entry): Known) -> Json<Value> {
    let names = host.registry().names_of(entry.database.database_identity);
    Json(json!({ "names": names }))
}

pub async fn add(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    name: String,
) -> Result<Response, Refusal> {
    let name: DatabaseName = name.parse().map_err(Refusal::bad_request)?;
    let domain = DomainName::from(name.clone());
    let database_identity = entry.database.database_identity;
    if entry.database.owner_identity != caller.identity() {
        let denied = InsertDomainResult::PermissionDenied { domain };
        return Ok((StatusCode::UNAUTHORIZED, Json(denied)).into_response());
    }
    let mut registry = host.registry();
    if registry
        .named(name.as_ref())
        .is_some_and(|other| other != database_identity)
    {
        let taken = InsertDomainResult::OtherError(taken(&name));
        return Ok((StatusCode::BAD_REQUEST, Json(taken)).into_response());
    }
    registry.name(name.into(), database_identity);
    Ok(Json(InsertDomainResult::Success {
        domain,
        database_identity,
    })
    .into_response())
}

pub async fn replace(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    Json(names): Json<Vec<String>>,
) -> Result<Response, Refusal> {
    let invalid =
        |name: &str, error| Refusal::bad_request(format!("Error parsing `{name}`: {error}"));
    let names = names
        .iter()
        .map(|name| {
            name.parse::<DatabaseName>()
                .map_err(|error| invalid(name, error))
        })
        .collect::<Result<Vec<_>, _>>()?;
    let database = entry.database.database_identity;
    if entry.database.owner_identity != caller.identity() {
        let denied = SetDomainsResult::NotYourDatabase { database };
        return Ok((StatusCode::UNAUTHORIZED, Json(denied)).into_response());
    }
    let mut registry = host.registry();
    let of_another = |name: &&DatabaseName| {
        registry
            .named((*name).as_ref())
            .is_some_and(|other| other != database)
    };
    if let Some(name) = names.iter().find(of_another) {
        let taken = SetDomainsResult::OtherError(taken(name));
        return Ok((StatusCode::BAD_REQUEST, Json(taken)).into_response());
    }
    registry.rename(database, names.into_iter().map(String::from).collect());
    Ok(Json(SetDomainsResult::Success).into_response())
}

fn taken(name: &DatabaseName) -> String {
    format!("the name {name} is already in use")
}
