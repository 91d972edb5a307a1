//! Worms that never stop, routed as if they were packets with queues (Roberts and Symvonis 1994, section 3).
//!
//! The mesh is cut into sub-meshes, the [`Supernode`]s, each of which does in many steps what a node of a smaller mesh does in
//! one: it stores the f packets of a queue and sends and takes one in each direction, as worms of k words, none of which may
//! stop. A step of the packet algorithm is a superstep. With k = 4 and f = 12, a supernode has 9 x 9 nodes:
//!
//! ```text
//!   s s s s | s s s s      s  storage: f k nodes
//!   s s s s | s s s s      b  buffers: 4 k nodes
//!   s s b b | b b s s      |  the vertical lane, with the two
//!   s s b b c b b s s      c  command processors
//!   - - - - + - - - -      -  the horizontal lane
//!   s s b b c b b s s
//!   s s b b | b b s s      Each half's storage is on a cycle of C = f k / 2 + s nodes. The left one
//!   s s s s | s s s s      goes up the vertical lane from the last row but one to the second,
//!   s s s s | s s s s      then by the upper storage to the first column, over the horizontal
//!                          lane, and by the lower storage back. The right one is the left one
//!                          turned by half, and goes down.
//! ```
//!
//! A [`Simulation`] makes the plans of rounds. In a [`Round`] all worms begin at one place of their supernodes and end at one, so
//! that each supernode begins one at most; there are (s + 1)^4 rounds. A round is
//!
//! | phase | steps | |
//! |---|---|---|
//! | creation | at most s | from the source to the first slot of a snake, the worms that go around a storage cycle |
//! | supersteps | 4 C + k + 4 each | |
//! | – output selection | C | all worms pass the command processors |
//! | | C | worms turn round in the middle, into gaps of the other snake, until both have two |
//! | – extraction | C + k + 4 | worms leave for the buffer of their direction and turn there; the snakes step aside |
//! | – transmission | in these | all at once, to the next supernode's buffer, while its snakes have left its vertical lane |
//! | – queueing | C | worms leave the buffers for the gaps |
//! | consumption | f k + 4 | around both halves' storage, until each worm is beside its destination |
//!
//! The packet algorithm goes first along the row, then along the column, farthest first. It refuses no packet, so that a queue has
//! at most f - 4 as a superstep begins, which is checked for each round. All is planned before: who is sent, and which gap is
//! whose, is what the command processors would decide.
//!
//! # The paper's, and what is concluded
//!
//! The paper's figures aren't legible in the copy that is read here. The phases, the cycles' lengths, the delay of k + 4, the side
//! steps for what is 2 steps ahead, and clocks of even supernodes that are a step ahead of odd ones' are the paper's. Concluded
//! from its text:
//! - the buffers are squares in the inner corners, and the ways of the cycles (command processors' coordinates are (column, row));
//! - all buffers are alike. The paper's even ones take a step more to enter; here a worm that comes to an even supernode enters a
//!   node further from the crossing, which makes up for the 2 steps that it would be late;
//! - transmission is part of the cycles of extraction and queueing, so that a superstep has no steps of its own for it. With k + s
//!   steps between the two cycles it would be 148 instead of 136 for k = 4 and f = 12;
//! - a worm is created for the snake whose start is in its half above or below the horizontal lane, which is within s links. That
//!   of its half to the left or right may be farther;
//! - each place has one exit from the death cycle; a worm isn't drawn out at the other end of its lane, even if it comes there
//!   first. No delay follows a death cycle: the words still under way are on no snake's links.
//!
//! ```
//! use flitwork_schedule::simulation::{Consumption, Simulation, Supernode, Totals};
//! use flitwork_schedule::{Request, check};
//! use flitwork_types::NodeId;
//!
//! // 2 x 2 supernodes for worms of 4 words and queues of 12 packets: 18 x 18 nodes, each of which sends to the one opposite.
//! let supernode = Supernode::new(4, 12).unwrap();
//! let simulation = Simulation::new(supernode, 2, Consumption::AfterRound).unwrap();
//! let requests: Vec<Request> = (0..324)
//!     .map(|node| Request { source: NodeId(node), destination: NodeId(323 - node), words: 4 })
//!     .collect();
//! let mut totals = Totals::default();
//! for worms in simulation.partition_into_rounds(&requests).unwrap() {
//!     let of_round: Vec<Request> = worms.iter().map(|worm| requests[*worm]).collect();
//!     let round = simulation.round(&of_round).unwrap();
//!     assert_eq!(check(&simulation.mesh(), &of_round, &round.plans, 0), Ok(()));
//!     totals.add(&round);
//! }
//! // A round for each pair of opposite places of a supernode, of all 6,561.
//! assert_eq!((totals.rounds, simulation.rounds()), (81, 6561));
//! assert_eq!(simulation.superstep_steps(), 136);
//! assert_eq!(totals.supersteps, 2 * 81);
//! ```

mod cells;
mod ends;
mod error;
mod packets;
mod round;
mod snakes;
mod supernode;
mod superstep;
mod timetable;
mod walk;
mod ways;

#[cfg(test)]
mod tests;

pub use cells::{Cell, Direction};
pub use error::SimulationError;
pub use packets::Queue;
pub use round::{Consumption, Round, Simulation, Totals};
pub use supernode::{Half, Inadmissible, Place, Quadrant, Region, Supernode};

use supernode::MOST_SIDE;
