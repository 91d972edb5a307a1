//! A cycle's decision, as the rules make it: which output, which packet, and who follows into the multiqueue.

use super::{Seen, WordNode, rules};
use crate::chaos::commit::Moving;
use crate::chaos::decide::Queued;
use crate::chaos::{Chaos, Choice, Mask, MultiqueuePolicy};
use flitwork_node::{Candidate, Decision, Draw, Place, Rule, Subject};
use flitwork_topology::Topology;
use flitwork_types::{PacketId, Packets, Port, PortSet};

/// A decision without its winner.
pub(super) struct Contest {
    rule: &'static Rule,
    candidates: Vec<Candidate>,
    draw: Option<Draw>,
}

impl Contest {
    /// A packet wins it, which was at one place and goes to another.
    pub(super) fn won(self, winner: (PacketId, Place), to: Place) -> Decision {
        let won = |one: &Candidate| (one.packet, one.from) == winner;
        Decision {
            subject: Subject::Place(to),
            rule: self.rule,
            winner: self.candidates.iter().position(won),
            candidates: self.candidates,
            draw: self.draw,
        }
    }
}

/// The packet in the paired input frame moves to the multiqueue.
pub(super) fn pair(moving: Moving, packets: &Packets) -> Decision {
    let follower = (packets[moving.packet].id, moving.from);
    Decision::in_order(Subject::Place(moving.to), &rules::PAIR, [follower])
}

impl<T: Topology, M: Mask, const P: usize, const Q: usize> Chaos<T, WordNode<M, P, Q>> {
    /// The choice of an output, if there is one to make: packets by how far the first output that each makes interesting
    /// is from the pointer.
    pub(super) fn scan(&self, seen: &Seen<'_, P, Q, M>) -> Option<Contest> {
        let pointer = seen.state.pointer;
        let distance = |outputs: u64| {
            let (output, scanned) = self.first_from_pointer(pointer, outputs)?;
            let ahead = usize::from(scanned) + self.ports - usize::from(pointer);
            Some((output, (ahead % self.ports) as u64))
        };
        let (mut interesting, mut candidates) = (0, Vec::new());
        for place in 0..usize::from(seen.state.queued) {
            let alone = Queued {
                ready: seen.queue.ready & 1 << place,
                deroutable: seen.queue.deroutable & 1 << place,
            };
            let wanted = self.wanted(seen.rules, alone, &seen.bare, seen.now);
            let outputs = wanted & seen.open;
            interesting |= outputs;
            candidates.extend(
                distance(outputs).map(|(output, rank)| self.in_queue(seen, place, output, rank)),
            );
        }
        let inputs = match seen.rules.full {
            true => PortSet::EMPTY,
            false => PortSet(seen.state.occupied.get()),
        };
        for port in inputs.iter() {
            let outputs = self.ways_from_input(seen, port);
            interesting |= outputs;
            let found = distance(outputs);
            candidates.extend(found.map(|(_, rank)| self.in_input(seen, port, rank)));
        }
        candidates.sort_by_key(|candidate| candidate.rank);
        (interesting.count_ones() > 1).then_some(Contest {
            rule: &rules::SCAN,
            candidates,
            draw: None,
        })
    }

    /// Who goes to the output, or behind which rule a packet has stalled there.
    pub(super) fn contest(
        &self,
        seen: &Seen<'_, P, Q, M>,
        output: Port,
        choice: Choice,
    ) -> Contest {
        let ready = seen.queue.ready;
        let good = ready & self.wanting_in_queue(seen.state, output);
        match choice {
            Choice::Stalled => Contest {
                rule: match seen.rules.waiting >> output.0 & 1 {
                    1 => &rules::STALL_BEHIND,
                    _ => &rules::STALL,
                },
                candidates: vec![self.in_input(seen, output, 0)],
                draw: None,
            },
            Choice::Bypass(_) => Contest {
                rule: &rules::BYPASS,
                candidates: self.bypass_candidates(seen, output, 0),
                draw: None,
            },
            Choice::Queued { .. } if good != 0 => self.queue_contest(seen, output, good),
            Choice::Queued { .. } => Contest {
                rule: match seen.rules.deroutes_any {
                    true => &rules::DEROUTE_ANY,
                    false => &rules::DEROUTE,
                },
                candidates: self.queue_candidates(seen, output, seen.queue.deroutable, |_| 0),
                draw: Some(Draw {
                    below: seen.queue.deroutable.count_ones(),
                    drawn: self.draw_deroute(seen.queue.deroutable, seen.node, seen.now),
                }),
            },
        }
    }

