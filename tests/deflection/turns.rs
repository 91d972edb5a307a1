//! Precedence: the order of words, and worms that stay together.

use super::{Checker, Move};
use flitwork_node::Place;
use flitwork_router::deflection::{Priority, Switching};
use flitwork_topology::Topology;
use flitwork_types::{Cycle, NodeId};

impl Checker<'_> {
    /// Whether each word of a worm follows the one before it, unless an older one takes its link.
    pub(super) fn follow_worms(&mut self, node: NodeId, moves: &[Move]) {
        if self.machine.parameters.switching == Switching::Flit {
            return;
        }
        for moved in moves {
            let Place::Input(input) = moved.from else {
                panic!("{moved:?}")
            };
            let (packet, index) = moved.word;
            let Some(((before, at), Some(port))) = self.last_in.get(&(node, input)) else {
                continue;
            };
            let still = self.last_out.get(&(node, *port)) == Some(&input);
            if (*before, *at + 1) != (packet, index) || !still {
                continue;
            }
            if self.link(moved.to) == Some(*port) {
                self.seen.followed += 1;
                continue;
            }
            self.seen.cut += 1;
            let takes = |other: &&Move| self.link(other.to) == Some(*port);
            let other = moves.iter().find(takes).expect("somebody took the link");
            let older = self.is_older(other, moved);
            let oldest_first = self.machine.parameters.priority == Priority::OldestFirst;
            assert!(older || !oldest_first, "{other:?} cut {moved:?}");
        }
        for moved in moves {
            let (Place::Input(input), link) = (moved.from, self.link(moved.to)) else {
                continue;
            };
            self.last_in.insert((node, input), (moved.word, link));
            if let Some(port) = link {
                self.last_out.insert((node, port), input);
            }
        }
    }

    fn is_older(&self, one: &Move, other: &Move) -> bool {
        self.age(one.word) < self.age(other.word)
    }

    /// No word is passed over without a reason: the processor gets what it can take, the source inserts a
    /// word if a link is left, and with oldest first only younger words are deflected.
    pub(super) fn check_turns(&self, node: NodeId, cycle: Cycle, moves: &[Move], waiting: bool) {
        let parameters = &self.machine.parameters;
        let local = self.grid.local();
        let ejected = moves
            .iter()
            .filter(|moved| moved.to == Place::Output(local))
            .count();
        assert!(ejected <= usize::from(parameters.eject_words));
        let aside = moves.iter().filter(|moved| moved.to == Place::SideBuffer);
        let aside = aside.count();
        assert!(aside <= 1, "{node} put {aside} flits aside in {cycle}");
        let enters = moves.iter().any(|moved| moved.from == Place::Input(local));
        let crowded = moves.len() - ejected >= self.grid.links(node).len();
        assert!(
            !waiting || enters || crowded,
            "{node} let nobody in in {cycle}"
        );
        if parameters.priority != Priority::OldestFirst || parameters.switching == Switching::Worm {
            return;
        }
        for moved in moves {
            self.check_ejection(node, cycle, moves, moved);
            self.check_deflection(node, cycle, moves, moved);
        }
    }

    /// A flit at its destination that doesn't leave the network has been preceded by as many older ones as
    /// may leave.
    fn check_ejection(&self, node: NodeId, cycle: Cycle, moves: &[Move], moved: &Move) {
        let to_processor = Place::Output(self.grid.local());
        let home = self.grid.home(self.packets[&moved.word.0].destination) == node;
        if !home || moved.to == to_processor || moved.from == Place::SideBuffer {
            return;
        }
        let before = moves.iter();
        let before = before.filter(|other| other.to == to_processor && self.is_older(other, moved));
        let most = usize::from(self.machine.parameters.eject_words);
        assert_eq!(before.count(), most, "{moved:?} in {cycle}");
    }

    /// A deflected flit has lost each of its productive links to an older one. One link may stay unused, that
    /// of a flit that went into the side buffer.
    fn check_deflection(&self, node: NodeId, cycle: Cycle, moves: &[Move], moved: &Move) {
        let Some(to) = self.link(moved.to) else {
            return;
        };
        let good = self.productive(node, moved.word);
        if good.contains(to) {
            return;
        }
        let aside = moves.iter().any(|other| other.to == Place::SideBuffer);
        for port in good.iter() {
            let other = moves.iter().find(|other| other.to == Place::Output(port));
            let lost = other.map_or(aside, |other| self.is_older(other, moved));
            assert!(lost, "{moved:?} lost {port:?} to {other:?} in {cycle}");
        }
    }
}
