//! What a wormhole router's node is expected to do, in the words of [`crate::observed`].

use crate::observed::buffers;
use crate::wormhole::World;
use crate::wormhole_model::{Done, Flit};
use flitwork_node::Place;
use flitwork_topology::Topology;
use flitwork_types::Port;

/// A word on a wire: its port and channel, its worm, its position in the worm, and whether it is the last.
pub(crate) type OnWire = (Port, u8, Flit);

/// The port of a lane, and its channel.
fn place(world: &World<'_>, lane: usize) -> (Port, u8) {
    let channels = usize::from(world.parameters.vcs);
    (Port((lane / channels) as u8), (lane % channels) as u8)
}

impl Done {
    /// The words that were granted the switch, as they will be on the wires.
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

impl World<'_> {
    /// Worms that are given output lanes at `now`, the source's packet whose head arrives, and the words in
    /// buffers.
    pub(crate) fn decided(&self, now: u32, done: &Done, source: Option<Flit>) -> Vec<String> {
        let moved = done.moved.iter().map(|(from, to, worm)| {
            let ((input, in_channel), (output, channel)) = (place(self, *from), place(self, *to));
            let from = Place::InputChannel(input, in_channel);
            let to = Place::OutputChannel(output, channel);
            let deroute = is_deroute(self, *worm, output);
            format!("{now}: {worm} moves from {from} to {to}, deroute {deroute}")
        });
        let begins = source.filter(|flit| flit.index == 0);
        let injected = begins.map(|flit| format!("{now}: {} is injected", flit.worm));
        let buffered = done.buffered.map(buffers);
        moved.chain(injected).chain(buffered).collect()
    }

    /// What is reported about a word that leaves in cycle `at`.
    pub(crate) fn leaves(&self, at: u32, (port, _, flit): OnWire) -> Vec<String> {
        let Flit {
            worm,
            index,
            is_last,
        } = flit;
        let mut lines = Vec::new();
        if index == 0 {
            lines.push(format!("{at}: head of {worm} at {port:?}"));
        }
        if is_last {
            let words = index + 1;
            lines.push(format!("{at}: tail of {worm} at {port:?}, {words} words"));
        }
        if is_last && port == self.grid.local() {
            let next = at + 1;
            lines.push(format!(
                "{next}: {worm} is delivered after 0 hops, 0 deroutes"
            ));
        }
        lines
    }
}

/// What must be observed in a cycle of a node that is stepped: of new output lanes and of credits, what the
/// model has just done; and the words that leave now.
pub(crate) fn expected(
    world: &World<'_>,
    now: u32,
    (done, leave): (&Done, &[OnWire]),
    source: Option<Flit>,
) -> Vec<String> {
    let local = world.grid.local();
    let mut lines = world.decided(now, done, source);
    for (lane, ..) in &done.through {
        let (port, channel) = place(world, *lane);
        if port != local {
            lines.push(format!("credit at {port:?} for {channel}"));
        }
    }
    if done.source_is_free {
        lines.push(format!("credit at {local:?} for 0"));
    }
    for word in leave {
        let (port, channel, flit) = *word;
        let Flit { worm, index, .. } = flit;
        let ends = (index == 0, flit.is_last);
        let hops = u16::from(port != local);
        let deroutes = u16::from(is_deroute(world, worm, port));
        let record = format!("{hops} hops, {deroutes} deroutes");
        let line = format!("word {index} of {worm} at {port:?} {channel} {ends:?}, {record}");
        lines.push(line);
        lines.extend(world.leaves(now, *word));
    }
    lines.sort();
    lines
}
