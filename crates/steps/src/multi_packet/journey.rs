//! Packets go leg by leg.
//!
//! ```text
//!   plan ──▶ legs of this phase set out ──▶ steps until all have reached their goals ──▶ smear ──▶ the next phase
//!                       ▲                                   │
//!                       └── coalesced: the next leg at once ┘
//! ```

use super::algorithm::{Algorithm, Move, Planned};
use super::flood::Flood;
use super::priority::{Priority, WithOrder};
use super::setting::{Draw, Setting};
use super::smear::Smear;
use crate::leg::Leg;
use crate::machine::{Machine, MachineError, Move as Crossing, PacketId};
use crate::meddler::{Nobody, PacketState};
use crate::route::GoOn;
use crate::rules::{AnyInqueue, DimensionOrder, Fixed, Order};
use crate::store::Store;
use flitwork_topology::{Shape, Topology};
use flitwork_types::NodeId;

/// When a phase gives way to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phases {
    /// Once all packets are done with it, which takes an oracle that sees them all.
    #[default]
    Barrier,
    /// At once for each packet: one in an earlier phase goes before it.
    Coalesced,
}

flitwork_schema::named!(Phases { Barrier = "barrier", Coalesced = "coalesced" });

/// How packets go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Which packet a link takes.
    pub priority: Priority,
    /// When a phase ends.
    pub phases: Phases,
    /// Whether packets are smeared after each phase but the last, which takes barriers.
    pub smears: bool,
}

/// Who sees what happens.
pub trait Witness {
    /// A packet that is in a node begins a leg, in a phase.
    fn sets_out(&mut self, _phase: usize, _at: NodeId, _leg: &Leg) {}

    /// A step is done, in which packets have crossed these links.
    fn stepped(&mut self, _moves: &[Crossing]) {}

    /// A phase has ended, in which something was to do: where packets are.
    fn phase_ends(&mut self, _phase: usize, _packets: &[PacketState]) {}
}

impl Witness for Nobody {}

/// How a journey ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Travelled {
    /// The steps of all phases.
    pub steps: u32,
    /// The steps of each phase and of each smearing.
    pub phase_steps: Vec<u32>,
    /// The most packets that any node has held at the beginning, or at a step's end.
    pub queue_max: usize,
    /// The most packets that any node held when a smearing had ended; none if there was none.
    pub smeared_max: Option<usize>,
    /// The most information packets that a link has carried in one direction, where nodes learn the locality.
    pub information_max: Option<u32>,
    /// The packets that are under way: none, unless it was to stop.
    pub undelivered: usize,
    /// The links that packets have crossed.
    pub moves: u64,
}

/// Routes a problem by an algorithm.
///
/// # Errors
/// Those of [`Machine::new`](crate::Machine::new).
pub fn travel<A: Algorithm>(
    shape: &Shape,
    (algorithm, setting): (&A, &Setting),
    problem: &[(NodeId, NodeId)],
    manner: Manner,
    (witness, go_on): (&mut dyn Witness, GoOn<'_>),
) -> Result<Travelled, MachineError> {
    let travel = Travel {
        shape,
        plan: (algorithm, setting),
        problem,
        manner,
        witness,
        go_on,
    };
    manner.priority.with(setting.seed, travel)
}

/// A journey before it is known by which order.
struct Travel<'a, A> {
    shape: &'a Shape,
    plan: (&'a A, &'a Setting),
    problem: &'a [(NodeId, NodeId)],
    manner: Manner,
    witness: &'a mut dyn Witness,
    go_on: GoOn<'a>,
}

impl<A: Algorithm> WithOrder for Travel<'_, A> {
    type Out = Result<Travelled, MachineError>;

    fn with<O: Order>(self, order: O) -> Self::Out {
        let rule = DimensionOrder {
            order,
            inqueue: AnyInqueue::of(Fixed),
        };
        let from = self.problem.iter().map(|it| it.0);
        let machine = Machine::on_legs(self.shape, &rule, Store::Unbounded, from)?;
        let (_, setting) = self.plan;
        let journey = Journey {
            machine: machine.of_flits(setting.flits),
            plans: Plans {
                algorithm: self.plan.0,
                setting,
                problem: self.problem,
                begun: vec![0; self.problem.len()],
                from: vec![0; setting.d],
                to: vec![0; setting.d],
                moves: Vec::new(),
                learnt: Vec::new(),
            },
            open: 0,
            under_way: 0,
            travelled: Travelled::default(),
        };
        Ok(journey.run(self.manner, self.witness, self.go_on))
    }
}

/// What packets have still to do.
struct Plans<'a, A> {
    algorithm: &'a A,
    setting: &'a Setting,
    problem: &'a [(NodeId, NodeId)],
    /// By packet: how many legs have begun, or were left out.
    begun: Vec<u8>,
    from: Vec<u32>,
    to: Vec<u32>,
    moves: Vec<Move>,
    /// By node: the locality that it knows of, if nodes learn it.
    learnt: Vec<u32>,
}

