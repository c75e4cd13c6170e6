//! `POST /v1/database/{database}/call/{function}`: a reducer, else a procedure of that name.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use spacetimedb_lib::ConnectionId;
use spacetimedb_sats::serde::SerdeWrapper;
use stdb::Identity;
use stdb::host::{
    FunctionArgs, ModuleHost, ProcedureCallError, ReducerCallError, ReducerCallResult,
    ReducerOutcome,
};

use super::client::as_client;
use super::target::Known;
use crate::auth::Caller;
use crate::error::Refusal;
use crate::host::Host;

pub async fn call(
    State(host): State<Arc<Host>>,
    Extension(caller): Extension<Caller>,
    Known(entry): Known,
    Path((_, function)): Path<(String, String)>,
    headers: HeaderMap,
    arguments: String,
) -> Result<Response, Refusal> {
    require_json(&headers)?;
    let module = host.module(&entry).await?;
    let identity = caller.identity();
    let arguments = FunctionArgs::Json(arguments.into());
    as_client(module, caller, move |module, connection| async move {
        let called = module
            .call_reducer(
                identity,
                Some(connection),
                None,
                None,
                None,
                &function,
                arguments.clone(),
            )
            .await;
        match called {
            Ok(result) => Ok(reducer_answer(result)),
            Err(ReducerCallError::NoSuchReducer | ReducerCallError::ScheduleReducerNotFound) => {
                call_procedure(&module, identity, connection, &function, arguments).await
            }
            Err(error) => Err(Refusal::new(
                reducer_status(&error),
                anyhow::Error::new(error),
            )),
        }
    })
    .await
}

fn require_json(headers: &HeaderMap) -> Result<(), Refusal> {
    match headers.get(header::CONTENT_TYPE) {
        None => Err(Refusal::bad_request(
            "Header of type `content-type` was missing",
        )),
        Some(kind) if kind == "application/json" => Ok(()),
        Some(_) => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "Expected request with `Content-Type: application/json`",
        )),
    }
}

fn reducer_answer(result: ReducerCallResult) -> Response {
    let (status, text) = match result.outcome {
        ReducerOutcome::Committed => (StatusCode::OK, String::new()),
        ReducerOutcome::Failed(error) => (reducer_failed(), error.to_string()),
        ReducerOutcome::BudgetExceeded => (
            StatusCode::PAYMENT_REQUIRED,
            "Module energy budget exhausted.".to_owned(),
        ),
    };
    let energy = (
        HeaderName::from_static("spacetime-energy-used"),
        result.execution_budget_used.get().to_string(),
    );
    (
        status,
        [energy, duration_header(result.execution_duration)],
        text,
    )
        .into_response()
}

/// The real server's own code for a reducer that returned an error or panicked.
fn reducer_failed() -> StatusCode {
    StatusCode::from_u16(530).expect("530 is a valid status")
}

fn reducer_status(error: &ReducerCallError) -> StatusCode {
    match error {
        ReducerCallError::Args(_) | ReducerCallError::LifecycleReducer(_) => {
            StatusCode::BAD_REQUEST
        }
        ReducerCallError::NoSuchModule(_)
        | ReducerCallError::NoSuchReducer
        | ReducerCallError::ScheduleReducerNotFound => StatusCode::NOT_FOUND,
        ReducerCallError::WorkerError(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

async fn call_procedure(
    module: &ModuleHost,
    caller: Identity,
    connection: ConnectionId,
    procedure: &str,
    arguments: FunctionArgs,
) -> Result<Response, Refusal> {
    let called = module
        .call_procedure(caller, Some(connection), None, procedure, arguments, false)
        .await;
    match called.result {
        Ok(result) => {
            let value = Json(SerdeWrapper(result.return_val));
            Ok(([duration_header(result.execution_duration)], value).into_response())
        }
        Err(error) => Err(Refusal::new(
            procedure_status(&error),
            anyhow::Error::new(error),
        )),
    }
}

fn procedure_status(error: &ProcedureCallError) -> StatusCode {
    match error {
        ProcedureCallError::Args(_) => StatusCode::BAD_REQUEST,
        ProcedureCallError::NoSuchModule(_) | ProcedureCallError::NoSuchProcedure => {
            StatusCode::NOT_FOUND
        }
        ProcedureCallError::OutOfEnergy => StatusCode::PAYMENT_REQUIRED,
        ProcedureCallError::InternalError(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

pub fn duration_header(duration: Duration) -> (HeaderName, String) {
    let name = HeaderName::from_static("spacetime-execution-duration-micros");
    (name, duration.as_micros().to_string())
}
