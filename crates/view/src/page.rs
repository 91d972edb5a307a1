//! A page on loopback.
//!
//! ```text
//!   browser ──▶ guard: host, origin, size ──▶ the page's files, embedded in the program
//!                                        └──▶ /api/…: run, far, state, frame, node, packet, packets, latencies, difference
//! ```
//!
//! Binds 127.0.0.1 only, answers only pages that it has served itself, and knows no file but those that are embedded.

mod api;
mod assets;
pub mod frame;
mod guard;

use crate::compared::Compared;
use crate::show::Show;
use crate::worker::NotAsked;
use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

pub(crate) use api::{about, difference_of, far_of, known, latencies_of};
pub(crate) use assets::{PAGE, SCRIPTS, STYLE};

/// How often it is asked whether the server is to end.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// What a page shows: a run, or two beside each other.
pub struct Page {
    pub(crate) shows: Vec<Arc<Show>>,
    pub(crate) compared: Option<Compared>,
}

/// Why a question isn't answered.
#[derive(Debug)]
enum Fault {
    /// It makes no sense.
    Malformed(String),
    /// There is no such thing in the run.
    Unknown(String),
    /// It can't be known yet, or too much is asked at once.
    NotYet(String),
    /// The host has failed.
    Host(String),
    /// The program ends.
    Ending,
}

impl From<NotAsked> for Fault {
    fn from(not_asked: NotAsked) -> Fault {
        match not_asked {
            NotAsked::Busy => Fault::NotYet(not_asked.to_string()),
            NotAsked::Ending => Fault::Ending,
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Fault::Malformed(message) => (StatusCode::BAD_REQUEST, message),
            Fault::Unknown(message) => (StatusCode::NOT_FOUND, message),
            Fault::NotYet(message) => (StatusCode::SERVICE_UNAVAILABLE, message),
            Fault::Host(message) => (StatusCode::INTERNAL_SERVER_ERROR, message),
            Fault::Ending => (StatusCode::SERVICE_UNAVAILABLE, "the program ends".into()),
        };
        (status, format!("{message}\n")).into_response()
    }
}

/// A bound address.
pub struct Door {
    listener: TcpListener,
    address: SocketAddr,
}

/// Why a port can't be had.
#[derive(Debug, thiserror::Error)]
#[error("{address}: {error}")]
pub struct NoDoor {
    /// The address.
    pub address: SocketAddr,
    /// What the host says.
    pub error: io::Error,
}

impl Door {
    /// Binds a port of loopback; 0: one that is free.
    ///
    /// # Errors
    /// If it is in use, or isn't allowed.
    pub fn open(port: u16) -> Result<Door, NoDoor> {
        let asked = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bound = TcpListener::bind(asked).and_then(|listener| {
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok(Door { listener, address })
        });
        bound.map_err(|error| NoDoor {
            address: asked,
            error,
        })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }
}

impl Page {
    /// A page of a run, or of two of networks of one size, which are compared.
    pub fn new(shows: Vec<Arc<Show>>, compared: Option<Compared>) -> Page {
        Page { shows, compared }
    }

    /// All that is served.
    fn router(self, port: u16) -> Router {
        let page = Arc::new(self);
        let mut router = Router::new()
            .route("/api/run", get(api::runs))
            .route("/api/far", get(api::far))
            .route("/api/state", get(api::state))
            .route("/api/frame", get(api::frame))
            .route("/api/node", get(api::node))
            .route("/api/packet", get(api::packet))
            .route("/api/packets", get(api::packets))
            .route("/api/latencies", get(api::latencies))
            .route("/api/difference", get(api::difference));
        for (path, kind, text) in assets::served() {
            let serve = move || async move { ([(CONTENT_TYPE, kind)], text) };
            router = router.route(&path, get(serve));
        }
        let unknown = || async { Fault::Unknown("there is nothing here".into()) };
        router
            .fallback(unknown)
            .layer(from_fn_with_state(guard::Port(port), guard::guard))
            .with_state(page)
    }

    /// Serves until it is to end.
    ///
    /// # Errors
    /// If the host fails.
    pub fn serve(self, door: Door, mut is_over: impl FnMut() -> bool) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .enable_time()
            .build()?;
        let router = self.router(door.address.port());
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(door.listener)?;
            let server = tokio::spawn(async move { axum::serve(listener, router).await });
            while !is_over() {
                if server.is_finished() {
                    return server.await.map_err(io::Error::other)?;
                }
                tokio::time::sleep(ASK_EVERY).await;
            }
            server.abort();
            Ok(())
        });
        // Whoever still waits for an answer doesn't get it.
        runtime.shutdown_background();
        served
    }
}