impl<A: Algorithm> Plans<'_, A> {
    /// Plans a packet's legs.
    fn look(&mut self, packet: PacketId, at: NodeId) {
        let (from, to) = self.problem[packet.index()];
        for axis in 0..self.setting.d {
            self.from[axis] = self.setting.coordinate(from, axis);
            self.to[axis] = self.setting.coordinate(to, axis);
        }
        let planned = Planned {
            packet: packet.0,
            from: &self.from,
            to: &self.to,
            learnt: self.learnt.get(at.index()).copied().unwrap_or(0),
        };
        self.moves.clear();
        self.algorithm.plan(self.setting, &planned, &mut self.moves);
    }

    /// A planned leg of a packet that is in a node: how far it is there, and where it leads.
    fn place(&self, packet: PacketId, at: NodeId, number: usize) -> (u32, u32) {
        let planned = &self.moves[number];
        let here = self.setting.coordinate(at, planned.axis);
        let place = planned
            .to
            .place(self.setting, here, packet.0, number as u32);
        (self.setting.distance(here, place), place)
    }

    /// The next leg of a packet that leads anywhere, unless it is of a later phase than the last that is open: then the phase.
    fn next(&mut self, packet: PacketId, at: NodeId, open: u32) -> Next {
        self.look(packet, at);
        let begun = usize::from(self.begun[packet.index()]);
        for number in begun..self.moves.len() {
            let planned = self.moves[number];
            if planned.phase > open {
                return Next::Waits;
            }
            self.begun[packet.index()] += 1;
            let (links, place) = self.place(packet, at, number);
            if links == 0 {
                continue;
            }
            let tie = || self.setting.draw(packet.0, Draw::Tie(number as u32), 2) == 1;
            let mut leg = self.setting.leg(at, (planned.axis, place), tie);
            leg.stage = planned.stage;
            leg.beyond = self.beyond(packet, leg.goal, number + 1);
            return Next::Goes(leg);
        }
        Next::IsHome
    }

    /// The links of all legs from this number on, for a packet that will be in a node.
    fn beyond(&self, packet: PacketId, mut at: NodeId, from: usize) -> u32 {
        let mut all = 0;
        for number in from..self.moves.len() {
            let (links, place) = self.place(packet, at, number);
            at = self.setting.along(at, self.moves[number].axis, place);
            all += links;
        }
        all
    }
}

/// What a packet does that stands.
enum Next {
    /// It begins a leg.
    Goes(Leg),
    /// It waits for a phase.
    Waits,
    /// It has no leg left.
    IsHome,
}

/// A journey under way.
struct Journey<'a, O: Order, A> {
    machine: Machine<'a, Shape, DimensionOrder<O, AnyInqueue>>,
    plans: Plans<'a, A>,
    /// The last phase whose legs may begin.
    open: u32,
    /// The packets that haven't reached the goals of their legs.
    under_way: u32,
    travelled: Travelled,
}

