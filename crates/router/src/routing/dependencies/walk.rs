//! Every possible head of one leg.

use super::bits::each_channel;
use super::classes::{ClassNumber, Classes};
use super::examine::{Examiner, Leg};
use super::fault::CheckError;
use super::links::{ChannelNumber, Links};
use crate::routing::contract::{Choice, Head};
use flitwork_types::{NodeId, Port};
use std::collections::{HashMap, VecDeque};

/// A channel that heads can be in.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// The least number of deroutes with which a head can be in it.
    deroutes: u16,
    /// The class of such heads; `None` before they are examined, and at the destination.
    class: Option<ClassNumber>,
}

/// The channels that heads of a leg can be in.
pub(super) struct Walk {
    reached: Vec<Option<Reached>>,
    pub(super) classes: Classes,
    /// The classes of heads with more than the fewest deroutes.
    more_derouted: HashMap<(ChannelNumber, u16), ClassNumber>,
    /// Heads to examine, those with the fewest deroutes first.
    waiting: VecDeque<(ChannelNumber, u16)>,
    wanted: Vec<Choice>,
}

impl Walk {
    pub(super) fn new(links: &Links) -> Walk {
        Walk {
            reached: vec![None; links.count()],
            classes: Classes::new(links.nodes()),
            more_derouted: HashMap::new(),
            waiting: VecDeque::new(),
            wanted: Vec::new(),
        }
    }

    /// Examines all heads of a leg: those that are injected, those that continue from an earlier leg in the
    /// channels `arrivals`, and those that they can become. Reports to `depends`, for each channel, what a
    /// head in it may wait for.
    pub(super) fn run(
        &mut self,
        examiner: &mut Examiner<'_>,
        leg: Leg,
        arrivals: &[ChannelNumber],
        mut depends: impl FnMut(ChannelNumber, &[Choice]),
    ) -> Result<(), CheckError> {
        examiner.begin(leg);
        self.reached.fill(None);
        self.classes.clear();
        self.more_derouted.clear();
        for place in 0..examiner.entries.len() {
            let here = examiner.entries[place];
            if here != leg.destination {
                let injected = examiner.injected(here);
                self.go_on(examiner, &injected)?;
                if examiner.declaration.visits && !leg.visited {
                    examiner.examine_goals(&injected, &self.wanted)?;
                }
            }
        }
        for held in arrivals {
            let arrived = examiner.at_the_end(*held, 0);
            if arrived.here != leg.destination {
                self.go_on(examiner, &arrived)?;
                depends(*held, &self.wanted);
            }
        }
        while let Some((held, deroutes)) = self.waiting.pop_front() {
            let head = examiner.at_the_end(held, deroutes);
            if head.here == leg.destination {
                continue;
            }
            // A table has one answer for all heads at a node.
            let known = self.classes.first_at(head.here);
            if let Some(class) = known.filter(|_| examiner.declaration.is_table) {
                let class_of = Some(class);
                self.reached[held.index()] = Some(Reached {
                    deroutes,
                    class: class_of,
                });
                depends(held, self.classes.wanted(class));
                continue;
            }
            examiner.examine_fully_derouted(&head)?;
            let class = Some(self.go_on(examiner, &head)?);
            self.reached[held.index()] = Some(Reached { deroutes, class });
            if examiner.declaration.visits && !examiner.may_turn(&head) {
                examiner.examine_goals(&head, &self.wanted)?;
            }
            depends(held, &self.wanted);
        }
        Ok(())
    }

    /// Examines a head, and records the channels into which the first one of its class can go.
    fn go_on(
        &mut self,
        examiner: &mut Examiner<'_>,
        head: &Head,
    ) -> Result<ClassNumber, CheckError> {
        examiner.examine(head, &mut self.wanted)?;
        let Head { here, deroutes, .. } = *head;
        let (class, new) = self.classes.of(here, deroutes, &self.wanted);
        if new {
            for (choice, deroutes) in self.classes.nexts(class, 0) {
                for channel in each_channel(choice.channels) {
                    let next = examiner.links.number(here, choice.port, channel);
                    reach(&mut self.reached, &mut self.waiting, next, deroutes);
                }
            }
        }
        Ok(class)
    }

    /// The class of the heads that are in a channel after this many deroutes, which must be possible.
    pub(super) fn class(
        &mut self,
        examiner: &mut Examiner<'_>,
        number: ChannelNumber,
        deroutes: u16,
    ) -> Result<ClassNumber, CheckError> {
        let reached = self.reached[number.index()].filter(|it| it.deroutes == deroutes);
        let known = reached.and_then(|reached| reached.class);
        if let Some(class) = known.or_else(|| self.more_derouted.get(&(number, deroutes)).copied())
        {
            return Ok(class);
        }
        let head = examiner.at_the_end(number, deroutes);
        examiner.examine(&head, &mut self.wanted)?;
        let (class, _) = self.classes.of(head.here, deroutes, &self.wanted);
        self.more_derouted.insert((number, deroutes), class);
        Ok(class)
    }

    /// The channels of the leg that don't lead to its destination, each with the class of the heads that are
    /// in it with the fewest deroutes.
    pub(super) fn under_way(&self) -> impl Iterator<Item = (ChannelNumber, ClassNumber)> {
        let numbered = self.reached.iter().enumerate();
        numbered.filter_map(|(number, reached)| {
            let class = reached.as_ref()?.class?;
            Some((ChannelNumber(number as u32), class))
        })
    }

    /// The channels of the leg that lead to a node.
    pub(super) fn arrivals(&self, links: &Links, node: NodeId) -> Vec<ChannelNumber> {
        let mut arrivals = Vec::new();
        for port in (0..links.ports as u8).map(Port) {
            // The far end of a link's input port is where the link begins.
            let Some((neighbour, output)) = links.end_of(node, port) else {
                continue;
            };
            for channel in 0..links.channels as u8 {
                let number = links.number(neighbour, output, channel);
                if self.reached[number.index()].is_some() {
                    arrivals.push(number);
                }
            }
        }
        arrivals
    }
}

/// Records that a head can be in a channel after this many deroutes. Heads are examined in the order of their
/// deroutes, and whether a hop adds one depends only on the link, so the first ones have the fewest.
fn reach(
    reached: &mut [Option<Reached>],
    waiting: &mut VecDeque<(ChannelNumber, u16)>,
    channel: ChannelNumber,
    deroutes: u16,
) {
    let place = &mut reached[channel.index()];
    if place.is_some() {
        return;
    }
    *place = Some(Reached {
        deroutes,
        class: None,
    });
    match waiting.front() {
        Some((_, fewest)) if deroutes > *fewest => waiting.push_back((channel, deroutes)),
        _ => waiting.push_front((channel, deroutes)),
    }
}
