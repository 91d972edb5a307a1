//! Dimension order that keeps up with the lower bound against it (Chinn 1995, Theorem 2.19).
//!
//! Each node has a queue of k packets for each incoming link. In the last dimension nothing delays a packet that goes straight
//! on: such a queue sends a packet in each step in which it holds one, and so can always take one in. In a dimension before it
//! a queue takes a packet in if it holds fewer than k as the step begins.

use super::{Inqueue, RuleParameters};
use crate::{Beginning, Blind, Choice, Here, NoNotes, Offer, Offers, Rule, Seen, Store};
use flitwork_topology::{Grid, Topology, first_dimension};
use flitwork_types::{NodeId, Port, PortSet};

/// Dimension order: who goes straight is before who turns, and of equals the first to come. A packet begins in the queue in
/// which it would lie if it had come straight; beside the queues, if there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StraightThrough;

/// Whether a queue always has room for one more, by which packets come that go on in the last dimension.
fn is_last(grid: Option<&Grid>, through: Port) -> bool {
    grid.is_some_and(|grid| grid.dimension(through) == grid.ports() / 2 - 1)
}

impl StraightThrough {
    /// The steps that any permutation of a square mesh takes at most, with queues of `queue` packets an incoming link:
    /// ⌊n/k⌋ turning intervals a row, each up to n steps and then up to 3(n - 1) to the next (Lemma 2.21), and as much again
    /// before the first; then 2n along columns.
    ///
    /// The tests check that, and Lemma 2.20, where a row has one turning interval at a time: the next begins once the k
    /// packets of the last have turned. The lemma holds then as printed, also before the first interval.
    pub fn bound_steps(side: u32, queue: u32) -> u64 {
        let [n, k] = [side, queue].map(u64::from);
        n.checked_div(k).unwrap_or(0) * (4 * n).saturating_sub(3) + 5 * n
    }
}

impl Rule for StraightThrough {
    type Sight = Blind;
    type Node = ();
    type Packet = ();
    type Note = NoNotes;
    const WAITS_FOR_LINKS: bool = true;

    fn begin(&self, _: NodeId, _: &[PortSet]) {}

    fn begin_packet(&self, (): &(), _: &Beginning<'_, Blind>) {}

    fn begins_in(&self, store: Store, packet: &Beginning<'_, Blind>) -> Option<Port> {
        let port = first_dimension(packet.productive, packet.grid)?;
        match store {
            Store::Outgoing(_) => Some(port),
            _ => packet.grid.map(|grid| grid.opposite(port)),
        }
    }

    fn choose(&self, here: &Here<'_, Self>, choice: &mut Choice) {
        for port in here.links.iter() {
            let across = here.across(port);
            let rank = |(place, packet): (usize, &Seen<'_, Blind, ()>)| {
                let goes_straight = packet.queue.is_some() && packet.queue == across;
                let wants = here.first_dimension(packet.productive) == Some(port);
                wants.then_some((!goes_straight, packet.arrived, place))
            };
            let best = here.packets.iter().enumerate().filter_map(rank).min();
            if let Some((_, _, place)) = best {
                choice.send(port, place);
            }
        }
    }

    fn accept(&self, here: &Here<'_, Self>, offers: &Offers<'_, Self>, accepted: &mut Vec<usize>) {
        let is_incoming = matches!(here.store, Store::Incoming(_));
        let always =
            |offer: &Offer<'_, Blind, ()>| is_incoming && is_last(here.grid, offer.through);
        let (straight, others): (Vec<usize>, Vec<usize>) =
            (0..offers.len()).partition(|place| always(&offers[*place]));
        crate::accept_in_order(here.store, offers, others, accepted);
        accepted.extend(straight);
    }
}

impl RuleParameters for StraightThrough {
    const NAME: &'static str = "straight-through";
    const HELP: &'static str = "dimension order, straight on before turns, with queues that never refuse in the last dimension";
    const HAS_INQUEUE: bool = false;
    const IS_DIMENSION_ORDER: bool = true;

    fn rule<I: Inqueue>(&self, _: Option<&Grid>, _: I) -> impl Rule {
        StraightThrough
    }
}
