//! Perfetto: packets' stays as slices, for ui.perfetto.dev.
//!
//! A node is a track; where several packets stay in it at once, it has several tracks of its name, which are shown as
//! one. A packet's slices have one flow, which is drawn as arrows along its way. Of time, one unit of the run's is a ns.

mod lanes;
mod messages;

use super::ExportFormat;
use crate::error::ExportError;
use crate::job::{Done, Job};
use crate::stays::{StayRow, each_journey, stay_columns};
use flitwork_debug::Journey;
use flitwork_debug::rows::{Nodes, unit_name};
use flitwork_files::NewFile;
use flitwork_types::NodeId;
use lanes::Lanes;
use messages::{
    DebugAnnotation, Kind, ProcessDescriptor, TracePacket, TrackDescriptor, TrackEvent,
};
use prost::Message;
use std::collections::HashMap;
use std::io::{self, Write};

/// Perfetto's protobuf.
pub(super) static FORMAT: ExportFormat = ExportFormat {
    name: "perfetto",
    help: "Perfetto's protobuf: packets' stays in nodes and their paths, for ui.perfetto.dev",
    rows: "stays",
    counted: "stays",
    columns: stay_columns,
    needs_words: true,
    goes_back: false,
    write,
};

/// The track of the run.
const RUN: u64 = 1;
/// All packets of the file are of one sequence.
const SEQUENCE: u32 = 1;

fn write(job: &mut Job<'_>, mut file: NewFile) -> Result<Done, ExportError> {
    let path = file.path().to_owned();
    let failed = ExportError::writing(&path);
    let nodes = job.nodes;
    let mut trace = Trace {
        file: &mut file,
        nodes,
        bytes: Vec::new(),
        lanes: HashMap::new(),
        tracks: HashMap::new(),
    };
    trace.describe(of_run(job, None)).map_err(&failed)?;
    let done = each_journey(job, &mut |journey, stays, until| {
        trace.journey(journey, stays, until).map_err(&failed)
    })?;
    // Says once more what the run is, and how much of it the file holds: the last word on a track counts.
    trace.describe(of_run(job, Some(&done))).map_err(&failed)?;
    file.finish()?;
    Ok(done)
}

struct Trace<'a> {
    file: &'a mut NewFile,
    nodes: &'a Nodes,
    bytes: Vec<u8>,
    lanes: HashMap<NodeId, Lanes>,
    /// The tracks that have been declared, by node and lane.
    tracks: HashMap<(NodeId, usize), u64>,
}

impl Trace<'_> {
    /// Field 1 of the trace: a packet.
    fn put(&mut self, packet: &TracePacket) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.push(1 << 3 | 2);
        // A vector has room for everything.
        packet
            .encode_length_delimited(&mut self.bytes)
            .map_err(io::Error::other)?;
        self.file.write_all(&self.bytes)
    }

    fn describe(&mut self, track: TrackDescriptor) -> io::Result<()> {
        self.put(&TracePacket {
            trusted_packet_sequence_id: SEQUENCE,
            track_descriptor: Some(track),
            ..TracePacket::default()
        })
    }

    fn track(&mut self, node: NodeId, lane: usize) -> io::Result<u64> {
        if let Some(track) = self.tracks.get(&(node, lane)) {
            return Ok(*track);
        }
        let track = RUN + 1 + self.tracks.len() as u64;
        self.tracks.insert((node, lane), track);
        self.describe(TrackDescriptor {
            uuid: track,
            name: format!("node {}", self.nodes.name(node)),
            parent_uuid: Some(RUN),
            sibling_order_rank: i32::try_from(node.0).ok(),
            ..TrackDescriptor::default()
        })?;
        Ok(track)
    }

    /// Those of a packet's stays.
    fn journey(&mut self, journey: &Journey, stays: &[usize], until: u64) -> io::Result<()> {
        let id = journey.packet.id;
        let name = format!("{}.{}", id.source, id.serial);
        // No flow is 0.
        let flow = id.as_u64() + 1;
        for number in stays {
            let stay = &journey.stays[*number];
            let row = StayRow {
                journey,
                number: *number,
                nodes: self.nodes,
            };
            let (from, to) = row.times(until);
            let lane = self.lanes.entry(stay.node).or_default().take(from, to);
            let track_uuid = self.track(stay.node, lane)?;
            let is_last = journey.delivered.is_some() && Some(number) == stays.last();
            let (through, ending) = match is_last {
                true => (Vec::new(), vec![flow]),
                false => (vec![flow], Vec::new()),
            };
            self.event(
                from,
                TrackEvent {
                    r#type: Kind::SliceBegin.into(),
                    track_uuid,
                    name: Some(name.clone()),
                    debug_annotations: self.notes(journey, *number),
                    flow_ids: through,
                    terminating_flow_ids: ending,
                },
            )?;
            self.event(
                to,
                TrackEvent {
                    r#type: Kind::SliceEnd.into(),
                    track_uuid,
                    ..TrackEvent::default()
                },
            )?;
        }
        Ok(())
    }

    fn event(&mut self, timestamp: u64, event: TrackEvent) -> io::Result<()> {
        self.put(&TracePacket {
            timestamp: Some(timestamp),
            trusted_packet_sequence_id: SEQUENCE,
            track_event: Some(event),
            ..TracePacket::default()
        })
    }

    /// What is shown of a slice that is clicked on.
    fn notes(&self, journey: &Journey, number: usize) -> Vec<DebugAnnotation> {
        let (packet, stay) = (&journey.packet, &journey.stays[number]);
        let number = |name: &str, value: u64| DebugAnnotation {
            name: name.to_owned(),
            uint_value: Some(value),
            ..DebugAnnotation::default()
        };
        let mut notes = vec![
            number("destination", packet.destination.0.into()),
            number("words", packet.words.into()),
        ];
        let latency = journey.delivered.and_then(|it| it.latency());
        notes.extend(latency.map(|latency| number("latency", latency)));
        notes.extend(stay.left.map(|(_, port)| DebugAnnotation {
            name: "to_port".to_owned(),
            string_value: Some(self.nodes.port(port).to_owned()),
            ..DebugAnnotation::default()
        }));
        if stay.deroute {
            notes.push(DebugAnnotation {
                name: "deroute".to_owned(),
                bool_value: Some(true),
                ..DebugAnnotation::default()
            });
        }
        notes
    }
}

/// The track of the run, with where it comes from.
fn of_run(job: &Job<'_>, done: Option<&Done>) -> TrackDescriptor {
    let unit = unit_name(job.timeline.unit());
    let mut lines = job.about.lines();
    lines.extend(done.map(|done| format!("flitwork.status = {}", done.status())));
    TrackDescriptor {
        uuid: RUN,
        name: job.about.name.to_owned(),
        process: Some(ProcessDescriptor {
            pid: 1,
            process_name: format!("{} ({unit} as ns)", job.about.name),
            process_labels: Vec::from_iter(done.filter(|it| !it.is_whole).map(Done::status)),
        }),
        child_ordering: Some(3),
        description: Some(lines.join("\n")),
        ..TrackDescriptor::default()
    }
}
