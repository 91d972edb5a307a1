//! The answers to a page's questions.

use super::frame;
use super::{Fault, Page};
use crate::compared::{Compared, Difference};
use crate::lookup::column;
use crate::palette::scale_text;
use crate::show::{NoAnswer, Show, When};
use crate::shown::{ended, packet_of, row_json, time_unit};
use crate::surveyed::{Packets, Rows};
use crate::worker::Answer;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use flitwork_debug::heat::far_ends;
use flitwork_debug::language::{Filter, Row};
use flitwork_debug::rows::packet_columns;
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId};
use serde::Deserialize;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::sync::Arc;

/// The most rows of packets in an answer.
const MOST_ROWS: usize = 1000;

/// What a question says, or why it says nothing.
type Asked<T> = Result<Query<T>, QueryRejection>;
type Answered = Result<Response, Fault>;

/// Declares what questions say: which of the runs, the first if it isn't named, and what of it; nothing else.
macro_rules! questions {
    ($($(#[$about:meta])+ $name:ident { $($(#[$of:meta])* $field:ident: $kind:ty,)* })+) => {$(
        $(#[$about])+
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            #[serde(default)]
            run: usize,
            $($(#[$of])* $field: $kind,)*
        }
    )+};
}

questions! {
    /// A run.
    OfRun {}

    /// A frame: what is counted from one time to another; layers are [`frame::HELD`] and so on, added.
    OfFrame { from: u64, to: u64, layers: u8, }

    /// A node, at a time or before a cycle of its own.
    OfNode { node: u32, time: Option<u64>, cycle: Option<u32>, }

    /// A packet.
    OfPacket { packet: String, }

    /// Packets, as `flitwork trace packets` takes them.
    OfPackets {
        #[serde(rename = "where")]
        filter: Option<String>,
        sort: Option<String>,
        limit: Option<usize>,
    }
}

fn json_of(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

fn asked<T>(asked: Asked<T>) -> Result<T, Fault> {
    let Query(asked) = asked.map_err(|rejection| Fault::Malformed(rejection.body_text()))?;
    Ok(asked)
}

impl Page {
    fn show(&self, run: usize) -> Result<&Arc<Show>, Fault> {
        let last = self.shows.len().saturating_sub(1);
        let found = self.shows.get(run);
        found.ok_or_else(|| Fault::Malformed(format!("run={run}; allowed: 0 to {last}")))
    }
}

async fn found(answer: Answer<Result<Value, NoAnswer>>) -> Answered {
    match answer.get().await {
        Some(Ok(value)) => Ok(json_of(&value)),
        Some(Err(NoAnswer::Nothing(message))) => Err(Fault::Unknown(message)),
        Some(Err(NoAnswer::Stopped(_))) | None => Err(Fault::Ending),
    }
}

/// What the runs are.
pub(super) async fn runs(State(page): State<Arc<Page>>) -> Response {
    json_of(&json!({
        "runs": page.shows.iter().map(|show| about(show)).collect::<Vec<_>>(),
        "heat": scale_text(),
    }))
}

/// What a run is.
pub(crate) fn about(show: &Show) -> Value {
    let run = show.run();
    let shape = &run.shape;
    let ports = (0..shape.ports() as u8).map(|port| shape.port_name(flitwork_types::Port(port)));
    let unit = time_unit(run.unit);
    json!({
        "name": run.name,
        "about": run.about,
        "configuration": run.configuration,
        "unit": unit,
        "cycle_time": run.cycle_time,
        "nodes": shape.nodes(),
        "sides": shape.grid().map(|grid| grid.sides()),
        "wraps": shape.grid().is_some_and(|grid| grid.wraps()),
        "ports": ports.collect::<Vec<_>>(),
        "holds": if run.words_travel_alone { "words" } else { "packets" },
        "is_record": run.is_record,
    })
}

/// Where links lead.
pub(super) async fn far(State(page): State<Arc<Page>>, of: Asked<OfRun>) -> Answered {
    let show = page.show(asked(of)?.run)?;
    Ok(([(CONTENT_TYPE, "application/octet-stream")], far_of(show)).into_response())
}

/// The number of the far node, by node and port, 4 bytes each, and 2^32 - 1 where there is no link.
pub(crate) fn far_of(show: &Show) -> Vec<u8> {
    let ends = far_ends(&show.run().shape);
    ends.flat_map(|end| end.map_or(u32::MAX, |node| node.0).to_le_bytes())
        .collect()
}

/// How far a run is known: its strip, its packets.
pub(super) async fn state(State(page): State<Arc<Page>>, of: Asked<OfRun>) -> Answered {
    let show = page.show(asked(of)?.run)?;
    Ok(json_of(&known(show)))
}

pub(crate) fn known(show: &Show) -> Value {
    let strip = show.strip().map(|strip| {
        let buckets = strip.buckets.iter();
        json!({
            "bucket_time": strip.bucket_time,
            "until": strip.until,
            "ended": strip.ended.map(ended),
            "held": buckets.clone().map(|it| it.held()).collect::<Vec<_>>(),
            "deroutes": buckets.clone().map(|it| it.deroutes).collect::<Vec<_>>(),
            "words": buckets.map(|it| it.words).collect::<Vec<_>>(),
        })
    });
    let packets = match show.packets() {
        Packets::Waiting => json!({"known": false}),
        Packets::Coming(cycle) => json!({"known": false, "cycle": cycle}),
        Packets::Known(rows) => json!({"known": true, "rows": rows.all.len()}),
        Packets::Failed(error) => json!({"known": false, "failed": error}),
    };
    json!({"strip": strip, "packets": packets, "differs": show.run().repeats.differs()})
}

/// A frame, as bytes.
pub(super) async fn frame(State(page): State<Arc<Page>>, of: Asked<OfFrame>) -> Answered {
    let of = asked(of)?;
    if of.from > of.to {
        let (from, to) = (of.from, of.to);
        return Err(Fault::Malformed(format!(
            "from={from} and to={to}; allowed: to isn't before from"
        )));
    }
    let answer = page.show(of.run)?.frame(of.from, of.to)?;
    let found = answer.get().await.flatten().ok_or(Fault::Ending)?;
    let bytes = frame::encode(&found, of.layers);
    Ok(([(CONTENT_TYPE, "application/octet-stream")], bytes).into_response())
}

/// What a node holds and decides.
pub(super) async fn node(State(page): State<Arc<Page>>, of: Asked<OfNode>) -> Answered {
    let of = asked(of)?;
    let when = match (of.time, of.cycle) {
        (Some(time), None) => When::Time(time),
        (None, Some(cycle)) => When::Cycle(Cycle(cycle)),
        _ => return Err(Fault::Malformed("allowed: one of time and cycle".into())),
    };
    found(page.show(of.run)?.node(NodeId(of.node), when)?).await
}

/// A packet's way and the causes of its latency.
pub(super) async fn packet(State(page): State<Arc<Page>>, of: Asked<OfPacket>) -> Answered {
    let of = asked(of)?;
    let packet = packet_of(&of.packet).ok_or_else(|| {
        Fault::Malformed(format!(
            "packet={:?}; allowed: SOURCE.SERIAL, e.g. 33.4450",
            of.packet
        ))
    })?;
    found(page.show(of.run)?.packet(packet)?).await
}

fn rows(show: &Show) -> Result<Arc<Rows>, Fault> {
    match show.packets() {
        Packets::Known(rows) => Ok(rows),
        Packets::Failed(error) => Err(Fault::Host(error)),
        Packets::Waiting | Packets::Coming(_) => Err(Fault::NotYet(
            "the packets aren't known yet: the run is still being made".into(),
        )),
    }
}

/// Rows of packets.
pub(super) async fn packets(State(page): State<Arc<Page>>, of: Asked<OfPackets>) -> Answered {
    let of = asked(of)?;
    let show = page.show(of.run)?.clone();
    let rows = rows(&show)?;
    let listed = tokio::task::spawn_blocking(move || list(&show, &rows, &of)).await;
    listed.map_err(|error| Fault::Host(error.to_string()))?
}

fn list(show: &Show, rows: &Rows, of: &OfPackets) -> Answered {
    let nodes = show.nodes();
    let columns = packet_columns(nodes);
    let filter = match of.filter.as_ref().filter(|text| !text.trim().is_empty()) {
        None => Filter::all(),
        Some(text) => Filter::parse(text, &columns)
            .map_err(|error| Fault::Malformed(format!("where\n{error}")))?,
    };
    let sort = of.sort.as_ref().map(|name| column(&columns, name));
    let sort = sort.transpose();
    let sort = sort.map_err(|error| Fault::Malformed(format!("sort: {error}")))?;
    let mut found: Vec<_> = rows
        .all
        .iter()
        .filter(|row| filter.holds(&(*row, nodes)))
        .collect();
    if let Some(column) = sort {
        found.sort_by_key(|row| Reverse((*row, nodes).value(column)));
    }
    let all = found.len();
    found.truncate(of.limit.unwrap_or(100).min(MOST_ROWS));
    let shown = found.iter().map(|row| row_json(&(*row, nodes), &columns));
    Ok(json_of(
        &json!({"packets": shown.collect::<Vec<_>>(), "all": all}),
    ))
}

/// How long packets took, and the slowest of them.
pub(super) async fn latencies(State(page): State<Arc<Page>>, of: Asked<OfRun>) -> Answered {
    let show = page.show(asked(of)?.run)?;
    Ok(json_of(&latencies_of(show, &*rows(show)?, 100)))
}

pub(crate) fn latencies_of(show: &Show, rows: &Rows, slowest: usize) -> Value {
    let nodes = show.nodes();
    let columns = packet_columns(nodes);
    let slowest = rows.slowest.iter().take(slowest);
    let slowest = slowest.map(|place| row_json(&(&rows.all[*place], nodes), &columns));
    let mut found = json!(rows.latencies);
    found["packets"] = rows.all.len().into();
    found["slowest"] = slowest.collect();
    found
}

/// Where two runs part.
pub(super) async fn difference(State(page): State<Arc<Page>>) -> Response {
    json_of(&difference_of(page.compared.as_ref()))
}

pub(crate) fn difference_of(compared: Option<&Compared>) -> Value {
    match compared.map(Compared::difference) {
        None => json!({"state": "one run"}),
        Some(Difference::Searching) => json!({"state": "searching"}),
        Some(Difference::Same) => json!({"state": "same"}),
        Some(Difference::Found(found)) => {
            json!({"state": "found", "difference": found["difference"]})
        }
    }
}
