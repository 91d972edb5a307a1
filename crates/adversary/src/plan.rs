//! The plan of a construction: how many packets of each class there are, and where they start.
//!
//! ```text
//!      1 … cn          columns and rows counted from 1, the corner in the north-west
//!   1  ┌──────────┬─┐
//!   …  │ any class│N│  N_i-packets go to column cn - 1 + i, south of row cn - 1 + i,
//!      │          │1│  E_i-packets go to row cn - 1 + i, east of column cn - 1 + i.
//!  cn  ├──────────┤ │
//!      │    E1    │ │
//!      └──────────┴─┘
//! ```

use flitwork_types::draws;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// South down a column, or east along a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Down a column (north in the thesis's chapter 2, whose corner is in the south-west).
    N,
    /// Along a row.
    E,
}

/// A class of packets: all go down one column, or along one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Column or row.
    pub kind: Direction,
    /// Which one, from 1 on.
    pub index: u32,
}

impl Class {
    /// N_1, E_1, N_2, E_2, …
    pub fn number(number: usize) -> Class {
        let kind = if number.is_multiple_of(2) {
            Direction::N
        } else {
            Direction::E
        };
        Class {
            kind,
            index: number as u32 / 2 + 1,
        }
    }

    /// The position of the class in that order.
    pub fn place(self) -> usize {
        2 * (self.index as usize - 1) + usize::from(self.kind == Direction::E)
    }
}

/// A number of rows or columns for each of a mesh, d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// So many …
    pub parts: u32,
    /// … of so many.
    pub of: NonZeroU32,
}

impl Fraction {
    /// 1/3, the choice of sections 2.2 and 4.2.1.
    pub const THIRD: Fraction = Fraction {
        parts: 1,
        of: NonZeroU32::new(3).unwrap(),
    };
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of.get() {
            1 => write!(f, "{}", self.parts),
            of => write!(f, "{}/{of}", self.parts),
        }
    }
}

impl FromStr for Fraction {
    type Err = &'static str;

    /// A whole number, or two with a slash between them.
    fn from_str(text: &str) -> Result<Fraction, Self::Err> {
        let (parts, of) = text.split_once('/').unwrap_or((text, "1"));
        match (parts.parse(), of.parse()) {
            (Ok(parts), Ok(of)) => Ok(Fraction { parts, of }),
            _ => Err("allowed: a whole number, or a fraction such as 1/3"),
        }
    }
}

/// The sizes of a construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The side of the mesh, n.
    pub n: u32,
    /// The side of the corner in which packets start, cn.
    pub corner: u32,
    /// Queue positions of a node that count, k.
    pub k: u32,
    /// Packets of a complete class, p.
    pub per_class: u32,
    /// Packets of each class, in the order N_1, E_1, N_2, …; the last two may be partial.
    pub counts: Vec<u32>,
}

/// A construction that doesn't fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// The corner has fewer than 2 nodes per side, or is too large for its mesh.
    Corner {
        /// The mesh's side.
        n: u32,
        /// The corner's.
        corner: u32,
        /// The largest corner for which all destinations exist; below 2 there is none.
        most: u32,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlanError::Corner { n, corner, most } = self;
        if *most < 2 {
            return write!(
                f,
                "a mesh of side {n} is too small for a corner of 2 x 2 nodes; allowed: 4 or more"
            );
        }
        write!(
            f,
            "a corner of {corner} x {corner} nodes in a mesh of side {n}; allowed: 2 to {most}"
        )
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// The sizes of sections 2.2 and 4.2.1 for a corner of `corner` nodes per side: d = 1/3 and p =
    /// floor((k + 1)(cn + c²n) + dn).
    ///
    /// # Errors
    /// If the corner is too small or too large for the mesh.
    pub fn new(n: u32, k: u32, corner: u32) -> Result<Plan, PlanError> {
        Plan::with_d(n, k, corner, Fraction::THIRD)
    }

    /// The same with another d.
    ///
    /// # Errors
    /// If the corner is too small or too large for the mesh.
    pub fn with_d(n: u32, k: u32, corner: u32, d: Fraction) -> Result<Plan, PlanError> {
        let counts = Plan::counts(n, k, corner, d).ok_or_else(|| {
            // Larger corners need more room, so bisection finds the largest that fits.
            let (mut most, mut too_large) = (1, (n / 2).saturating_add(1));
            while too_large - most > 1 {
                let middle = most + (too_large - most) / 2;
                match Plan::counts(n, k, middle, d) {
                    Some(_) => most = middle,
                    None => too_large = middle,
                }
            }
            PlanError::Corner { n, corner, most }
        })?;
        let per_class = u32::try_from(per_class(n, k, corner, d)).unwrap_or(u32::MAX);
        Ok(Plan {
            n,
            corner,
            k,
            per_class,
            counts,
        })
    }

    /// The thesis's corner, cn for c = 7 / (12 (k + 2)); it has fewer than 2 nodes per side on meshes
    /// of fewer than 24 (k + 2) / 7.
    pub fn usual_corner(n: u32, k: u32) -> u32 {
        (7 * u64::from(n) / (12 * (u64::from(k) + 2))) as u32
    }

    /// The number of packets of each class, if all their destinations exist.
    fn counts(n: u32, k: u32, corner: u32, d: Fraction) -> Option<Vec<u32>> {
        if corner < 2 || corner > n / 2 {
            return None;
        }
        let packets = u128::from(corner) * u128::from(corner);
        let per_class = per_class(n, k, corner, d);
        if per_class == 0 {
            return None;
        }
        let whole = packets / (2 * per_class);
        let rest = packets - whole * 2 * per_class;
        let classes = whole + u128::from(rest > 0);
        // The destinations of N_i lie in the rows south of row cn - 1 + i.
        let most = if whole > 0 {
            per_class
        } else {
            rest.div_ceil(2)
        };
        if most + u128::from(corner) - 1 + classes > u128::from(n) {
            return None;
        }
        let mut counts = vec![per_class as u32; 2 * whole as usize];
        if rest > 0 {
            counts.extend([rest.div_ceil(2) as u32, (rest / 2) as u32]);
        }
        Some(counts)
    }

    /// k for a node with the given multiqueue: of the 4 input frames, 4 output frames and the multiqueue,
    /// the 4 frames towards north and west are never used, nor is one more (section 4.2.1, footnote 1).
    pub fn queue_positions(multiqueue_frames: usize) -> u32 {
        multiqueue_frames as u32 + 3
    }

    /// The number of packets: one per node of the corner.
    pub fn packets(&self) -> u32 {
        self.corner * self.corner
    }

    /// The class of each packet, row by row: N_1 down the corner's last column, E_1 along the rest of
    /// its last row, everything else at random.
    pub fn place(&self, seed: u64) -> Vec<Class> {
        let side = self.corner as usize;
        let mut left = self.counts.clone();
        let mut classes = vec![None; side * side];
        let mut put = |node: usize, class: usize| {
            if left[class] > 0 {
                left[class] -= 1;
                classes[node] = Some(Class::number(class));
            }
        };
        for line in 0..side {
            put(line * side + side - 1, 0);
        }
        for line in 0..side - 1 {
            put((side - 1) * side + line, 1.min(self.counts.len() - 1));
        }
        let mut rest: Vec<Class> = left
            .iter()
            .enumerate()
            .flat_map(|(class, count)| vec![Class::number(class); *count as usize])
            .collect();
        shuffle(&mut rest, &mut Pcg64Mcg::seed_from_u64(seed));
        let drawn = classes.into_iter().map(|class| {
            class.unwrap_or_else(|| rest.pop().expect("as many packets as nodes of the corner"))
        });
        drawn.collect()
    }
}

