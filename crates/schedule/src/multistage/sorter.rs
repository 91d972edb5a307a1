//! Sorts packets, by counting where ranks are few (Symvonis and Tidswell 1994, section 4.1).

use super::{Mesh, Rules, Ties};
use crate::Request;
use crate::draws::Draws;

/// The memory that sorting needs, kept from one problem to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorter {
    ranks: Vec<u32>,
    keys: Vec<u32>,
    /// The requests' places in the order of ties.
    tied: Vec<u32>,
    /// How many packets have a rank, then where the next of that rank goes.
    counts: Vec<u32>,
    /// The requests' places in the order.
    pub(super) order: Vec<u32>,
}

impl Sorter {
    /// Puts packets into the order of the rules.
    pub(super) fn sort(&mut self, mesh: &Mesh, requests: &[Request], rules: &Rules) {
        self.tied.clear();
        self.tied.extend(0..requests.len() as u32);
        self.break_ties(mesh, requests, rules);
        (rules.order.rank)(mesh, requests, rules.seed, &mut self.ranks);
        self.order.clear();
        self.order.extend(&self.tied);
        match (rules.order.ranks)(mesh) {
            Some(ranks) => count(
                &self.ranks,
                ranks,
                &self.tied,
                &mut self.counts,
                &mut self.order,
            ),
            None => {
                let ranks = &self.ranks;
                self.order.sort_by_key(|packet| ranks[*packet as usize]);
            }
        }
    }

    fn break_ties(&mut self, mesh: &Mesh, requests: &[Request], rules: &Rules) {
        if rules.ties == Ties::Random {
            Draws::of_stream(rules.seed, 0).shuffle(&mut self.tied);
            return;
        }
        self.keys.clear();
        let keys = requests.iter().map(|request| rules.ties.key(mesh, request));
        self.keys.extend(keys.map_while(|key| key));
        if self.keys.is_sorted() {
            return;
        }
        self.order.clear();
        self.order.extend(&self.tied);
        count(
            &self.keys,
            mesh.nodes(),
            &self.order,
            &mut self.counts,
            &mut self.tied,
        );
    }
}

/// Sorts `from` into `to` by ranks, all below `below`; those of one rank stay in their order.
fn count(ranks: &[u32], below: u32, from: &[u32], counts: &mut Vec<u32>, to: &mut [u32]) {
    counts.clear();
    counts.resize(below as usize, 0);
    for rank in ranks {
        counts[*rank as usize] += 1;
    }
    let mut next = 0;
    for count in counts.iter_mut() {
        next += std::mem::replace(count, next);
    }
    for packet in from {
        let place = &mut counts[ranks[*packet as usize] as usize];
        to[*place as usize] = *packet;
        *place += 1;
    }
}
