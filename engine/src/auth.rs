//! Who is calling: ES256 tokens signed with a key that lives as long as the process.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{FromRequestParts, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header, request::Parts};
use axum::middleware::Next;
use axum::response::Response;
use serde::Deserialize;
use stdb::Identity;
use stdb::auth::JwtKeys;
use stdb::auth::identity::{ConnectionAuthCtx, SpacetimeIdentityClaims};
use stdb::auth::token_validation::{TokenSigner, TokenValidator};
use uuid::Uuid;

use crate::error::Refusal;
use crate::host::Host;

const ISSUER: &str = "localhost";

/// An identity and the token that proves it.
#[derive(Clone)]
pub struct Caller {
    claims: SpacetimeIdentityClaims,
    pub token: Box<str>,
}

impl Caller {
    pub fn identity(&self) -> Identity {
        self.claims.identity
    }

    pub fn context(&self) -> Result<ConnectionAuthCtx, Refusal> {
        Ok(ConnectionAuthCtx::try_from(self.claims.clone())?)
    }
}

/// What the token of a new identity holds.
pub fn fresh_claims() -> SpacetimeIdentityClaims {
    let subject = Uuid::new_v4().to_string();
    SpacetimeIdentityClaims {
        identity: Identity::from_claims(ISSUER, &subject),
        subject: subject.into(),
        issuer: ISSUER.into(),
        audience: ["spacetimedb".into()].into(),
        iat: SystemTime::now(),
        exp: None,
        extra: None,
    }
}

pub struct Tokens {
    keys: JwtKeys,
}

impl Tokens {
    pub fn new(keys: JwtKeys) -> Self {
        Self { keys }
    }

    pub fn public_pem(&self) -> Box<[u8]> {
        self.keys.public_pem.clone()
    }

    /// A new identity.
    pub fn mint(&self) -> Result<Caller, Refusal> {
        self.sign(fresh_claims())
    }

    /// The same identity with a token that soon expires.
    pub fn short_lived(&self, caller: &Caller, life: Duration) -> Result<Caller, Refusal> {
        let iat = SystemTime::now();
        self.sign(SpacetimeIdentityClaims {
            iat,
            exp: Some(iat + life),
            ..caller.claims.clone()
        })
    }

    fn sign(&self, claims: SpacetimeIdentityClaims) -> Result<Caller, Refusal> {
        let token = self.keys.sign(&claims).map_err(Refusal::internal)?.into();
        Ok(Caller { claims, token })
    }

    async fn check(&self, token: &str) -> Result<Caller, Refusal> {
        match self.keys.public.validate_token(token).await {
            Ok(claims) => Ok(Caller {
                claims,
                token: token.into(),
            }),
            Err(error) => Err(Refusal::new(StatusCode::UNAUTHORIZED, error)),
        }
    }

    /// The caller that a request names, if it names one.
    pub async fn present(&self, headers: &HeaderMap, uri: &Uri) -> Result<Option<Caller>, Refusal> {
        match presented_token(headers, uri)? {
            Some(token) => self.check(&token).await.map(Some),
            None => Ok(None),
        }
    }
}

/// The bearer token of the header, else of `?token=`.
fn presented_token(headers: &HeaderMap, uri: &Uri) -> Result<Option<String>, Refusal> {
    #[derive(Deserialize)]
    struct Credentials {
        token: String,
    }
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        return match value.to_str().ok().and_then(|value| value.split_once(' ')) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
                Ok(Some(token.trim().to_owned()))
            }
            _ => Err(Refusal::bad_request(
                "Authorization is invalid: malformed token",
            )),
        };
    }
    let query = Query::<Credentials>::try_from_uri(uri).ok();
    Ok(query.map(|Query(credentials)| credentials.token))
}

/// Gives every request an identity, a new one if it came with none, and names it in the answer.
pub async fn identify(
    State(host): State<Arc<Host>>,
    mut request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let caller = match host
        .tokens
        .present(request.headers(), request.uri())
        .await?
    {
        Some(caller) => caller,
        None => host.tokens.mint()?,
    };
    let identity = ascii(&caller.identity().to_hex())?;
    let token = ascii(&caller.token)?;
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    response
        .headers_mut()
        .insert("spacetime-identity", identity);
    response
        .headers_mut()
        .insert("spacetime-identity-token", token);
    Ok(response)
}

fn ascii(text: &str) -> Result<HeaderValue, Refusal> {
    HeaderValue::from_str(text).map_err(Refusal::internal)
}

/// A caller who came with a token; without one the request is refused.
pub struct SignedIn(pub Caller);

impl FromRequestParts<Arc<Host>> for SignedIn {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, host: &Arc<Host>) -> Result<Self, Refusal> {
        let caller = host.tokens.present(&parts.headers, &parts.uri).await?;
        let required = || Refusal::new(StatusCode::UNAUTHORIZED, "Authorization required");
        caller.map(Self).ok_or_else(required)
    }
}