/// p = floor((k + 1)(cn + cn²/n) + a/b n) = floor((b (k + 1)(cn n + cn²) + a n²) / bn).
fn per_class(n: u32, k: u32, corner: u32, d: Fraction) -> u128 {
    let (n, k, cn) = (u128::from(n), u128::from(k), u128::from(corner));
    let (a, b) = (u128::from(d.parts), u128::from(d.of.get()));
    (b * (k + 1) * (cn * n + cn * cn) + a * n * n) / (b * n)
}

/// Puts a list into a random order.
pub(crate) fn shuffle<T>(items: &mut [T], random: &mut impl Rng) {
    draws::shuffle(items, |bound| {
        draws::below(random.next_u64(), bound as u64) as usize
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chinn 1995, Table 4.1: cn for each n.
    #[test]
    fn corners_are_the_published_ones() {
        let published = [
            (600, 35),
            (720, 42),
            (960, 56),
            (1080, 63),
            (1200, 70),
            (1560, 91),
        ];
        let more = [(1800, 105), (2280, 133), (2520, 147), (3120, 182)];
        for (n, corner) in published.into_iter().chain(more) {
            assert_eq!(
                Plan::new(n, 8, Plan::usual_corner(n, 8)).unwrap().corner,
                corner
            );
        }
    }

    /// n = 600: cn + c²n = 35 + 1225/600, so p = floor(9 * 37.0417 + 200) = floor(533.375), and
    /// 1225 = 2 * 533 + 80 + 79.
    #[test]
    fn classes_of_the_smallest_row() {
        let plan = Plan::new(600, Plan::queue_positions(5), 35).unwrap();
        assert_eq!((plan.k, plan.per_class), (8, 533));
        assert_eq!(plan.counts, [533, 533, 80, 79]);
    }

    /// The same with d = 7/20 and 0: p = floor(333.375 + 210), and floor(333.375). With d = 1/2 the rows south of the
    /// corner are fewer than the packets that would go there.
    #[test]
    fn classes_grow_with_d() {
        let plan = |d: &str| Plan::with_d(600, 8, 35, d.parse().unwrap());
        assert_eq!(plan("7/20").unwrap().counts, [543, 543, 70, 69]);
        assert_eq!(plan("0").unwrap().counts, [333, 333, 280, 279]);
        assert!(plan("1/2").is_err());
        for said in ["0", "7/20", "2"] {
            assert_eq!(said.parse::<Fraction>().unwrap().to_string(), said);
        }
        for wrong in ["", "1/0", "1/3/4", "-1", "0.3", "1/"] {
            assert!(wrong.parse::<Fraction>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_plan_places_its_counts_and_keeps_the_borders() {
        for (n, k) in [(600, 8), (600, 5), (200, 4), (1080, 8), (3120, 8)] {
            let plan = Plan::new(n, k, Plan::usual_corner(n, k)).unwrap();
            let classes = plan.place(u64::from(n));
            for (class, count) in plan.counts.iter().enumerate() {
                let placed = classes.iter().filter(|c| c.place() == class).count();
                assert_eq!(placed, *count as usize);
            }
            let side = plan.corner as usize;
            for line in 0..side {
                assert_eq!(
                    classes[line * side + side - 1],
                    Class {
                        kind: Direction::N,
                        index: 1
                    }
                );
            }
            for line in 0..side - 1 {
                assert_eq!(
                    classes[(side - 1) * side + line],
                    Class {
                        kind: Direction::E,
                        index: 1
                    }
                );
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Plan::new(30, 8, Plan::usual_corner(30, 8)).is_err());
        assert!(Plan::new(600, 8, 0).is_err());
        assert!(Plan::new(600, 8, 300).is_err());
        assert!(Plan::new(4_000_000_000, 8, 2_000_000_001).is_err());
    }
}
