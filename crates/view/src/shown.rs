//! What a run holds and does, in words and as JSON: what `flitwork trace` prints, and what a page shows.

use flitwork_debug::language::{Columns, Row};
use flitwork_debug::rows::{Cell, EventRow, Nodes, cells, event_columns};
use flitwork_debug::{Ended, Explained, FirstDifference, Happening, Inside, Next, TimeUnit, Why};
use flitwork_node::{BufferState, Capacity, Decision, Doing, Place, Subject, Value, View, What};
use flitwork_types::{Cycle, NodeId, PacketId, TerminalId};
use serde_json::{Map, Value as Json, json};

/// A packet by its name, `33.4450`.
pub fn named(packet: PacketId) -> String {
    format!("{}.{}", packet.source, packet.serial)
}

/// A packet of that name; `None` for what isn't one.
pub fn packet_of(name: &str) -> Option<PacketId> {
    let (source, serial) = name.split_once('.')?;
    Some(PacketId {
        source: TerminalId(source.parse().ok()?),
        serial: serial.parse().ok()?,
    })
}

/// What charges count.
pub fn charge_unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Picoseconds => "ps",
        TimeUnit::Cycles | TimeUnit::Steps => "cycles",
    }
}

/// What times count.
pub fn time_unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Cycles => "cycles",
        TimeUnit::Picoseconds => "ps",
        TimeUnit::Steps => "causal steps",
    }
}

/// How a run ended, in a sentence.
pub fn ended(ended: Ended) -> &'static str {
    match ended {
        Ended::Empty => "all packets are delivered",
        Ended::Deadline => "its time is over, with packets in the network or still to come",
        Ended::Stuck => {
            "the network is stuck: packets are in it, and none of them can ever move again"
        }
        Ended::Interrupted => "it was interrupted",
    }
}

/// How much a buffer takes.
pub fn capacity(capacity: Capacity) -> String {
    match capacity {
        Capacity::Words(words) => format!("{words} words"),
        Capacity::Packets(1) => "1 packet".to_owned(),
        Capacity::Packets(packets) => format!("{packets} packets"),
        Capacity::Unbounded => "any number".to_owned(),
    }
}

/// What is in a register.
pub fn value(nodes: &Nodes, value: Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Cycles(cycles) => format!("{cycles} cycles"),
        Value::Port(port) => nodes.port(port).to_owned(),
        Value::Ports(ports) => {
            let names: Vec<&str> = ports.iter().map(|port| nodes.port(port)).collect();
            match names.is_empty() {
                true => "none".to_owned(),
                false => names.join(", "),
            }
        }
        Value::Place(place) => nodes.place(place),
        Value::Packet(packet) => named(packet),
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
    }
}

/// What a decision gives away.
pub fn subject(nodes: &Nodes, subject: Subject) -> String {
    match subject {
        Subject::Place(place) => nodes.place(place),
        Subject::Switch(port) => format!("the switch to {}", nodes.port(port)),
        Subject::Ejection => "ejection".to_owned(),
        Subject::Injection => "injection".to_owned(),
    }
}

/// What is inside a node, its next step, and which of its cycles that is.
pub fn inside_json(nodes: &Nodes, found: &Inside, cycle: Cycle) -> Json {
    let mut json = node_json(nodes, &found.view, found.next.step());
    json["idle_until"] = match found.next {
        Next::NotBefore(time) => time.into(),
        Next::Step(_) | Next::Never => Json::Null,
    };
    json["node"] = found.node.0.into();
    json["cycle"] = cycle.get().into();
    json["time"] = found.time.into();
    json
}

/// What a node holds, and what its next step decides.
fn node_json(nodes: &Nodes, view: &View, next: Option<&Explained>) -> Json {
    let buffers = view.buffers.iter().map(|buffer| {
        let held = buffer.held.iter().map(
            |part| json!({"packet": named(part.packet), "first": part.first, "words": part.words}),
        );
        let state = match buffer.state {
            BufferState::Usual => None,
            BufferState::Reopening => Some("reopens"),
            BufferState::Missing => Some("no link"),
        };
        let side = match buffer.place {
            Place::Input(_) | Place::InputChannel(..) => "in",
            Place::Queue | Place::SideBuffer | Place::Assembly => "inside",
            Place::Output(_) | Place::OutputChannel(..) => "out",
        };
        json!({
            "place": nodes.place(buffer.place),
            "side": side,
            "capacity": capacity(buffer.capacity),
            "held": held.collect::<Vec<_>>(),
            "state": state,
        })
    });
    let credits = view.credits.iter().map(|credit| {
        json!({"port": nodes.port(credit.port), "channel": credit.channel, "room": credit.room})
    });
    let registers = view.registers.iter().map(|register| {
        json!({
            "name": register.name,
            "at": register.at.map(|place| nodes.place(place)),
            "value": value(nodes, register.value),
        })
    });
    json!({
        "buffers": buffers.collect::<Vec<_>>(),
        "credits": credits.collect::<Vec<_>>(),
        "registers": registers.collect::<Vec<_>>(),
        "step": next.map(|next| step_json(nodes, next)),
    })
}