impl<O: Order, A: Algorithm> Journey<'_, O, A> {
    /// The phases in which a leg of any packet begins, in their order.
    fn phases(&mut self) -> Vec<u32> {
        let mut phases = std::collections::BTreeSet::new();
        for packet in 0..self.plans.problem.len() {
            let at = self.plans.problem[packet].0;
            self.plans.look(PacketId(packet as u32), at);
            phases.extend(self.plans.moves.iter().map(|it| it.phase));
        }
        phases.into_iter().collect()
    }

    fn run(mut self, manner: Manner, witness: &mut dyn Witness, go_on: GoOn<'_>) -> Travelled {
        let learns = self.plans.algorithm.learns();
        let mut phases = self.phases();
        if manner.phases == Phases::Coalesced {
            let first = usize::from(learns);
            let last = phases.last().copied();
            phases.truncate(first);
            phases.extend(last);
        }
        let last = phases.len().saturating_sub(1);
        for (number, phase) in phases.into_iter().enumerate() {
            self.open = phase;
            self.begin_phase(witness);
            let mut flood = (learns && number == 0).then(|| self.flood());
            if !self.end_phase(flood.as_mut(), (witness, go_on)) {
                break;
            }
            if let Some(flood) = flood {
                self.travelled.information_max = Some(flood.most_of_a_link());
                self.plans.learnt = flood.into_localities();
            }
            if manner.smears && number < last && !self.smear((witness, go_on)) {
                break;
            }
        }
        Travelled {
            steps: self.machine.steps(),
            queue_max: self.machine.queue_max(),
            undelivered: self.machine.undelivered(),
            moves: self.machine.moved(),
            ..self.travelled
        }
    }

    /// Nodes know the farthest move of their own packets.
    fn flood(&self) -> Flood {
        let Plans {
            setting, problem, ..
        } = self.plans;
        let nodes = self.machine.topology().nodes();
        let farthest = |(from, to): &(NodeId, NodeId)| {
            let along = (0..setting.d).map(|axis| {
                let [from, to] = [from, to].map(|it| setting.coordinate(*it, axis));
                setting.distance(from, to)
            });
            (*from, along.max().unwrap_or(0))
        };
        Flood::of(nodes, problem.iter().map(farthest))
    }

    /// A packet that stands begins its next leg, leaves, or waits.
    fn go_on(&mut self, packet: PacketId, witness: &mut dyn Witness) {
        let at = self.machine.packets()[packet.index()].at;
        match self.plans.next(packet, at, self.open) {
            Next::Goes(leg) => self.set_out((packet, at), leg, witness),
            Next::Waits => {}
            Next::IsHome => self.machine.take_out(packet),
        }
    }

    fn set_out(&mut self, (packet, at): (PacketId, NodeId), leg: Leg, witness: &mut dyn Witness) {
        witness.sets_out(self.travelled.phase_steps.len(), at, &leg);
        self.machine.set_out(packet, leg);
        self.under_way += 1;
    }

    /// All packets that stand begin what the open phase lets them.
    fn begin_phase(&mut self, witness: &mut dyn Witness) {
        for packet in (0..self.plans.problem.len()).map(|it| PacketId(it as u32)) {
            if !self.machine.is_out(packet) {
                self.go_on(packet, witness);
            }
        }
    }

    /// Steps until all legs are done, and the ends of their worms have come. Returns false if it was to stop before.
    fn end_phase(
        &mut self,
        mut flood: Option<&mut Flood>,
        (witness, go_on): (&mut dyn Witness, GoOn<'_>),
    ) -> bool {
        let begun = self.machine.steps();
        let mut arrived = Vec::new();
        loop {
            let floods = flood.as_ref().is_some_and(|flood| !flood.is_done());
            if self.under_way == 0 && !floods {
                break;
            }
            if self.machine.asks() && !go_on(self.machine.steps()) {
                return false;
            }
            if let Some(flood) = &mut flood {
                flood.step(&mut self.machine);
            }
            self.machine.step(&mut Nobody);
            witness.stepped(self.machine.moves());
            arrived.clear();
            arrived.extend_from_slice(self.machine.reached());
            self.under_way -= arrived.len() as u32;
            for packet in &arrived {
                self.go_on(*packet, witness);
            }
            self.machine.note_queues();
        }
        let steps = self.machine.steps();
        if steps > begun {
            self.machine.wait(self.plans.setting.flits - 1);
        }
        self.end(begun, witness);
        true
    }

    fn end(&mut self, begun: u32, witness: &mut dyn Witness) {
        let phase = self.travelled.phase_steps.len();
        self.travelled
            .phase_steps
            .push(self.machine.steps() - begun);
        witness.phase_ends(phase, self.machine.packets());
    }

    /// Packets of each colour are spread evenly over the nodes around them. Returns false if it was to stop before.
    fn smear(&mut self, (witness, go_on): (&mut dyn Witness, GoOn<'_>)) -> bool {
        let setting = self.plans.setting;
        let mut smear = Smear::new(setting);
        for packet in (0..self.plans.problem.len()).map(|it| PacketId(it as u32)) {
            let at = self.machine.packets()[packet.index()].at;
            if !self.machine.is_out(packet) {
                self.plans.look(packet, at);
                let begun = usize::from(self.plans.begun[packet.index()]);
                let last = begun.checked_sub(1).map(|last| self.plans.moves[last]);
                // Along the place that was drawn; where none was, along that which is still to be reached.
                let axis = match (last, self.plans.moves.get(begun)) {
                    (Some(last), _) if last.to.is_drawn() => last.axis,
                    (_, Some(next)) => next.axis,
                    (_, None) => continue,
                };
                smear.put(axis, at, packet);
            }
        }
        let spread: Vec<_> = smear.spread().collect();
        for (packet, axis, place) in spread {
            let at = self.machine.packets()[packet.index()].at;
            let leg = setting.leg(at, (axis, place), || true);
            if leg.links > 0 {
                self.set_out((packet, at), leg, witness);
            }
        }
        let begun = self.machine.steps();
        while self.under_way > 0 {
            if self.machine.asks() && !go_on(self.machine.steps()) {
                return false;
            }
            self.machine.step(&mut Nobody);
            witness.stepped(self.machine.moves());
            self.under_way -= self.machine.reached().len() as u32;
            self.machine.note_queues();
        }
        if self.machine.steps() > begun {
            self.machine.wait(setting.flits - 1);
        }
        let nodes = (0..self.machine.topology().nodes()).map(NodeId);
        let most = nodes.map(|node| self.machine.held(node)).max();
        self.travelled.smeared_max = self.travelled.smeared_max.max(most);
        self.end(begun, witness);
        true
    }
}
