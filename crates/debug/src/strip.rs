//! A network's load and deroutes over a whole run, made a piece at a time: what one scrubs along.

use crate::heat::Counting;
use crate::timeline::{advance, copy, counting_probe, gatherer};
use flitwork_engine::{Ended, Simulation};
use flitwork_node::AnyProbe;

/// The most buckets of a strip: when there would be more, two become one.
pub const MOST_BUCKETS: usize = 1024;

/// Cycles of a bucket at first.
const FIRST_CYCLES: u64 = 16;

/// What all nodes together do in a stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// The sum of what was held at each sample.
    held: u64,
    /// How many samples there are.
    samples: u64,
    /// The deroutes that were decided.
    pub deroutes: u64,
    /// The words that left over links.
    pub words: u64,
}

impl Bucket {
    /// What the network holds on average: packets or, where words travel alone, words.
    pub fn held(&self) -> f64 {
        self.held as f64 / self.samples.max(1) as f64
    }

    fn add(&mut self, other: Bucket) {
        self.held += other.held;
        self.samples += other.samples;
        self.deroutes += other.deroutes;
        self.words += other.words;
    }
}

/// Buckets of equal length, from the beginning of a run to as far as it has been surveyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// The length of a bucket, in the unit of the run's time.
    pub bucket_time: u64,
    /// The buckets; the last one may not be full.
    pub buckets: Vec<Bucket>,
    /// Before which time all has been counted.
    pub until: u64,
    /// How the run ends, once that is known.
    pub ended: Option<Ended>,
}

/// Goes through a run once and counts.
pub struct Survey {
    simulation: Box<Simulation>,
    /// How often it samples, in the unit of the run's time.
    sample_time: u64,
    end: u64,
    strip: Strip,
}

impl Survey {
    /// The probe under which the simulation of a survey must begin.
    pub fn probe(counting: Counting) -> AnyProbe {
        counting_probe(counting)
    }

    /// Of a simulation that stands at its beginning under [`Survey::probe`], and ends before `end`. `cycle_time` is a
    /// cycle in the unit of its time.
    pub fn new(simulation: Box<Simulation>, end: u64, cycle_time: u64) -> Survey {
        let sample_time = FIRST_CYCLES * cycle_time.max(1);
        Survey {
            simulation,
            sample_time,
            end,
            strip: Strip {
                bucket_time: sample_time,
                buckets: Vec::new(),
                until: 0,
                ended: None,
            },
        }
    }

    /// What has been counted.
    pub fn strip(&self) -> &Strip {
        &self.strip
    }

    /// Whether it has come to the end.
    pub fn is_over(&self) -> bool {
        self.strip.ended.is_some()
    }

    /// A copy of the run where the survey stands, for [`Timeline::adopt`](crate::Timeline::adopt) of one that begins under the same probe.
    pub fn copy(&self) -> Box<Simulation> {
        copy(&*self.simulation)
    }

    /// Goes on by a sample. At the end nothing more happens.
    pub fn go_on(&mut self) {
        if self.is_over() {
            return;
        }
        let from = self.strip.until;
        let to = from.saturating_add(self.sample_time).min(self.end);
        let ended = advance(&mut *self.simulation, to);
        let sample = self.sample();
        let place = (from / self.strip.bucket_time) as usize;
        match self.strip.buckets.get_mut(place) {
            Some(bucket) => bucket.add(sample),
            None => self.strip.buckets.push(sample),
        }
        self.strip.until = to;
        self.strip.ended = match ended {
            Ended::Deadline if to < self.end => None,
            ended => Some(ended),
        };
        if self.strip.buckets.len() > MOST_BUCKETS {
            self.halve();
        }
    }

    /// What has been counted since the last sample.
    fn sample(&mut self) -> Bucket {
        let Some(counts) = gatherer(&mut *self.simulation).counts_mut() else {
            return Bucket::default();
        };
        let (held, deroutes, words) = counts.sums();
        counts.begin();
        Bucket {
            held,
            samples: 1,
            deroutes,
            words,
        }
    }

