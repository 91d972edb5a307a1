//! What `flitwork topology` says of the load of links.

use crate::asking::Asking;
use crate::progress::over_destinations;
use flitwork_config::Resolved;
use flitwork_experiment::load::{Basis, NotKnown, PatternLoad, Unloaded, pattern_load};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, Port};
use serde_json::{Value, json};

/// The most heads of packets that are followed: some tens of seconds.
const MOST_FOLLOWED: u64 = 1 << 28;

/// The load of links, or why it isn't known.
pub(super) struct Loaded(Result<PatternLoad, NotKnown>);

/// That the user didn't wait.
pub(super) struct Interrupted;

impl Loaded {
    /// That of a configuration, under its pattern and its router's routing function.
    pub(super) fn of(resolved: &Resolved, asking: &Asking<'_>) -> Result<Loaded, Interrupted> {
        let load = over_destinations(asking.interruption, |watch| {
            pattern_load(resolved, MOST_FOLLOWED, watch)
        });
        match load {
            Err(NotKnown::Unloaded(Unloaded::Stopped)) => Err(Interrupted),
            load => Ok(Loaded(load)),
        }
    }

    pub(super) fn known(&self) -> Option<&PatternLoad> {
        self.0.as_ref().ok()
    }

    /// Adds it to what is printed as JSON.
    pub(super) fn add_to(&self, json: &mut Value) {
        let known = self.known();
        let by_way = known.and_then(|it| match it.load.basis {
            Basis::BestMix(part) => Some(part),
            Basis::Exact | Basis::EvenSplit => None,
        });
        let more = json!({
            "channel_load_pattern": known.map(|it| it.pattern),
            "channel_load_routing": known.map(|it| it.routing.as_str()),
            "channel_load_basis": known.map(|it| it.load.basis.name()),
            "channel_load_by_way": by_way,
            "channel_load_max_words_per_cycle": known.map(|it| it.load.busiest),
            "channel_load_max_node": known.and_then(|it| Some(busiest(it)?.0)),
            "channel_load_max_port": known.and_then(|it| Some(busiest(it)?.1)),
            "channel_load_received_max_words_per_cycle": known.map(|it| it.load.received),
            "channel_load_senders": known.map(|it| it.load.senders),
            "channel_load_throughput_words_per_terminal_cycle": known.map(|it| it.load.throughput()),
            "channel_load_unknown": self.0.as_ref().err().map(NotKnown::to_string),
        });
        if let (Value::Object(all), Value::Object(more)) = (json, more) {
            all.extend(more);
        }
    }

    /// The lines below those of the network.
    pub(super) fn as_text(&self, shape: &Shape) -> String {
        let known = match &self.0 {
            Ok(known) => known,
            Err(why) => return format!("\nchannel load       not known: {why}\n"),
        };
        let load = &known.load;
        let link = busiest(known).map_or_else(String::new, |(node, port)| {
            let (node, port) = (shape.node_name(NodeId(node)), shape.port_name(Port(port)));
            format!(", from node {node} {port}")
        });
        let how = match load.basis {
            Basis::Exact => "exactly".to_owned(),
            Basis::EvenSplit => "if words divide evenly over the ports that routing prefers".into(),
            Basis::BestMix(part) => format!(
                "with {:.1} % of the packets by way of a node, which allows the most",
                100.0 * part
            ),
        };
        let who = match load.senders == known.terminals {
            true => String::new(),
            false => format!(" of the {} that send", load.senders),
        };
        format!(
            "\n{under}\n\
             channel load       at most {busiest:.4} words/cycle for each word/cycle of a terminal{link}\n\
             throughput         {throughput:.4} words/terminal/cycle{who}, {how}\n",
            under = heading(known),
            busiest = load.busiest,
            throughput = load.throughput(),
        )
    }
}

/// The pattern and the routing function, as lines of the text have them.
fn heading(known: &PatternLoad) -> String {
    format!("{:<17}  under {}", known.pattern, known.routing)
}

/// The same, for a picture.
pub(super) fn under(known: &PatternLoad) -> String {
    format!("{} under {}", known.pattern, known.routing)
}

/// The first of the links that carry the most one way: node and port.
fn busiest(known: &PatternLoad) -> Option<(u32, u8)> {
    let links = &known.load.links;
    let most = links.iter().copied().fold(0.0, f64::max);
    // Sums that are equal may differ a little.
    let place = links.iter().position(|words| *words > most - 1e-9)?;
    let ports = links.len().checked_div(known.nodes as usize)?;
    (most > 0.0).then_some(((place / ports) as u32, (place % ports) as u8))
}
