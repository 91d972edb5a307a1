//! What a wormhole router's node is expected to show, in the words of [`crate::told`].

use crate::wormhole::World;
use crate::wormhole_model::{Done, Flit};
use flitwork_node::Place;
use flitwork_topology::Topology;
use flitwork_types::Port;

/// A word on a wire: its port and channel, its worm, its place in that, and whether it is the last.
pub(crate) type OnWire = (Port, u8, Flit);

/// The port of a lane, and its channel.
fn place(world: &World<'_>, lane: usize) -> (Port, u8) {
    let channels = usize::from(world.parameters.vcs);
    (Port((lane / channels) as u8), (lane % channels) as u8)
}

impl Done {
    /// The words that won the switch, as they will be on the wires.
    pub(crate) fn words(&self, world: &World<'_>) -> Vec<OnWire> {
        let word = |(_, output, flit): &(usize, usize, Flit)| {
            let (port, channel) = place(world, *output);
            (port, channel, *flit)
        };
        self.through.iter().map(word).collect()
    }
}

/// Whether a port brings a worm no closer.
fn is_deroute(world: &World<'_>, worm: usize, port: Port) -> bool {
    let destination = world.destinations[worm];
    let productive = world.grid.productive(world.node, destination);
    port != world.grid.local() && !productive.contains(port)
}

/// What must be seen in a cycle: of worms that get output lanes and of credits what the model has just done, and
/// the words that leave now.
pub(crate) fn expected(
    world: &World<'_>,
    now: u32,
    (done, leave): (&Done, &[OnWire]),
    source: Option<Flit>,
) -> Vec<String> {
    let local = world.grid.local();
    let mut lines = Vec::new();
    for (from, to, worm) in &done.moved {
        let ((input, in_channel), (output, channel)) = (place(world, *from), place(world, *to));
        let from = Place::InputChannel(input, in_channel);
        let to = Place::OutputChannel(output, channel);
        let productive = world.grid.productive(world.node, world.destinations[*worm]);
        let deroute = output != local && !productive.contains(output);
        lines.push(format!(
            "{now}: {worm} moves from {from} to {to}, deroute {deroute}"
        ));
    }
    for (lane, ..) in &done.through {
        let (port, channel) = place(world, *lane);
        if port != local {
            lines.push(format!("credit at {port:?} for {channel}"));
        }
    }
    if done.source_is_free {
        lines.push(format!("credit at {local:?} for 0"));
    }
    for (port, channel, flit) in leave {
        let Flit {
            worm,
            index,
            is_last,
        } = *flit;
        let ends = (index == 0, is_last);
        let hops = u16::from(*port != local);
        let deroutes = u16::from(is_deroute(world, worm, *port));
        let record = format!("{hops} hops, {deroutes} deroutes");
        let word = format!("word {index} of {worm} at {port:?} {channel} {ends:?}, {record}");
        lines.push(word);
        if index == 0 {
            lines.push(format!("{now}: head of {worm} at {port:?}"));
        }
        if is_last {
            lines.push(format!(
                "{now}: tail of {worm} at {port:?}, {} words",
                index + 1
            ));
        }
        if is_last && *port == local {
            lines.push(format!("{}: {worm} is delivered after {record}", now + 1));
        }
    }
    if let Some(flit) = source.filter(|flit| flit.index == 0) {
        lines.push(format!("{now}: {} is injected", flit.worm));
    }
    lines.sort();
    lines
}
