//! The published tables, from the crate's data file.

use serde::{Deserialize, Serialize};

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The Chaos router with its derouting off.
    MinimalChaos,
    /// The Chaos router.
    Chaos,
    /// The greedy hot potato router.
    GreedyHp,
}

impl Algorithm {
    /// As in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::MinimalChaos => "minimal-chaos",
            Algorithm::Chaos => "chaos",
            Algorithm::GreedyHp => "greedy-hp",
        }
    }
}

/// A row of a published table.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedRow {
    /// The side of the mesh, in nodes.
    pub n: u32,
    /// The side of the corner where packets start, in nodes.
    pub cn: u32,
    minimal_chaos: Option<f64>,
    chaos: Option<f64>,
    greedy_hp: Option<f64>,
}

impl PublishedRow {
    /// The published cycles of an algorithm.
    pub fn cycles(&self, algorithm: Algorithm) -> Option<f64> {
        match algorithm {
            Algorithm::MinimalChaos => self.minimal_chaos,
            Algorithm::Chaos => self.chaos,
            Algorithm::GreedyHp => self.greedy_hp,
        }
    }
}

/// A published fit: `distance` cn + a n^x.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFit {
    /// The factor a, in cycles.
    pub a: f64,
    /// The exponent x.
    pub x: f64,
}

/// A published experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// As on the command line.
    pub name: String,
    /// In a line.
    pub title: String,
    /// The section that describes it.
    pub section: String,
    /// The figure that shows it.
    pub figure: String,
    /// Cycles a corner node that an unhindered packet takes, in the published fit.
    pub distance: Option<f64>,
    /// The published fit.
    pub fit: Option<PublishedFit>,
    /// The published rows.
    pub rows: Vec<PublishedRow>,
}

impl Published {
    /// The algorithms that ran in it.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        let all = [
            Algorithm::MinimalChaos,
            Algorithm::Chaos,
            Algorithm::GreedyHp,
        ];
        let ran = |algorithm: &Algorithm| {
            let mut rows = self.rows.iter();
            rows.any(|row| row.cycles(*algorithm).is_some())
        };
        all.into_iter().filter(ran).collect()
    }

    /// The published cycles at size `n`.
    pub fn cycles(&self, n: u32, algorithm: Algorithm) -> Option<f64> {
        self.rows
            .iter()
            .find(|row| row.n == n)
            .and_then(|row| row.cycles(algorithm))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thesis {
    experiment: Vec<Published>,
}

/// Every published experiment, in the order of the thesis.
pub fn published() -> Vec<Published> {
    let thesis: Thesis = toml::from_str(include_str!("../../data/chinn-1995.toml"))
        .expect("the tables come with the program, and a test reads them");
    thesis.experiment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_can_be_read_and_agree_on_their_corners() {
        let experiments = published();
        assert_eq!(experiments.len(), 4);
        let rows: Vec<_> = experiments.iter().flat_map(|e| &e.rows).collect();
        assert_eq!(rows.len(), 6 + 6 + 4 + 4);
        assert!(rows.iter().all(|row| row.cn == 7 * row.n / 120));
        // Experiments 1 to 3 compare two routers, experiment 4 has one of its own (sections 4.2 and 4.4).
        let both = vec![Algorithm::MinimalChaos, Algorithm::Chaos];
        let ran: Vec<_> = experiments.iter().map(Published::algorithms).collect();
        assert_eq!(ran[..3], [both.clone(), both.clone(), both]);
        assert_eq!(ran[3], [Algorithm::GreedyHp]);
    }
}
