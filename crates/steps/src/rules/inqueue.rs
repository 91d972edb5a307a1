//! Which of the offered packets a node lets in.

use crate::{Here, Offer, Rule, accept_in_order};
use flitwork_types::NodeId;
use std::fmt::Debug;

/// An inqueue policy.
pub trait Inqueue: Clone + Debug + Default + Send + Sync {
    /// What a node keeps for it.
    type State: Clone + Debug + PartialEq + Send;
    /// Whether its state changes.
    const HAS_STATE: bool;

    /// The state as the first step begins.
    fn begin(&self, node: NodeId) -> Self::State;

    /// Which offers the node accepts.
    fn accept<R: Rule>(
        &self,
        state: &Self::State,
        here: &Here<'_, R>,
        offers: &[Offer<'_, R::Sight, R::Packet>],
        accepted: &mut Vec<usize>,
    );

    /// The state after the step.
    fn after<R: Rule>(&self, _: &Here<'_, R>, _: &mut Self::State) {}
}

/// By the port: the lowest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

impl Inqueue for Fixed {
    type State = ();
    const HAS_STATE: bool = false;

    fn begin(&self, _: NodeId) {}

    #[inline]
    fn accept<R: Rule>(
        &self,
        (): &(),
        here: &Here<'_, R>,
        offers: &[Offer<'_, R::Sight, R::Packet>],
        accepted: &mut Vec<usize>,
    ) {
        accept_in_order(here.store, offers, 0..offers.len(), accepted);
    }
}

/// From each neighbour in turn: the port after that by which the last packet came is first (Chinn 1995, section 2.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundRobin;

impl Inqueue for RoundRobin {
    /// The port that is first.
    type State = u8;
    const HAS_STATE: bool = true;

    fn begin(&self, _: NodeId) -> u8 {
        0
    }

    #[inline]
    fn accept<R: Rule>(
        &self,
        first: &u8,
        here: &Here<'_, R>,
        offers: &[Offer<'_, R::Sight, R::Packet>],
        accepted: &mut Vec<usize>,
    ) {
        // Offers come in the order of their ports.
        let before = offers.iter().filter(|it| it.through.0 < *first).count();
        let order = (before..offers.len()).chain(0..before);
        accept_in_order(here.store, offers, order, accepted);
    }

    fn after<R: Rule>(&self, here: &Here<'_, R>, first: &mut u8) {
        let came = here.packets.iter().filter(|it| it.arrived == here.step);
        let turn = |port: u8| port.wrapping_sub(*first);
        let last = came.filter_map(|it| it.through).max_by_key(|it| turn(it.0));
        if let Some(port) = last {
            *first = port.0 + 1;
        }
    }
}
