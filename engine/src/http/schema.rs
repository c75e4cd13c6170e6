//! `GET /v1/database/{database}/schema?version=9|10`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use spacetimedb_lib::db::raw_def::v9::RawModuleDefV9;
use spacetimedb_lib::db::raw_def::v10::RawModuleDefV10;
use spacetimedb_sats::serde::SerdeWrapper;

use super::target::Known;
use crate::error::Refusal;
use crate::host::Host;

#[derive(Deserialize)]
pub struct Wanted {
    version: Version,
}

#[derive(Deserialize)]
enum Version {
    #[serde(rename = "9")]
    V9,
    #[serde(rename = "10")]
    V10,
}

pub async fn schema(
    State(host): State<Arc<Host>>,
    Known(entry): Known,
    Query(Wanted { version }): Query<Wanted>,
) -> Result<Response, Refusal> {
    let module = host.module(&entry).await?;
    let definition = (*module.info.module_def).clone();
    Ok(match version {
        Version::V9 => Json(SerdeWrapper(RawModuleDefV9::from(definition))).into_response(),
        Version::V10 => Json(SerdeWrapper(RawModuleDefV10::from(definition))).into_response(),
    })
}
