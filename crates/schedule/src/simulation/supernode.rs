//! The sub-mesh that stands for a node of the packet algorithm, and what its places are for.

/// The greatest side of a supernode: that of a mesh with the most nodes of a network.
pub(super) const MOST_SIDE: u64 = flitwork_types::MAX_NODES.isqrt() as u64;

/// Why there is no supernode of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Inadmissible {
    /// Worms whose length isn't an even square.
    #[error("worms of {words} words: the length must be an even square, as {next} is")]
    Words {
        /// The words of a worm, k.
        words: u32,
        /// The next greater length that is.
        next: u32,
    },
    /// Queues for which four more packets aren't an even square, or of no packets.
    #[error(
        "queues of {packets} packets: with 4 more they must be an even square above 4, as for {next}"
    )]
    Packets {
        /// The packets of a queue, f.
        packets: u32,
        /// The next greater number that does.
        next: u32,
    },
    /// A supernode with a greater side than a network's mesh can have.
    #[error(
        "worms of {words} words and queues of {packets} packets: no side is greater than {MOST_SIDE} nodes"
    )]
    TooLarge {
        /// The words of a worm, k.
        words: u32,
        /// The packets of a queue, f.
        packets: u32,
    },
}

/// A node of a supernode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// From 0, from left to right.
    pub column: u32,
    /// From 0, from top to bottom.
    pub row: u32,
}

/// A half of a supernode, with its storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The columns before the vertical lane.
    Left,
    /// Those after it.
    Right,
}

impl Half {
    /// Both.
    pub const ALL: [Half; 2] = [Half::Left, Half::Right];

    /// The other one.
    pub fn other(self) -> Half {
        match self {
            Half::Left => Half::Right,
            Half::Right => Half::Left,
        }
    }
}

/// A quarter of a supernode, with its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quadrant {
    /// The half in which it is.
    pub half: Half,
    /// Whether it is above the horizontal lane.
    pub is_upper: bool,
}

impl Quadrant {
    /// All four, clockwise from the upper left.
    pub const ALL: [Quadrant; 4] = [
        Quadrant::new(Half::Left, true),
        Quadrant::new(Half::Right, true),
        Quadrant::new(Half::Right, false),
        Quadrant::new(Half::Left, false),
    ];

    pub(super) const fn new(half: Half, is_upper: bool) -> Quadrant {
        Quadrant { half, is_upper }
    }
}

/// What a node of a supernode is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// The middle row or the middle column: the way out, and to the buffers.
    Lane,
    /// Where worms are stored.
    Storage(Half),
    /// Where a worm waits to go to another supernode, or has come from one.
    Buffer(Quadrant),
}

/// The sub-mesh that stands for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Supernode {
    /// The words of a worm, k.
    words: u32,
    /// The packets of a queue, f.
    packets: u32,
    /// The side of a quadrant: s / 2.
    pub(super) quadrant: u32,
    /// The side of a buffer.
    pub(super) buffer: u32,
}

/// The side of the smallest even square that is at least so great, and not 0.
fn even_side(least: u32) -> u32 {
    let root = least.isqrt();
    let up = root + u32::from(root * root < least);
    up.next_multiple_of(2).max(2)
}

impl Supernode {
    /// A supernode for worms of k words and queues of f packets, where k and f + 4 are even squares and f isn't 0. Its side is
    /// s + 1, with s = √((f + 4) k).
    ///
    /// # Errors
    /// [`Inadmissible`], with the next size that isn't.
    pub fn new(words: u32, packets: u32) -> Result<Supernode, Inadmissible> {
        let too_large = Inadmissible::TooLarge { words, packets };
        let nodes = u64::from(words) * (u64::from(packets) + 4);
        let most = (MOST_SIDE - 1).pow(2);
        if nodes > most || u64::from(words.max(packets)) > most {
            return Err(too_large);
        }
        let buffer = even_side(words);
        if buffer * buffer != words {
            let next = buffer * buffer;
            return Err(Inadmissible::Words { words, next });
        }
        let all = even_side((packets + 4).max(5));
        if all * all != packets + 4 {
            let next = all * all - 4;
            return Err(Inadmissible::Packets { packets, next });
        }
        Ok(Supernode {
            words,
            packets,
            quadrant: all * buffer / 2,
            buffer,
        })
    }

    /// The words of a worm, k.
    pub fn words(&self) -> u32 {
        self.words
    }

    /// The packets of a queue, f.
    pub fn packets(&self) -> u32 {
        self.packets
    }

    /// The side, in nodes: s + 1.
    pub fn side(&self) -> u32 {
        2 * self.quadrant + 1
    }

    /// The column of the vertical lane, and the row of the horizontal one: s / 2.
    pub fn lane(&self) -> u32 {
        self.quadrant
    }

    /// What a place is for.
    pub fn region(&self, place: Place) -> Region {
        let lane = self.lane();
        if place.column == lane || place.row == lane {
            return Region::Lane;
        }
        let half = if place.column < lane {
            Half::Left
        } else {
            Half::Right
        };
        let apart = [place.column, place.row].map(|it| it.abs_diff(lane));
        if apart.iter().all(|it| *it <= self.buffer) {
            Region::Buffer(Quadrant::new(half, place.row < lane))
        } else {
            Region::Storage(half)
        }
    }

    /// The processors that decide which worms go where: the upper one, and the lower one. They are where the lanes' crossing has
    /// its neighbours in the vertical lane, next to the buffers' inner corners.
    pub fn command_processors(&self) -> [Place; 2] {
        let column = self.lane();
        [column - 1, column + 1].map(|row| Place { column, row })
    }
}
