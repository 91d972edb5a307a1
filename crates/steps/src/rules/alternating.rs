//! Alternating: a packet goes on in its direction until it is blocked, and then in its other productive one (Chinn 1995,
//! section 2.1).

use super::{Inqueue, RuleParameters};
use crate::{Beginning, Blind, Choice, Here, NoNotes, Offers, Rule};
use flitwork_topology::Grid;
use flitwork_types::{NodeId, Port, PortSet};

/// Each packet wants one link; which, changes when it stays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alternating<I> {
    /// Which is let in.
    pub inqueue: I,
}

/// The link that a packet wants: that at the port, or if it brings the packet no closer, the first that does.
fn wanted(port: Option<Port>, productive: PortSet) -> Option<Port> {
    let still = port.filter(|port| productive.contains(*port));
    still.or_else(|| productive.iter().next())
}

/// The productive link after the one that is wanted.
fn other(port: Option<Port>, productive: PortSet) -> Option<Port> {
    let now = wanted(port, productive)?;
    let later = productive.iter().find(|it| it.0 > now.0);
    later.or_else(|| productive.iter().next())
}

impl<I: Inqueue> Rule for Alternating<I> {
    type Sight = Blind;
    type Node = u64;
    /// The port that it wants.
    type Packet = Option<Port>;
    type Note = NoNotes;

    fn begin(&self, node: NodeId, _: &[PortSet]) -> u64 {
        self.inqueue.begin(node)
    }

    fn begin_packet(&self, _: &u64, packet: &Beginning<'_, Blind>) -> Option<Port> {
        packet.productive.iter().next()
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for (place, packet) in here.packets.iter().enumerate() {
            if let Some(port) = wanted(*packet.state, packet.productive)
                && !choice.takes(port)
            {
                choice.send(port, place);
            }
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        self.inqueue.accept(*here.state, here, offers, accepted);
    }

    fn has_state(&self) -> bool {
        true
    }

    fn after(&self, here: &Here<'_, Self>, node: &mut u64, packets: &mut [Option<Port>]) {
        for (seen, port) in here.packets.iter().zip(packets) {
            let has_moved = seen.arrived == here.step;
            *port = match has_moved {
                true => wanted(*seen.state, seen.productive),
                false => other(*seen.state, seen.productive),
            };
        }
        *node = self.inqueue.after(here, *node);
    }
}

/// The rule as configurations name it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlternatingParameters;

impl RuleParameters for AlternatingParameters {
    const NAME: &'static str = "alternating";
    const HELP: &'static str = "a packet goes straight on, and turns when it is blocked";

    fn rule<I: Inqueue>(&self, _: Option<&Grid>, inqueue: I) -> impl Rule {
        Alternating { inqueue }
    }
}
