//! Who may ask: only a page that this server has served itself, and only in requests of a moderate size.
//!
//! A browser sends requests of any web page to any address. What a foreign page sends carries its origin, and a name that
//! was made to lead here (DNS rebinding) stands in `Host`: both are refused.

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, HOST, HeaderMap, HeaderName, ORIGIN,
    REFERRER_POLICY, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The longest address that is read, in bytes.
const MOST_ADDRESS_BYTES: usize = 4096;

/// What the page may load: what this server serves, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The port of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Port(pub(super) u16);

impl Port {
    /// How it is named in `Host`.
    fn hosts(self) -> [String; 2] {
        let Port(port) = self;
        [format!("127.0.0.1:{port}"), format!("localhost:{port}")]
    }
}

/// Refuses what isn't allowed, and says to browsers what the answer may do.
pub(super) async fn guard(State(port): State<Port>, request: Request, next: Next) -> Response {
    let mut response = match refused(port, &request) {
        Some((status, message)) => (status, format!("{message}\n")).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (RESOURCE_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    // Two are as bad as one that isn't text.
    match (first.to_str(), all.next()) {
        (Ok(text), None) => Some(text.to_owned()),
        _ => Some(String::new()),
    }
}

fn refused(port: Port, request: &Request) -> Option<(StatusCode, String)> {
    let headers = request.headers();
    let hosts = port.hosts();
    let host = text(headers, HOST).unwrap_or_default();
    if !hosts.contains(&host) {
        let allowed = hosts.join(" or ");
        return Some((
            StatusCode::FORBIDDEN,
            format!("the host {host:?} isn't this server; allowed: {allowed}"),
        ));
    }
    let own = hosts.map(|host| format!("http://{host}"));
    if let Some(origin) = text(headers, ORIGIN).filter(|origin| !own.contains(origin)) {
        return Some((
            StatusCode::FORBIDDEN,
            format!("{origin:?} is a foreign origin; allowed: the page of this server"),
        ));
    }
    let is_foreign = text(headers, FETCH_SITE).is_some_and(|site| site == "cross-site");
    // A link on a foreign page may lead to the page, and to nothing else.
    if is_foreign && request.uri().path() != "/" {
        return Some((
            StatusCode::FORBIDDEN,
            "asked by a foreign page; allowed: the page of this server".into(),
        ));
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Some((
            StatusCode::METHOD_NOT_ALLOWED,
            format!("{} isn't answered; allowed: GET", request.method()),
        ));
    }
    if request.uri().to_string().len() > MOST_ADDRESS_BYTES {
        return Some((
            StatusCode::URI_TOO_LONG,
            format!("the address is too long; allowed: {MOST_ADDRESS_BYTES} bytes"),
        ));
    }
    let has_body = text(headers, CONTENT_LENGTH).is_some_and(|length| length != "0")
        || headers.contains_key(TRANSFER_ENCODING);
    if has_body {
        return Some((
            StatusCode::PAYLOAD_TOO_LARGE,
            "a request has no body".into(),
        ));
    }
    None
}
