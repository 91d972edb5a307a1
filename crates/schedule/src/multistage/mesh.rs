//! A mesh of rows and columns.

use crate::Request;
use flitwork_topology::{Grid, Topology};
use flitwork_types::NodeId;

/// The longest side of a mesh, in nodes.
pub const MAX_SIDE: u32 = 1 << 16;

/// Why a grid isn't such a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// It is a torus.
    #[error("a torus; the paths are those of a mesh")]
    Wraps,
    /// It doesn't have two dimensions.
    #[error("{0} sides; the mesh has 2")]
    Dimensions(usize),
    /// A side is longer than [`MAX_SIDE`].
    #[error("a side of {0}; the longest is {MAX_SIDE}")]
    Side(u32),
}

/// Why a problem can't be scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemError {
    /// A source or a destination beyond the last node.
    #[error("packet {packet} names node {node}, which isn't there")]
    Node {
        /// The request's place.
        packet: usize,
        /// The node.
        node: NodeId,
    },
    /// A packet without words, or one with more than [`MAX_WORDS`]; on a graph, one that stays where it is may have more.
    #[error("packet {packet} has {words} words; 1 to {MAX_WORDS} can be scheduled")]
    Words {
        /// The request's place.
        packet: usize,
        /// Its words.
        words: u32,
    },
    /// No links lead from the source to the destination.
    #[error("packet {packet} can't reach its destination")]
    Apart {
        /// The request's place.
        packet: usize,
    },
    /// An order that doesn't name each packet once.
    #[error("the order doesn't name each packet once")]
    Order,
}

/// The most words of a packet.
pub const MAX_WORDS: u32 = 1 << 16;

/// A place: column, then row.
pub(super) type Place = [u16; 2];

/// A mesh of rows x columns.
#[derive(Clone, Debug)]
pub struct Mesh {
    grid: Grid,
    pub(super) columns: u32,
    pub(super) rows: u32,
    places: Vec<Place>,
}

impl Mesh {
    /// The mesh of a grid: its first side is the number of columns.
    ///
    /// # Errors
    /// A [`MeshError`] for a torus, for other than two dimensions, and for long sides.
    pub fn new(grid: &Grid) -> Result<Mesh, MeshError> {
        if grid.wraps() {
            return Err(MeshError::Wraps);
        }
        let sides = grid.sides();
        let [columns, rows] = sides[..] else {
            return Err(MeshError::Dimensions(sides.len()));
        };
        if let Some(long) = sides.iter().find(|side| **side > MAX_SIDE) {
            return Err(MeshError::Side(*long));
        }
        let along = |y: u32| (0..columns).map(move |x| [x as u16, y as u16]);
        Ok(Mesh {
            grid: grid.clone(),
            columns,
            rows,
            places: (0..rows).flat_map(along).collect(),
        })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How many columns there are: the nodes of a row.
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.columns * self.rows
    }

    /// The packets of a permutation, each of one word: `destinations[node]` is where the one of `node` goes.
    pub fn permutation(destinations: &[u32]) -> Vec<Request> {
        let pairs = (0..).zip(destinations);
        let request = |(source, destination): (u32, &u32)| Request {
            source: NodeId(source),
            destination: NodeId(*destination),
            words: 1,
        };
        pairs.map(request).collect()
    }

    /// Checks that packets are the mesh's.
    pub(super) fn admits(&self, requests: &[Request]) -> Result<(), ProblemError> {
        for (packet, request) in requests.iter().enumerate() {
            if let Some(node) = request.beyond(self.grid.nodes()) {
                return Err(ProblemError::Node { packet, node });
            }
            if !(1..=MAX_WORDS).contains(&request.words) {
                let words = request.words;
                return Err(ProblemError::Words { packet, words });
            }
        }
        Ok(())
    }

    #[inline]
    pub(super) fn place(&self, node: NodeId) -> Place {
        self.places[node.index()]
    }
}
