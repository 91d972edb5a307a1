//! The heads that packets to one goal can be, in an order in which each comes before those that it can become.

use super::Unloaded;
use super::demand::Goal;
use crate::routing::contract::{Chance, Choice, Choices, Declaration, Head, Routing, Split};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{NodeId, PacketId, Port, PortSet};
use std::collections::BinaryHeap;

/// Which part of its way a packet is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    /// To an intermediate node.
    First,
    /// To its destination, for good.
    Last,
}

/// A step that a head can take.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The link, by node and port.
    link: u32,
    /// The head that it becomes: its number until that head is followed to the end, and then its place.
    to: u32,
    /// Which part of the words goes there.
    part: f64,
}

/// Whether a head has been found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    New,
    /// What it becomes is being followed.
    Open,
    /// It has a place.
    Placed(u32),
}

/// A head that has a place.
#[derive(Clone, Copy, Debug)]
struct Placed {
    number: u32,
    /// Where it is, if it came over a link.
    came_to: Option<NodeId>,
    steps: (u32, u32),
}

/// A head that is being followed: its number, its next step and the end of its steps.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u32,
    first: u32,
    next: u32,
    end: u32,
}

/// The ways to a goal. What a head can become has a lower place than it; the goal's place is 0.
pub(super) struct Ways<'a> {
    routing: &'a dyn Routing,
    pub(super) shape: &'a Shape,
    declaration: Declaration,
    split: Split,
    leg: Leg,
    goal: Goal,
    marks: Vec<Mark>,
    placed: Vec<Placed>,
    steps: Vec<Step>,
    open: Vec<Open>,
    choices: Choices,
    /// The heads that may still be followed, and how many might at first.
    left: u64,
    allowed: u64,
    /// Whether the words of a head have divided over ports of which the function doesn't draw one.
    pub(super) divides: bool,
}

