//! What happens on a node's wires and between its buffers, word by word, for probes that want all of it.

use crate::{Inputs, Outputs, Place, Probe, Reported, Router, Site, WordRouter};
use flitwork_types::{Cycle, PacketId, Port};

/// A word that passes a port of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassingWord {
    /// The port.
    pub port: Port,
    /// Its virtual channel.
    pub channel: u8,
    /// The word's packet.
    pub packet: PacketId,
    /// The word's place in the packet.
    pub index: u16,
}

/// Something that no statistics need, and whoever rebuilds what a node holds does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A word is on the wires of an input port at the beginning of the cycle, the local one among them.
    Arrived(PassingWord),
    /// A word moves from one buffer of the node to another.
    ///
    /// A router that is input-queued has no output buffers: a word that moves to one of its output channels is under way
    /// from then on, in no buffer, until it leaves the node ([`Probe::word`]), in the same cycle or later.
    Shifted {
        /// The word's packet.
        packet: PacketId,
        /// The word's place in the packet.
        index: u16,
        /// Where it was.
        from: Place,
        /// Where it is at the end of the cycle.
        to: Place,
    },
    /// A place comes back with the credit on the wires of a link's port at the beginning of the cycle. It counts once the router's own delay
    /// ([`Delays::credit_cycles`](crate::Delays::credit_cycles)) has passed, if it has one.
    Credited {
        /// The port.
        port: Port,
        /// Its virtual channel.
        channel: u8,
    },
    /// A place goes back with the credit that leaves over a link.
    Returned {
        /// The link's port.
        port: Port,
        /// Its virtual channel.
        channel: u8,
    },
}

/// [`WordRouter::step`]; what is on the node's wires is reported to a probe that [wants details](Reported::Details).
#[inline]
pub fn step_in_detail<R: WordRouter, P: Probe>(
    router: &R,
    state: &mut R::Node,
    now: Cycle,
    inputs: &Inputs<'_>,
    outputs: &mut Outputs<'_>,
    site: &mut Site<'_, P>,
) {
    if site.probe.wants(Reported::Details) {
        report_before(router, state, now, inputs, site);
    }
    router.step(state, now, inputs, outputs, site);
    if site.probe.wants(Reported::Details) {
        report_outputs(router, now, inputs, outputs, site);
    }
}

#[cold]
#[inline(never)]
fn report_before<R: WordRouter, P: Probe>(
    router: &R,
    state: &R::Node,
    now: Cycle,
    inputs: &Inputs<'_>,
    site: &mut Site<'_, P>,
) {
    if site.probe.wants_explanation(site.node, now) {
        let view = router.look(site.node, state, site.packets, now);
        let explanation = router.explain(site.node, state, now, inputs, site.packets);
        site.probe.explained(site.node, now, view, explanation);
    }
    for (port, word) in inputs.arrivals() {
        let arrived = Detail::Arrived(PassingWord {
            port,
            channel: word.channel,
            packet: site.packets[word.packet].id,
            index: word.index,
        });
        site.probe.detail(site.node, now, arrived);
    }
    for port in inputs.credits.iter() {
        for channel in places(router, inputs.credit_channels[port.index()]) {
            let credited = Detail::Credited { port, channel };
            site.probe.detail(site.node, now, credited);
        }
    }
}

#[cold]
#[inline(never)]
fn report_outputs<R: Router, P: Probe>(
    router: &R,
    now: Cycle,
    inputs: &Inputs<'_>,
    outputs: &Outputs<'_>,
    site: &mut Site<'_, P>,
) {
    let local = Port((inputs.words.len() - 1) as u8);
    for port in outputs.credits.iter().filter(|port| *port != local) {
        for channel in places(router, outputs.credit_channels[port.index()]) {
            let returned = Detail::Returned { port, channel };
            site.probe.detail(site.node, now, returned);
        }
    }
}

/// The virtual channel of each place that a credit returns.
fn places<R: Router>(router: &R, credit: u8) -> impl Iterator<Item = u8> {
    let places = router.returned(credit).into_iter();
    places.flat_map(|(channel, places)| std::iter::repeat_n(channel, places.into()))
}
