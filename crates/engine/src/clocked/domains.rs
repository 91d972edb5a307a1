//! What drives which nodes.

use super::calendar::Calendar;
use super::tick::Ticker;
use super::wake::Waker;
use flitwork_network::{Clock, Clocks};
use flitwork_types::NodeId;

/// What drives some nodes, and which.
#[derive(Clone)]
pub(super) struct Domain {
    pub(super) driver: Driver,
    /// Where its nodes begin in the list of members, and how many there are.
    pub(super) first: u32,
    pub(super) nodes: u32,
}

/// What drives the nodes of a domain.
#[derive(Clone)]
pub(super) enum Driver {
    /// A clock.
    Ticks(Ticker),
    /// Events; the domain has one node.
    Wakes(Waker),
}

/// All domains of a network that have nodes.
pub(super) struct Domains {
    pub(super) domains: Vec<Domain>,
    /// The domain of each node.
    pub(super) domain_of: Vec<u32>,
    /// The nodes, grouped by their domains.
    pub(super) members: Vec<NodeId>,
    /// The first tick of each clock.
    pub(super) calendar: Calendar,
}

impl Domains {
    /// A domain for each clock with its nodes, and one for each self-timed node.
    ///
    /// # Panics
    /// If a node's clock isn't described.
    pub(super) fn new(clocks: &Clocks) -> Domains {
        let of = |node: &NodeId| clocks.domain_of[node.index()];
        let mut members: Vec<NodeId> = (0..clocks.domain_of.len() as u32).map(NodeId).collect();
        members.sort_by_key(of);
        let last = members.last().map(of);
        assert!(
            last.is_none_or(|last| (last as usize) < clocks.domains.len()),
            "each domain is described"
        );
        let mut domains = Vec::new();
        let mut first_ticks = Vec::new();
        let mut first = 0;
        for nodes in members.chunk_by(|one, other| of(one) == of(other)) {
            let number = of(&nodes[0]);
            match &clocks.domains[number as usize] {
                Clock::Periodic(clock) => {
                    let edges = clocks.links.crossing.edges;
                    let mut ticker = Ticker::new(clock, number, clocks.seed, edges);
                    let first_ps = ticker.first_ps();
                    first_ticks.extend(first_ps.map(|at_ps| (domains.len() as u32, at_ps)));
                    domains.push(Domain {
                        driver: Driver::Ticks(ticker),
                        first,
                        nodes: nodes.len() as u32,
                    });
                }
                Clock::SelfTimed(timing) => {
                    let each = nodes.iter().zip(first..).map(|(node, first)| Domain {
                        driver: Driver::Wakes(Waker::new(timing.clone(), clocks.seed, *node)),
                        first,
                        nodes: 1,
                    });
                    domains.extend(each);
                }
            }
            first += nodes.len() as u32;
        }
        let steps = clocks.domains.iter().map(|clock| clock.step_ps());
        let shortest_ps = steps.map(|(shortest, _)| shortest).min().unwrap_or(1);
        // Of the few steps in which a clock is gated the calendar needn't be wide enough.
        let steps = clocks.domains.iter().map(|clock| clock.running_step_ps());
        let longest_ps = steps.map(|(_, longest)| longest).max().unwrap_or(1);
        let mut calendar = Calendar::new(domains.len(), shortest_ps, longest_ps);
        for (domain, at_ps) in first_ticks {
            calendar.push(domain, at_ps);
        }
        let mut domain_of = vec![0; members.len()];
        for (domain, Domain { first, nodes, .. }) in (0..).zip(&domains) {
            for node in &members[*first as usize..][..*nodes as usize] {
                domain_of[node.index()] = domain;
            }
        }
        Domains {
            domains,
            domain_of,
            members,
            calendar,
        }
    }
}