    /// Two buckets become one.
    fn halve(&mut self) {
        let pairs = self.strip.buckets.chunks(2).map(|pair| {
            let mut all = Bucket::default();
            pair.iter().for_each(|bucket| all.add(*bucket));
            all
        });
        self.strip.buckets = pairs.collect();
        self.strip.bucket_time *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timeline;
    use flitwork_engine::EventDriven;
    use flitwork_network::{Demand, Network};
    use flitwork_router::greedy_hp::GreedyHp;
    use flitwork_topology::{Grid, Shape};
    use flitwork_traffic::Once;
    use flitwork_types::{Cycle, TerminalId};
    use std::sync::Arc;

    /// All nodes of a row send to its far end at once.
    fn row(probe: AnyProbe) -> Box<Simulation> {
        let mesh = Grid::mesh(&[40, 2]).unwrap();
        let network = Arc::new(Network::new(mesh.clone(), GreedyHp::new(mesh, 1), 1));
        let packets: Vec<_> = (0..39)
            .map(|from| (TerminalId(from), TerminalId(39)))
            .collect();
        let demand = Demand::until(Box::new(Once::new(&packets)), Cycle(100));
        Box::new(EventDriven::new(network, demand, probe))
    }

    fn counting() -> Counting {
        Counting::new(&Shape::from(Grid::mesh(&[40, 2]).unwrap()), false)
    }

    #[test]
    fn a_strip_adds_up_to_what_the_whole_run_counts() {
        let mut survey = Survey::new(row(Survey::probe(counting())), 100, 1);
        let mut copies = Vec::new();
        while !survey.is_over() {
            copies.push(survey.copy());
            survey.go_on();
        }
        let mut timeline = Timeline::new(row(counting_probe(counting())), 1 << 20, 1);
        copies.into_iter().for_each(|copy| timeline.adopt(copy));
        // From node 0 on, packets go 39, 38, … 1 hops of one word: 39 * 40 / 2, if none is derouted.
        let heat = timeline.heat(0, 100, &mut || true).unwrap();
        assert_eq!(heat.words_in_all(), 780);
        let strip = survey.strip();
        let words: u64 = strip.buckets.iter().map(|bucket| bucket.words).sum();
        assert_eq!(words, 780);
        // The link into the last node takes a word a cycle: the run takes at least 39 cycles, so 16 are 3 buckets.
        assert_eq!(strip.buckets.len() as u64, strip.until.div_ceil(16));
        assert!(strip.buckets.len() >= 3, "{strip:?}");
        assert_eq!(strip.ended, Some(Ended::Empty));
        // After 16 cycles all but the 16 that the last link has taken by then, or fewer, are in the network.
        let heat = timeline.heat(0, 16, &mut || true).unwrap();
        assert_eq!(strip.buckets[0].held(), heat.held_in_all() as f64);
        assert!((23..39).contains(&heat.held_in_all()), "{heat:?}");
        assert_eq!(heat.words_in_all(), strip.buckets[0].words);
    }

    #[test]
    fn two_buckets_become_one_and_nothing_is_lost() {
        let mut survey = Survey::new(row(Survey::probe(counting())), 100, 1);
        let bucket = |held| Bucket {
            held,
            samples: 1,
            deroutes: 2,
            words: 3,
        };
        survey.strip.buckets = (0..5).map(bucket).collect();
        survey.halve();
        let strip = survey.strip();
        assert_eq!(strip.bucket_time, 32);
        let held: Vec<f64> = strip.buckets.iter().map(Bucket::held).collect();
        assert_eq!(held, [0.5, 2.5, 4.0]);
        assert_eq!(strip.buckets[0].deroutes, 4);
        assert_eq!(strip.buckets[2].words, 3);
    }
}
