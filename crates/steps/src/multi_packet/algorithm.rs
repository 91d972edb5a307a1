//! What an algorithm is: the legs of each packet, and what it promises.

use super::setting::{Draw, Setting};
use crate::unfit::Unfit;
use flitwork_schema::Key;
use std::fmt::Debug;

/// Where a leg leads, along its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// To any place of the line.
    Anywhere,
    /// To any place of the strip of so many nodes in which the packet is; strips begin at the line's beginning.
    Strip(u32),
    /// To any place of a ring that is at most so far away.
    Within(u32),
    /// To any place from this one to that, both included.
    Between(u32, u32),
    /// To this place.
    At(u32),
}

impl Where {
    /// Whether it is drawn.
    pub fn is_drawn(self) -> bool {
        !matches!(self, Where::At(_))
    }

    /// The place that a packet of this number goes to from one, on its leg of that number.
    pub(super) fn place(self, setting: &Setting, from: u32, packet: u32, leg: u32) -> u32 {
        let n = setting.n;
        let draw = |bound| setting.draw(packet, Draw::Place(leg), bound);
        match self {
            Where::Anywhere => draw(n),
            Where::Strip(strip) => {
                let begin = from / strip * strip;
                begin + draw(strip.min(n - begin))
            }
            // On a ring, 2 half + 1 may be more than there are places: then the farthest is twice as likely, from both sides.
            Where::Within(half) => (from + n + draw(2 * half + 1) - half) % n,
            Where::Between(least, most) => least + draw(most - least + 1),
            Where::At(place) => place,
        }
    }
}

/// A leg as an algorithm plans it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Along which axis.
    pub axis: usize,
    /// To which place.
    pub to: Where,
    /// In which stage: of packets that want the same link, one in a lower stage goes first.
    pub stage: u16,
    /// In which phase: with barriers it begins once all legs of the phases before it are done.
    pub phase: u32,
}

/// A packet as an algorithm sees it before it goes anywhere: by coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// Its number.
    pub packet: u32,
    /// Where it begins, by axis.
    pub from: &'a [u32],
    /// Where it goes, by axis.
    pub to: &'a [u32],
    /// What the node in which it is has learnt of the locality; 0 before it has.
    pub learnt: u32,
}

/// An algorithm of legs. The implementing type holds its own parameters.
pub trait Algorithm: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// What users call it.
    const NAME: &'static str;
    /// What it does, in a line.
    const HELP: &'static str;
    /// Its own keys.
    const KEYS: &'static [Key<Self>] = &[];

    /// Whether it is for any number of dimensions; otherwise for two.
    const ANY_DIMENSIONS: bool = false;
    /// Whether a barrier ends every stage, if phases end by barriers; otherwise a phase may have several.
    const HAS_BARRIERS: bool = true;
    /// Whether it is for worms too.
    const HAS_WORMS: bool = false;

    /// Refuses what it isn't for.
    ///
    /// # Errors
    /// An [`Unfit`].
    fn check(&self, _: &Setting) -> Result<(), Unfit> {
        Ok(())
    }

    /// Whether nodes learn the locality in the first phase, which then ends by a barrier in any case.
    fn learns(&self) -> bool {
        false
    }

    /// The width of the strips in which it draws places, if it has such.
    fn epsilon(&self, _: &Setting) -> Option<u32> {
        None
    }

    /// The legs of a packet, in their order; those that lead to where the packet is are left out when it comes to them.
    fn plan(&self, setting: &Setting, packet: &Planned<'_>, moves: &mut Vec<Move>);

    /// Whether the paper promises [`Algorithm::leading_steps`] of any problem with so many packets a node.
    fn has_promise(&self, _: &Setting) -> bool {
        true
    }

    /// The steps that the paper promises but for a term of lower order: the sum over its phases' lemmas.
    fn leading_steps(&self, setting: &Setting) -> f64;

    /// The same for random problems, where the paper says it (section 7.4).
    fn average_steps(&self, _: &Setting) -> Option<f64> {
        None
    }

    /// The term of lower order but for its constant.
    fn excess_unit(&self, setting: &Setting) -> f64 {
        match setting.flits {
            1 => (setting.of_line() * setting.ln_n()).sqrt(),
            flits => f64::from(flits) * (f64::from(setting.n) * setting.ln_n()).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multi_packet::algorithms::NoWrap;
    use flitwork_topology::{Grid, Shape};
    use flitwork_types::NodeId;
    use std::collections::BTreeSet;

    /// Where a thousand packets go that are at a place of lines of 8.
    fn places(to: Where, from: u32) -> Vec<u32> {
        let shape = Shape::from(Grid::torus(&[8, 8]).unwrap());
        let problem = [(NodeId(0), NodeId(1))];
        let setting = Setting::new::<NoWrap>(&shape, &problem, 1, 3).unwrap();
        let all = (0..1000).map(|packet| to.place(&setting, from, packet, 0));
        all.collect::<BTreeSet<u32>>().into_iter().collect()
    }

    /// How often each place of a line of 8 is drawn.
    fn often(to: Where, from: u32, packets: u32) -> [u32; 8] {
        let shape = Shape::from(Grid::torus(&[8, 8]).unwrap());
        let problem = [(NodeId(0), NodeId(1))];
        let setting = Setting::new::<NoWrap>(&shape, &problem, 1, 3).unwrap();
        let mut often = [0; 8];
        (0..packets).for_each(|packet| often[to.place(&setting, from, packet, 0) as usize] += 1);
        often
    }

    #[test]
    fn places_are_as_likely_as_they_are_said_to_be() {
        // The last strip of 5 has 3 places: a thousand packets each. Four nodes either way of place 3, place 7 is there twice.
        let last = often(Where::Strip(5), 6, 3000);
        assert!(
            last[5..].iter().all(|it| it.abs_diff(1000) < 100),
            "{last:?}"
        );
        let around = often(Where::Within(4), 3, 9000);
        assert!(around[7].abs_diff(2000) < 130, "{around:?}");
        assert!(
            around[..7].iter().all(|it| it.abs_diff(1000) < 100),
            "{around:?}"
        );
    }

    #[test]
    fn every_place_is_drawn_and_no_other() {
        assert_eq!(places(Where::Anywhere, 5), [0, 1, 2, 3, 4, 5, 6, 7]);
        // Strips of 3 are 0 to 2, 3 to 5 and 6 to 7.
        assert_eq!(places(Where::Strip(3), 4), [3, 4, 5]);
        assert_eq!(places(Where::Strip(3), 7), [6, 7]);
        assert_eq!(places(Where::Strip(1), 6), [6]);
        assert_eq!(places(Where::Within(1), 0), [0, 1, 7]);
        assert_eq!(places(Where::Within(0), 3), [3]);
        assert_eq!(places(Where::Within(4), 3).len(), 8);
        assert_eq!(places(Where::Between(2, 4), 7), [2, 3, 4]);
        assert_eq!(places(Where::At(6), 1), [6]);
    }
}