fn step_json(nodes: &Nodes, next: &Explained) -> Json {
    let decisions = next.explanation.decisions.iter();
    let packets = next.explanation.packets.iter();
    json!({
        "cycle": next.cycle.get(),
        "time": next.time,
        "decisions": decisions.map(|it| decision_json(nodes, it)).collect::<Vec<_>>(),
        "packets": packets.map(|it| doing_json(nodes, it)).collect::<Vec<_>>(),
    })
}

fn decision_json(nodes: &Nodes, decision: &Decision) -> Json {
    let candidates = decision.candidates.iter().map(|it| {
        json!({
            "packet": named(it.packet),
            "from": nodes.place(it.from),
            "rank": it.rank,
            "deroute": it.deroute,
        })
    });
    json!({
        "of": subject(nodes, decision.subject),
        "rule": decision.rule.name,
        "says": decision.rule.summary,
        "source": decision.rule.source,
        "candidates": candidates.collect::<Vec<_>>(),
        "drawn": decision.draw.map(|draw| json!([draw.drawn, draw.below])),
        "winner": decision.winner,
    })
}

fn doing_json(nodes: &Nodes, doing: &Doing) -> Json {
    let mut found = json!({"packet": named(doing.packet), "place": nodes.place(doing.place)});
    match doing.what {
        What::Moves { to, deroute } => {
            found["moves_to"] = nodes.place(to).into();
            found["deroute"] = deroute.into();
        }
        What::Sends { to } => found["sends_to"] = nodes.place(to).into(),
        What::Stays { cause, culprit } => {
            found["stays"] = cause.name().into();
            found["culprit"] = culprit.map(named).into();
        }
    }
    found
}

/// Where a packet's latency comes from; with `node` only what concerns that node.
pub fn why_json(found: &Why, node: Option<NodeId>, unit: TimeUnit) -> Json {
    let charges = found.charges.iter();
    let charges = charges.filter(|it| node.is_none_or(|node| it.node == node));
    let charges = charges.map(|it| {
        json!({
            "time": it.time,
            "node": it.node.0,
            "amount": it.amount,
            "cause": it.cause.name(),
            "culprit": it.culprit.map(named),
        })
    });
    let packet = &found.journey.packet;
    json!({
        "packet": named(packet.id),
        "destination": packet.destination.0,
        "created_cycle": packet.created.get(),
        "delivered_cycle": found.journey.delivered.map(|it| it.nominal.get()),
        "unit": charge_unit(unit),
        "total": found.total(),
        "charges": charges.collect::<Vec<_>>(),
    })
}

/// The nodes to which a packet came, when, and through which ports it left.
pub fn way_json(nodes: &Nodes, found: &Why) -> Json {
    let stays = found.journey.stays.iter().map(|stay| {
        json!({
            "node": stay.node.0,
            "arrived": stay.arrived.time,
            "left": stay.left.map(|(left, _)| left.time),
            "port": stay.left.map(|(_, port)| nodes.port(port).to_owned()),
            "to": stay.left.and_then(|(_, port)| nodes.far(stay.node, port)).map(|(far, _)| far.0),
            "deroute": stay.deroute,
        })
    });
    stays.collect()
}

/// What a row has in a column.
pub fn cell_json(cell: &Cell) -> Json {
    match cell {
        Cell::Missing => Json::Null,
        Cell::Number(number) => (*number).into(),
        Cell::Flag(flag) => (*flag).into(),
        Cell::Name(name) => name.clone().into(),
        Cell::Packet(_) => cell.to_string().into(),
    }
}

/// What a row has in each column, by the column's name.
pub fn cells_json(cells: &[Cell], columns: &Columns) -> Json {
    let pairs = columns.0.iter().zip(cells);
    let pairs = pairs.map(|(column, cell)| (column.name.clone(), cell_json(cell)));
    Json::Object(pairs.collect::<Map<String, Json>>())
}

/// A row, by its columns' names.
pub fn row_json(row: &impl Row, columns: &Columns) -> Json {
    cells_json(&cells(row, columns), columns)
}

/// An event.
pub fn event_json(nodes: &Nodes, happening: &Happening, unit: TimeUnit) -> Json {
    row_json(&EventRow { happening, nodes }, &event_columns(nodes, unit))
}

/// Where two runs part, with what the node holds and decides in either.
pub fn difference_json(
    nodes: [&Nodes; 2],
    units: [TimeUnit; 2],
    found: &FirstDifference,
    explained: [Option<&Explained>; 2],
) -> Json {
    let side = |side: usize| {
        let event = found.events[side].map(|it| event_json(nodes[side], &it, units[side]));
        let node = explained[side].map(|it| node_json(nodes[side], &it.view, Some(it)));
        json!({"event": event, "node": node})
    };
    let spread = found.spread.iter();
    let spread = spread.map(|(cycles, nodes)| json!({"cycles": cycles, "nodes": nodes}));
    json!({
        "difference": {
            "node": found.node.0,
            "cycle": found.cycle.get(),
            "sources_differ": found.is_of_sources(),
            "a": side(0),
            "b": side(1),
            "spread": spread.collect::<Vec<_>>(),
        }
    })
}
