//! Rounds: what one is, and all of them one after the other.

use super::packets::{self, Packet, Run};
use super::snakes::{Slot, Snakes};
use super::superstep::{Tracks, cells};
use super::walk::Walk;
use super::{Cell, MOST_SIDE, Place, SimulationError, Supernode};
use crate::{Plan, Request, makespan};
use flitwork_topology::Grid;
use flitwork_types::NodeId;
use std::collections::{BTreeMap, HashMap};

/// When worms that have come to their supernode go to their destination in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consumption {
    /// After the last superstep: for permutations. Until then they are in the queue of their supernode.
    AfterRound,
    /// At the end of each superstep, which takes f k + 4 more steps: for many worms to one supernode.
    EachSuperstep,
}

/// A mesh of supernodes, on which worms are routed as if they were packets.
#[derive(Clone, Debug)]
pub struct Simulation {
    tracks: Tracks,
    across: u32,
    consumption: Consumption,
}

/// The way of all worms of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// A plan for each request, in their order. The first hop of an even supernode's worms is in step 0, that of an odd one's in
    /// step 1, and none of them ever waits.
    pub plans: Vec<Plan>,
    /// The steps of the packet algorithm.
    pub supersteps: u32,
    /// The steps until the last word of the last worm is where it goes.
    pub steps: u32,
    /// The most packets that a supernode has as a superstep begins.
    pub longest_queue: u32,
}

/// What rounds took, one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The rounds with worms.
    pub rounds: u64,
    /// Their supersteps.
    pub supersteps: u64,
    /// Their steps.
    pub steps: u64,
    /// The steps of the longest one.
    pub longest_round: u32,
    /// The most packets that a supernode has as a superstep begins.
    pub longest_queue: u32,
}

impl Totals {
    /// Counts a round.
    pub fn add(&mut self, round: &Round) {
        self.rounds += 1;
        self.supersteps += u64::from(round.supersteps);
        self.steps += u64::from(round.steps);
        self.longest_round = self.longest_round.max(round.steps);
        self.longest_queue = self.longest_queue.max(round.longest_queue);
    }
}

impl Simulation {
    /// A mesh of `across` x `across` supernodes.
    ///
    /// # Errors
    /// [`SimulationError::Mesh`] if there are none, or more than a network's mesh has room for.
    pub fn new(
        supernode: Supernode,
        across: u32,
        consumption: Consumption,
    ) -> Result<Simulation, SimulationError> {
        let most = MOST_SIDE as u32 / supernode.side();
        if across == 0 || across > most {
            return Err(SimulationError::Mesh { across, most });
        }
        Ok(Simulation {
            tracks: Tracks::new(supernode),
            across,
            consumption,
        })
    }

    /// The mesh of all nodes.
    pub fn mesh(&self) -> Grid {
        let side = self.across * self.tracks.supernode.side();
        Grid::mesh(&[side, side]).expect("the mesh is no larger than a network's")
    }

    /// The rounds of the paper's algorithm, with worms or without: one for each pair of places of a supernode, (s + 1)^4.
    pub fn rounds(&self) -> u64 {
        u64::from(self.tracks.supernode.side()).pow(4)
    }

    /// The steps of a superstep: 2 f k + 4 s + k + 4, and f k + 4 more if worms are consumed in each.
    pub fn superstep_steps(&self) -> u32 {
        let times = &self.tracks.timetable;
        match self.consumption {
            Consumption::AfterRound => times.superstep(),
            Consumption::EachSuperstep => times.superstep() + times.death_cycle,
        }
    }

    /// The supernode of a node, and the node's place in it.
    pub fn locate(&self, node: NodeId) -> (Cell, Place) {
        let side = self.tracks.supernode.side();
        let width = side * self.across;
        let (x, y) = (node.0 % width, node.0 / width);
        let cell = Cell {
            column: x / side,
            row: y / side,
        };
        let place = Place {
            column: x % side,
            row: y % side,
        };
        (cell, place)
    }

    fn number(&self, cell: Cell) -> usize {
        (cell.row * self.across + cell.column) as usize
    }

    /// The places of the worms' ends in their supernodes.
    fn ends(&self, request: &Request) -> [Place; 2] {
        [request.source, request.destination].map(|node| self.locate(node).1)
    }

    /// Refuses worms that aren't those of this mesh.
    fn admit(&self, requests: &[Request]) -> Result<(), SimulationError> {
        let needed = self.tracks.supernode.words();
        let width = self.across * self.tracks.supernode.side();
        for (worm, request) in requests.iter().enumerate() {
            if let Some(node) = request.beyond(width * width) {
                return Err(SimulationError::NoNode { worm, node });
            }
            let words = request.words;
            if words != needed {
                return Err(SimulationError::Words {
                    worm,
                    words,
                    needed,
                });
            }
        }
        Ok(())
    }