    /// One of these packets of the multiqueue goes to an output that is productive for it.
    fn queue_contest(&self, seen: &Seen<'_, P, Q, M>, output: Port, good: u64) -> Contest {
        let newest = u64::from(seen.state.queued) - 1;
        let (rule, mut candidates, draw) = match self.parameters.multiqueue_policy {
            MultiqueuePolicy::OldestFirst => {
                let candidates = self.queue_candidates(seen, output, good, |place| place);
                (&rules::OLDEST, candidates, None)
            }
            MultiqueuePolicy::NewestFirst => {
                let rank = |place| newest - place;
                let mut candidates = self.queue_candidates(seen, output, good, rank);
                candidates.reverse();
                (&rules::NEWEST, candidates, None)
            }
            MultiqueuePolicy::Random => {
                let draw = Draw {
                    below: good.count_ones(),
                    drawn: self.draw_from_queue(good, seen.node, seen.now),
                };
                let candidates = self.queue_candidates(seen, output, good, |_| 0);
                (&rules::ANY, candidates, Some(draw))
            }
        };
        if !seen.rules.full {
            candidates.extend(self.bypass_candidates(seen, output, seen.state.queued.into()));
        }
        Contest {
            rule,
            candidates,
            draw,
        }
    }

    /// The packets in input frames that could go straight to an output, those that have been ready longest first: each
    /// ranks by how many cycles after the first it was, from `first_rank` on.
    fn bypass_candidates(
        &self,
        seen: &Seen<'_, P, Q, M>,
        output: Port,
        first_rank: u64,
    ) -> Vec<Candidate> {
        let mut good: Vec<_> = self.bypassing(seen.state, output, seen.now).collect();
        good.sort();
        let Some((first, _)) = good.first().copied() else {
            return Vec::new();
        };
        let candidates = good.into_iter().map(|(ready, port)| {
            let later = u64::from(ready.since(first));
            self.in_input(seen, port, first_rank + later)
        });
        candidates.collect()
    }

    /// These packets of the multiqueue, which could go to an output, in their order; `rank` ranks their places.
    fn queue_candidates(
        &self,
        seen: &Seen<'_, P, Q, M>,
        output: Port,
        packets: u64,
        rank: impl Fn(u64) -> u64,
    ) -> Vec<Candidate> {
        let places = 0..usize::from(seen.state.queued);
        let places = places.filter(|place| packets >> place & 1 == 1);
        let candidates = places.map(|place| self.in_queue(seen, place, output, rank(place as u64)));
        candidates.collect()
    }

    /// A packet of the multiqueue that could go to an output.
    fn in_queue(
        &self,
        seen: &Seen<'_, P, Q, M>,
        place: usize,
        output: Port,
        rank: u64,
    ) -> Candidate {
        Candidate {
            packet: seen.id(seen.state.queue[place].packet),
            from: Place::Queue,
            rank,
            deroute: seen.state.queue_wants[place].get() >> output.0 & 1 == 0,
        }
    }

    /// The packet in an input frame.
    fn in_input(&self, seen: &Seen<'_, P, Q, M>, port: Port, rank: u64) -> Candidate {
        Candidate {
            packet: seen.id(seen.state.inputs[port.index()].packet),
            from: Place::Input(port),
            rank,
            deroute: false,
        }
    }
}