impl<'a> Ways<'a> {
    pub(super) fn new(routing: &'a dyn Routing, shape: &'a Shape, allowed: u64) -> Ways<'a> {
        let declaration = routing.declaration();
        let links = shape.nodes() as usize * shape.ports();
        let heads = shape.nodes() as usize + links * usize::from(declaration.channels);
        Ways {
            routing,
            shape,
            declaration,
            split: routing.split(),
            leg: Leg::Last,
            goal: Goal {
                node: NodeId(0),
                terminal: None,
            },
            marks: vec![Mark::New; heads],
            placed: Vec::new(),
            steps: Vec::new(),
            open: Vec::new(),
            choices: Choices::default(),
            left: allowed,
            allowed,
            divides: false,
        }
    }

    /// Whether it matters to which terminal of a node packets go.
    pub(super) fn by_terminal(&self) -> bool {
        self.split == Split::ByTerminal
    }

    /// The function.
    pub(super) fn routing(&self) -> &'a dyn Routing {
        self.routing
    }

    /// How many places there are.
    pub(super) fn places(&self) -> usize {
        self.placed.len()
    }

    /// Where the head at a place is, if it came over a link.
    pub(super) fn came_to(&self, place: usize) -> Option<NodeId> {
        self.placed[place].came_to
    }

    /// Begins with another goal.
    pub(super) fn begin(&mut self, goal: Goal, leg: Leg) {
        for placed in self.placed.drain(..) {
            self.marks[placed.number as usize] = Mark::New;
        }
        self.steps.clear();
        (self.goal, self.leg) = (goal, leg);
        let number = goal.node.0;
        self.marks[number as usize] = Mark::Placed(0);
        self.placed.push(Placed {
            number,
            came_to: None,
            steps: (0, 0),
        });
    }

    /// Follows all heads that a packet which enters at a node can become; the place of its first.
    pub(super) fn enter(&mut self, node: NodeId) -> Result<usize, Unloaded> {
        let first = node.0;
        if let Mark::New = self.marks[first as usize] {
            self.follow(first)?;
        }
        match self.marks[first as usize] {
            Mark::Placed(place) => Ok(place as usize),
            Mark::New | Mark::Open => Err(Unloaded::Astray),
        }
    }

    fn follow(&mut self, first: u32) -> Result<(), Unloaded> {
        self.open_up(first)?;
        while let Some(last) = self.open.last_mut() {
            if last.next < last.end {
                let to = self.steps[last.next as usize].to;
                last.next += 1;
                match self.marks[to as usize] {
                    Mark::Placed(_) => {}
                    Mark::New => self.open_up(to)?,
                    Mark::Open => return Err(Unloaded::Astray),
                }
                continue;
            }
            let Open {
                number, first, end, ..
            } = *last;
            self.open.pop();
            for step in &mut self.steps[first as usize..end as usize] {
                if let Mark::Placed(place) = self.marks[step.to as usize] {
                    step.to = place;
                }
            }
            self.marks[number as usize] = Mark::Placed(self.placed.len() as u32);
            let is_entry = number < self.shape.nodes();
            self.placed.push(Placed {
                number,
                came_to: (!is_entry).then(|| self.head(number).here),
                steps: (first, end),
            });
        }
        Ok(())
    }

    /// Counts a head that is followed.
    fn spend(&mut self) -> Result<(), Unloaded> {
        let allowed = self.allowed;
        let left = self.left.checked_sub(1);
        self.left = left.ok_or(Unloaded::TooMuch { allowed })?;
        Ok(())
    }

    /// Asks the function about a head.
    fn open_up(&mut self, number: u32) -> Result<(), Unloaded> {
        self.spend()?;
        let first = self.steps.len();
        let head = self.head(number);
        let coins = match self.split {
            Split::ByTerminal => &[0],
            _ => self.declaration.coins,
        };
        let part = 1.0 / coins.len() as f64;
        for coins in coins {
            let chance = self.chance(&head, *coins);
            self.routing.choices_under(&head, chance, &mut self.choices);
            self.take_steps(&head, first, part)?;
        }
        self.marks[number as usize] = Mark::Open;
        self.open.push(Open {
            number,
            first: first as u32,
            next: first as u32,
            end: self.steps.len() as u32,
        });
        Ok(())
    }

    fn chance(&self, head: &Head, coins: u32) -> Chance {
        let intermediate = match self.leg {
            _ if self.split == Split::ByTerminal => return Chance::Drawn,
            Leg::Last if self.declaration.visits => head.here,
            Leg::First | Leg::Last => self.goal.node,
        };
        Chance::Given {
            coins,
            intermediate,
        }
    }

    /// Divides a part of a head's words over the choices: the preferred ones, or those that it falls back on if it prefers none.
    fn take_steps(&mut self, head: &Head, first: usize, part: f64) -> Result<(), Unloaded> {
        let Choices {
            preferred,
            fallback,
        } = &self.choices;
        let chosen = match preferred.is_empty() {
            false => preferred,
            true => fallback,
        };
        let chosen = || chosen.iter().filter(|choice| !choice.deroute);
        let ports = chosen().map(|choice| choice.port);
        let ports = ports.collect::<PortSet>().len();
        self.divides |= ports > 1 && self.split == Split::Free;
        let part = part / ports as f64;
        let mut seen = PortSet::first(0);
        for Choice { port, channels, .. } in chosen() {
            let port = *port;
            if seen.contains(port) {
                continue;
            }
            seen.insert(port);
            let (next, from) = self.shape.far(head.here, port).ok_or(Unloaded::Astray)?;
            let to = match next == self.goal.node {
                true => next.0,
                false => self.number(next, from, channels.trailing_zeros()),
            };
            let link = head.here.0 * self.shape.ports() as u32 + u32::from(port.0);
            let known = self.steps[first..].iter_mut();
            let mut known = known.filter(|it| (it.link, it.to) == (link, to));
            match known.next() {
                Some(step) => step.part += part,
                None => self.steps.push(Step { link, to, part }),
            }
        }
        match self.steps.len() == first {
            true => Err(Unloaded::Astray),
            false => Ok(()),
        }
    }

    /// The number of a head that came to a node at a port, in a channel; those that enter have their nodes'.
    fn number(&self, node: NodeId, port: Port, channel: u32) -> u32 {
        let link = node.0 * self.shape.ports() as u32 + u32::from(port.0);
        self.shape.nodes() + link * u32::from(self.declaration.channels) + channel
    }

    fn head(&self, number: u32) -> Head {
        let (channels, ports) = (
            u32::from(self.declaration.channels),
            self.shape.ports() as u32,
        );
        let (here, from) = match number.checked_sub(self.shape.nodes()) {
            None => (NodeId(number), None),
            Some(channel) => {
                let link = channel / channels;
                let port = Port((link % ports) as u8);
                let from = (port, (channel % channels) as u8);
                (NodeId(link / ports), Some(from))
            }
        };
        Head {
            here,
            packet: PacketId::default(),
            destination: self.goal.node,
            terminal: self.goal.terminal.unwrap_or_default(),
            deroutes: 0,
            from,
        }
    }

    /// Hands on the words at a place: over each link, and to the place of what the head becomes.
    pub(super) fn hand_on(&self, place: usize, mut to: impl FnMut(usize, usize, f64)) {
        let (first, end) = self.placed[place].steps;
        for step in &self.steps[first as usize..end as usize] {
            to(step.link as usize, step.to as usize, step.part);
        }
    }

    /// Lets words flow from their places to the goal, and adds them to the links.
    pub(super) fn flow(&self, mut words: Vec<f64>, links: &mut [f64]) {
        for place in (1..self.places()).rev() {
            let here = words[place];
            if here != 0.0 {
                self.hand_on(place, |link, to, part| {
                    links[link] += here * part;
                    words[to] += here * part;
                });
            }
        }
    }
}

/// Words that flow from few places.
#[derive(Default)]
pub(super) struct Trickle {
    words: Vec<f64>,
    /// Places with words, the highest first.
    waiting: BinaryHeap<u32>,
}

impl Trickle {
    /// Puts words at a place.
    pub(super) fn put(&mut self, place: usize, words: f64) {
        if self.words.len() <= place {
            self.words.resize(place + 1, 0.0);
        }
        if self.words[place] == 0.0 {
            self.waiting.push(place as u32);
        }
        self.words[place] += words;
    }

    /// Lets them flow to the goal, except for what comes to the node `ends` on the way, and adds them to the links; what comes to the
    /// goal.
    pub(super) fn flow(
        &mut self,
        ways: &mut Ways<'_>,
        ends: NodeId,
        links: &mut [f64],
    ) -> Result<f64, Unloaded> {
        let mut arrived = 0.0;
        while let Some(place) = self.waiting.pop() {
            let place = place as usize;
            let here = std::mem::take(&mut self.words[place]);
            ways.spend()?;
            if place == 0 {
                arrived += here;
            } else if ways.came_to(place) != Some(ends) {
                ways.hand_on(place, |link, to, part| {
                    links[link] += here * part;
                    self.put(to, here * part);
                });
            }
        }
        Ok(arrived)
    }
}