    /// Shares worms out among rounds, of which each has those that begin at one place of their supernodes, and end at one. A
    /// round begins at most one worm in a node, so that many of one node to one place are of as many rounds.
    ///
    /// # Errors
    /// A [`SimulationError`] for worms that aren't those of this mesh.
    pub fn partition_into_rounds(
        &self,
        requests: &[Request],
    ) -> Result<Vec<Vec<usize>>, SimulationError> {
        self.admit(requests)?;
        let mut rounds: BTreeMap<([Place; 2], usize), Vec<usize>> = BTreeMap::new();
        let mut begun: HashMap<(NodeId, Place), usize> = HashMap::new();
        for (worm, request) in requests.iter().enumerate() {
            let ends = self.ends(request);
            let turn = begun.entry((request.source, ends[1])).or_default();
            rounds.entry((ends, *turn)).or_default().push(worm);
            *turn += 1;
        }
        Ok(rounds.into_values().collect())
    }

    /// Routes the worms of one round, of which there are at most one from each supernode.
    ///
    /// # Errors
    /// A [`SimulationError`] for worms that aren't those of one round of this mesh, or too long a queue.
    pub fn round(&self, requests: &[Request]) -> Result<Round, SimulationError> {
        self.admit(requests)?;
        let mut sources: HashMap<NodeId, usize> = HashMap::new();
        for (worm, request) in requests.iter().enumerate() {
            if self.ends(request) != self.ends(&requests[0]) {
                return Err(SimulationError::OtherRound { worm });
            }
            if let Some(other) = sources.insert(request.source, worm) {
                let worms = [other, worm];
                return Err(SimulationError::SharedSource { worms });
            }
        }
        // A worm that is where it goes stays out of the network.
        let moving = requests.iter().filter(|it| it.source != it.destination);
        let moving: Vec<&Request> = moving.collect();
        if moving.is_empty() {
            return Ok(Round {
                plans: vec![Plan::default(); requests.len()],
                supersteps: 0,
                steps: 0,
                longest_queue: 0,
            });
        }
        let packet = |request: &&Request| Packet {
            at: self.locate(request.source).0,
            to: self.locate(request.destination).0,
        };
        let packets: Vec<Packet> = moving.iter().map(packet).collect();
        let run = packets::run(self.across, packets.clone(), self.consumption);
        let most = self.tracks.supernode.packets() - 4;
        let longest = run.longest;
        if longest.packets > most {
            return Err(SimulationError::Queue { longest, most });
        }
        let ends = self.ends(moving[0]);
        let mut walks = self.walk(&packets, ends, &run).into_iter();
        let plan = |request: &Request| match request.source == request.destination {
            true => Plan::default(),
            false => Plan {
                hops: walks.next().expect("each worm has walked").hops(),
            },
        };
        let plans: Vec<Plan> = requests.iter().map(plan).collect();
        Ok(Round {
            steps: makespan(requests, &plans),
            plans,
            supersteps: run.supersteps.len() as u32,
            longest_queue: longest.packets,
        })
    }

    /// Moves the worms of a round as the packet algorithm says, from and to the places of their ends.
    fn walk(&self, packets: &[Packet], ends: [Place; 2], run: &Run) -> Vec<Walk> {
        let supernode = &self.tracks.supernode;
        let (half, birth) = self.tracks.birth(ends[0]);
        let mut snakes = vec![Snakes::new(supernode.packets()); cells(self.across).count()];
        let mut walks = Vec::new();
        for (worm, packet) in packets.iter().enumerate() {
            let cell = packet.at;
            let start = u32::from(!cell.is_even());
            let mut walk = Walk::new(supernode.side(), cell, ends[0], start);
            walk.through(birth.iter().copied());
            walks.push(walk);
            snakes[self.number(cell)].put(Slot { half, number: 0 }, worm);
        }
        let mut start = birth.len() as u32;
        for (number, sends) in run.supersteps.iter().enumerate() {
            self.tracks
                .superstep(self.across, &mut snakes, &mut walks, sends, start);
            start += self.superstep_steps();
            let is_last = number + 1 == run.supersteps.len();
            if is_last || self.consumption == Consumption::EachSuperstep {
                self.consume(&mut snakes, &mut walks, packets, ends[1]);
            }
        }
        walks
    }

    /// The consumption phase: a death cycle for all worms that aren't yet in their supernode.
    fn consume(
        &self,
        snakes: &mut [Snakes],
        walks: &mut [Walk],
        packets: &[Packet],
        destination: Place,
    ) {
        for (cell, here) in cells(self.across).zip(snakes) {
            for (worm, slot) in here.worms() {
                let walk = &mut walks[worm];
                if packets[worm].to == cell {
                    self.tracks.consume(walk, slot, destination);
                    here.take(slot);
                } else {
                    self.tracks.survive(walk, slot);
                }
            }
        }
    }
}
