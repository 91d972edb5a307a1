//! Every head that can be, on one leg.

use super::classes::{ClassNumber, Classes};
use super::examine::{Examiner, Leg, Stand};
use super::fault::CheckError;
use super::links::{ChannelNumber, Links};
use crate::routing::contract::Choice;
use flitwork_types::{NodeId, Port};
use std::collections::{HashMap, VecDeque};

/// The virtual channels in `mask`, lowest first.
pub(super) fn each_channel(mut mask: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let channel = mask.trailing_zeros() as u8;
            mask &= mask - 1;
            channel
        })
    })
}

/// A channel that heads can be in.
#[derive(Clone, Copy, Debug)]
struct Reached {
    /// The least number of deroutes with which a head can be in it.
    deroutes: u16,
    /// The class of such heads; `None` before they are looked at, and at the destination.
    class: Option<ClassNumber>,
}

/// The channels that heads of a leg can be in.
pub(super) struct Walk {
    reached: Vec<Option<Reached>>,
    pub(super) classes: Classes,
    /// The classes of heads with more deroutes than the least.
    weary: HashMap<(ChannelNumber, u16), ClassNumber>,
    /// Heads to look at, those with the fewest deroutes first.
    waiting: VecDeque<(ChannelNumber, u16)>,
    wanted: Vec<Choice>,
}

impl Walk {
    pub(super) fn new(links: &Links) -> Walk {
        Walk {
            reached: vec![None; links.count()],
            classes: Classes::new(links.nodes()),
            weary: HashMap::new(),
            waiting: VecDeque::new(),
            wanted: Vec::new(),
        }
    }

    /// Looks at all heads of a leg: those that are injected, those that come on from an earlier leg in
    /// the channels `arrivals`, and those that they can become. Tells `depends` for each channel what a
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
        self.weary.clear();
        for here in (0..examiner.links.nodes()).map(NodeId) {
            if here != leg.destination {
                let injected = Stand::injected(here);
                self.go_on(examiner, leg, injected)?;
                if examiner.declaration.visits && !leg.visited {
                    examiner.examine_goals(injected, leg, &self.wanted)?;
                }
            }
        }
        for held in arrivals {
            let arrived = Stand::at_the_end(*held, 0, examiner.links);
            if arrived.here != leg.destination {
                self.go_on(examiner, leg, arrived)?;
                depends(*held, &self.wanted);
            }
        }
        while let Some((held, deroutes)) = self.waiting.pop_front() {
            let stand = Stand::at_the_end(held, deroutes, examiner.links);
            if stand.here == leg.destination {
                continue;
            }
            examiner.examine_weary(stand, leg)?;
            let class = Some(self.go_on(examiner, leg, stand)?);
            self.reached[held.index()] = Some(Reached { deroutes, class });
            if examiner.declaration.visits {
                examiner.examine_goals(stand, leg, &self.wanted)?;
            }
            depends(held, &self.wanted);
        }
        Ok(())
    }

    /// Looks at a head, and notes the channels into which the first one of its class can go.
    fn go_on(
        &mut self,
        examiner: &mut Examiner<'_>,
        leg: Leg,
        stand: Stand,
    ) -> Result<ClassNumber, CheckError> {
        examiner.examine(stand, leg, &mut self.wanted)?;
        let Stand { here, deroutes, .. } = stand;
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

    /// The class of heads that are in a channel after so many deroutes, which can be.
    pub(super) fn class(
        &mut self,
        examiner: &mut Examiner<'_>,
        leg: Leg,
        number: ChannelNumber,
        deroutes: u16,
    ) -> Result<ClassNumber, CheckError> {
        let reached = self.reached[number.index()].filter(|it| it.deroutes == deroutes);
        let known = reached.and_then(|reached| reached.class);
        if let Some(class) = known.or_else(|| self.weary.get(&(number, deroutes)).copied()) {
            return Ok(class);
        }
        let stand = Stand::at_the_end(number, deroutes, examiner.links);
        examiner.examine(stand, leg, &mut self.wanted)?;
        let (class, _) = self.classes.of(stand.here, deroutes, &self.wanted);
        self.weary.insert((number, deroutes), class);
        Ok(class)
    }

    /// The channels of the leg that don't lead to its destination, with the class of the heads that are in
    /// them with the fewest deroutes.
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
        for port in (0..links.ports() as u8).map(Port) {
            // The far end of a link's input port is where the link comes from.
            let Some((neighbour, output)) = links.end_of(node, port) else {
                continue;
            };
            for channel in 0..links.channels() as u8 {
                let number = links.number(neighbour, output, channel);
                if self.reached[number.index()].is_some() {
                    arrivals.push(number);
                }
            }
        }
        arrivals
    }
}

/// Notes that a head can be in a channel after so many deroutes. Heads are looked at in the order of their
/// deroutes, and whether a hop is one more hangs on the link alone, so the first ones have the fewest.
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
