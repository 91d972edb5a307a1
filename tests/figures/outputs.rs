//! The figures that a run's files, JSON and text show, from its account. `compare.rs` rejects what isn't
//! counted here: a new column, key or line needs its count, from the events.

use crate::figures::account::Account;
use crate::figures::lives::Life;
use crate::figures::statistics::{Estimate, Series, percentile};
use crate::figures::steady::{Unsteady, verdict};
use flitwork_engine::Ended;
use flitwork_results::Ideal;
use flitwork_topology::Topology;
use flitwork_traffic::{BatchParameters, TraceParameters};
use flitwork_types::{NodeId, TerminalId};
use serde_json::Value;
use std::collections::BTreeMap;

/// Values that aren't counted from events: they are taken from the run, and only checked for consistency.
#[derive(Clone, Debug)]
pub(crate) struct Reported {
    pub(crate) digest: String,
    pub(crate) configuration: String,
    pub(crate) provenance: Value,
    pub(crate) seed: u64,
    pub(crate) configured_load: Option<f64>,
    pub(crate) seconds: f64,
    pub(crate) steps: u64,
    pub(crate) failure: Value,
    pub(crate) owed_replies: u64,
    /// What links allow, which tests of the routing functions check.
    pub(crate) ideal: Option<Ideal>,
}

/// A distribution of latencies and its summary.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    pub(crate) values: Vec<u64>,
    /// The mean, with an interval if the packets are a sample.
    pub(crate) mean: Option<Estimate>,
    pub(crate) not_steady: Option<&'static str>,
    /// The mean over the packets delivered in the window, if all packets are meant.
    pub(crate) window_mean: Option<f64>,
}

/// All figures of a run.
pub(crate) struct Figures<'a> {
    pub(crate) account: &'a Account<'a>,
    pub(crate) reported: &'a Reported,
    pub(crate) steady: Option<Option<Unsteady>>,
    pub(crate) latency: Latency,
    pub(crate) network: Latency,
    /// Both in ps, if nodes have clocks of their own.
    pub(crate) exact: Option<[Latency; 2]>,
    pub(crate) by_class: BTreeMap<u8, Latency>,
    pub(crate) by_distance: BTreeMap<u32, Latency>,
}

impl Latency {
    fn of<'l>(
        account: &Account<'_>,
        not_steady: Option<&'static str>,
        lives: impl IntoIterator<Item = &'l Life>,
        latency: impl Fn(&Life) -> u64,
    ) -> Latency {
        let lives: Vec<&Life> = lives.into_iter().collect();
        let values: Vec<u64> = lives.iter().map(|life| latency(life)).collect();
        let sampled = lives
            .iter()
            .map(|life| (life.created, latency(life) as f64));
        let exact = Estimate {
            mean: values.iter().sum::<u64>() as f64 / values.len() as f64,
            half_width: Some(0.0),
            level: 1.0,
            batches: 0,
            observations: 0,
        };
        let mean = match account.open_loop {
            true => Series::of(account.window, sampled).estimate(),
            false => exact,
        };
        let mut found = Latency {
            mean: (!values.is_empty()).then_some(mean),
            values,
            not_steady,
            window_mean: None,
        };
        found.mean = found.mean.filter(|_| !found.is_hidden());
        found
    }

    /// Whether the network was overloaded, so that a latency would only reflect how long the run was.
    pub(crate) fn is_hidden(&self) -> bool {
        matches!(self.not_steady, Some("overload" | "growing backlog"))
    }

    /// A percentile, in thousandths; none if the network was overloaded.
    pub(crate) fn percentile(&self, per_mille: usize) -> Option<u64> {
        percentile(&self.values, per_mille).filter(|_| !self.is_hidden())
    }

    pub(crate) fn greatest(&self) -> Option<u64> {
        self.values
            .iter()
            .max()
            .copied()
            .filter(|_| !self.is_hidden())
    }
}

/// The shares, in words per cycle, of the nodes that received any words, or for which any were meant.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    pub(crate) least: (usize, f64),
    pub(crate) most: (usize, f64),
    pub(crate) nodes: usize,
    pub(crate) mean: f64,
    pub(crate) jain: Option<f64>,
}

impl Shares {
    fn of(got: &[u64], meant: &[u64], time: f64) -> Option<Shares> {
        let nodes = (0..got.len()).filter(|node| got[*node] > 0 || meant[*node] > 0);
        let shares: Vec<(usize, f64)> = nodes.map(|node| (node, got[node] as f64)).collect();
        let first = *shares.first()?;
        let (mut least, mut most) = (first, first);
        for share in &shares {
            if share.1 < least.1 {
                least = *share;
            }
            if share.1 > most.1 {
                most = *share;
            }
        }
        let count = shares.len() as f64;
        let sum: f64 = shares.iter().map(|share| share.1).sum();
        let squares: f64 = shares.iter().map(|share| share.1 * share.1).sum();
        Some(Shares {
            least: (least.0, least.1 / time),
            most: (most.0, most.1 / time),
            nodes: shares.len(),
            mean: sum / count / time,
            jain: (squares > 0.0).then(|| sum * sum / (count * squares)),
        })
    }
}

impl<'a> Figures<'a> {
    pub(crate) fn of(account: &'a Account<'a>, reported: &'a Reported) -> Figures<'a> {
        let steady = verdict(account);
        let unsteady = steady.as_ref().and_then(|verdict| verdict.as_ref());
        let not_steady = unsteady.map(|unsteady| unsteady.name);
        let counted = account.counted();
        let (mut classes, mut distances) = (BTreeMap::new(), BTreeMap::new());
        for life in &counted {
            let class: &mut Vec<&Life> = classes.entry(life.class).or_default();
            class.push(life);
            let distance = account.distance(life);
            let distance: &mut Vec<&Life> = distances.entry(distance).or_default();
            distance.push(life);
        }
        let since = |life: &Life, from: i64| (life.delivered.expect("counted") - from) as u64;
        let of =
            |lives: Vec<&Life>| Latency::of(account, not_steady, lives, |it| since(it, it.created));
        let window = account.delivered_in_window();
        let in_window = |latency: &dyn Fn(&Life) -> u64| {
            let sum: u64 = window.iter().map(|(life, _)| latency(life)).sum();
            (!window.is_empty()).then(|| sum as f64 / window.len() as f64)
        };
        let exact = account.nominal_ps.map(|nominal_ps| {
            let from_creation = |it: &Life| it.delivered_ps - it.created as u64 * nominal_ps;
            let from_injection = |it: &Life| it.delivered_ps - it.injected_ps;
            let total = Latency::of(account, not_steady, counted.clone(), from_creation);
            let network = Latency::of(account, not_steady, counted.clone(), from_injection);
            let window_mean = in_window(&from_creation);
            [
                Latency {
                    window_mean,
                    ..total
                },
                network,
            ]
        });
        Figures {
            by_class: classes
                .into_iter()
                .map(|(it, lives)| (it, of(lives)))
                .collect(),
            by_distance: distances
                .into_iter()
                .map(|(it, lives)| (it, of(lives)))
                .collect(),
            exact,
            network: Latency::of(account, not_steady, counted.clone(), |it| {
                since(it, it.injected)
            }),
            latency: Latency {
                window_mean: in_window(&|it| since(it, it.created)),
                ..of(counted)
            },
            account,
            reported,
            steady,
        }
    }

    pub(crate) fn status(&self) -> &'static str {
        match self.account.ended {
            Ended::Empty => "complete",
            Ended::Interrupted => "partial",
            Ended::Stuck | Ended::Deadline => "failed",
        }
    }

    /// Packets made, entered and delivered.
    pub(crate) fn packets(&self) -> (u64, u64, u64) {
        let lives = &self.account.lives;
        let delivered = lives.iter().filter(|life| life.delivered.is_some());
        let (made, entered) = (self.account.made.len(), lives.len());
        (made as u64, entered as u64, delivered.count() as u64)
    }

    /// Packets that the traffic has to send and has not made: a batch has a number of requests for each node
    /// that isn't silent, each answered once if there are replies; a trace's packets are between two nodes.
    pub(crate) fn owed(&self) -> u64 {
        let process = &self.account.traffic.process;
        let asked = match (
            process.get::<BatchParameters>(),
            process.get::<TraceParameters>(),
        ) {
            (Some(batch), _) => {
                let pattern = self
                    .account
                    .traffic
                    .pattern
                    .build(self.account.grid, self.account.seed);
                let pattern = pattern.unwrap_or_else(|error| panic!("{error}"));
                let all = (0..self.account.grid.terminals()).map(TerminalId);
                let asking = all.filter(|it| !pattern.silent(*it)).count() as u64;
                let each = if batch.reply.is_some() { 2 } else { 1 };
                asking * each * u64::from(batch.requests)
            }
            (_, Some(trace)) => {
                let summary = trace.summary.as_ref().expect("traces here are read first");
                summary.packets - summary.self_packets
            }
            _ => return 0,
        };
        asked - self.packets().0
    }

    pub(crate) fn a_packet(&self, of: impl Fn(&Life) -> u64) -> Option<f64> {
        let counted = self.account.counted();
        let sum: u64 = counted.iter().map(|life| of(life)).sum();
        (!counted.is_empty()).then(|| sum as f64 / counted.len() as f64)
    }

    /// Words by the node that they came from, and by the node that they went to.
    pub(crate) fn shares(&self) -> (Option<Shares>, Option<Shares>) {
        let (account, time) = (self.account, self.account.time());
        let [from, to] = self.delivered_words();
        (
            Shares::of(&from, &account.words_created(), time),
            Shares::of(&to, &account.words_injected_to(), time),
        )
    }

    /// The source that waited longest with a packet to send, and for how many cycles of the window: counted cycle by cycle, anew from each
    /// packet that enters.
    pub(crate) fn longest_wait(&self) -> Option<(usize, i64)> {
        self.shares().0?;
        let (account, seen) = (self.account, self.account.seen);
        let mut longest: Option<(usize, i64)> = None;
        for node in 0..account.nodes() {
            let own = account.made.iter().filter(|made| made.0.index() == node);
            let own: Vec<(i64, i64)> = own
                .map(|(_, created, _, entered)| (*created, entered.unwrap_or(i64::MAX)))
                .collect();
            let (mut run, mut most) = (0, 0);
            for cycle in seen.start..seen.end {
                if own.iter().any(|(_, entered)| *entered == cycle) {
                    run = 0;
                }
                let waits = own
                    .iter()
                    .any(|(created, entered)| (*created..*entered).contains(&cycle));
                run = if waits { run + 1 } else { 0 };
                most = most.max(run);
            }
            if longest.is_none_or(|(_, cycles)| most > cycles) {
                longest = Some((node, most));
            }
        }
        longest
    }

    /// Words delivered in the window from each node and to each node.
    pub(crate) fn delivered_words(&self) -> [Vec<u64>; 2] {
        let delivered = self.account.delivered_in_window();
        let by = |node: fn(&Life) -> NodeId| {
            let words = delivered.iter().map(|(life, _)| (node(life), life.words));
            self.account.by_node(words)
        };
        [by(|life| life.source), by(|life| life.destination)]
    }

    /// What a node held on average, as the mean over the nodes, if it is counted in this unit.
    pub(crate) fn node_mean(&self, unit: &str) -> Option<f64> {
        let means = self.node_means();
        let mean = means.iter().sum::<f64>() / means.len() as f64;
        (unit == self.account.unit()).then_some(mean)
    }

    /// Packets in each node on average, or words if they travel independently.
    pub(crate) fn node_means(&self) -> Vec<f64> {
        let cycles = match self.account.unit() {
            "packets" => self.account.packet_cycles(),
            _ => self.account.word_cycles(),
        };
        let time = self.account.time();
        // Events reported ahead of an interruption may make it negative.
        let means = cycles.iter().map(|sum| *sum as f64 / time);
        means.map(|mean| mean.max(0.0)).collect()
    }

    /// Words over a link, on average.
    pub(crate) fn link_words(&self) -> f64 {
        let words = self.account.link_words();
        let sum: u64 = words.values().sum();
        sum as f64 / words.len() as f64
    }

    /// Words over a wire, on average and at most.
    pub(crate) fn wire_words(&self) -> (f64, u64) {
        let words = self.account.wire_words();
        let sum: u64 = words.values().sum();
        let most = words.values().max().copied().unwrap_or(0);
        (sum as f64 / words.len() as f64, most)
    }

    /// Joules by what they are spent on, if they have a price.
    pub(crate) fn joules(&self) -> Option<Vec<(&'static str, Option<f64>)>> {
        let (work, prices) = (self.account.work(), &self.account.prices);
        let (ticks, idle) = self.account.ticks();
        let spent = |count: u64, pj: Option<f64>| pj.map(|pj| pj * count as f64 / 1e12);
        let parts = vec![
            ("buffer_write", spent(work.writes, prices.buffer_write_pj)),
            ("buffer_read", spent(work.reads, prices.buffer_read_pj)),
            ("crossbar", spent(work.crossbar, prices.crossbar_pj)),
            ("link", spent(work.links, prices.link_pj)),
            ("decision", spent(work.decisions, prices.decision_pj)),
            (
                "leak",
                spent(self.node_cycles(), prices.leak_pj_per_node_cycle),
            ),
            ("clock", spent(ticks, prices.clock_pj_per_node_tick)),
            (
                "idle_clock",
                idle.and_then(|idle| spent(idle, prices.clock_pj_per_node_tick)),
            ),
            (
                "step",
                self.account
                    .working_steps()
                    .and_then(|steps| spent(steps, prices.step_pj)),
            ),
            (
                "handshake",
                spent(self.account.transitions(), prices.transition_pj),
            ),
        ];
        parts.iter().any(|part| part.1.is_some()).then_some(parts)
    }

    pub(crate) fn node_cycles(&self) -> u64 {
        (self.account.nodes() as i64 * self.account.seen.cycles()) as u64
    }

    pub(crate) fn words_delivered(&self) -> u64 {
        self.delivered_words()[0].iter().sum()
    }

    /// Heads over links in the whole run.
    pub(crate) fn packet_hops(&self) -> usize {
        let events = self.account.ledger.events.iter();
        let local = self.account.grid.local();
        let heads = events.filter(|(_, _, event)| {
            matches!(event, flitwork_node::Event::Head { port, .. } if *port != local)
        });
        heads.count()
    }

    /// Units of a node's buffers in the window, mean of each node.
    pub(crate) fn held_means(&self, buffers: &crate::figures::account::Buffers) -> Vec<f64> {
        let nodes = buffers.nodes.iter();
        nodes
            .map(|held| held.sum as f64 / self.account.time())
            .collect()
    }

    pub(crate) fn held_mean(&self, buffers: &crate::figures::account::Buffers) -> f64 {
        let sum: i64 = buffers.nodes.iter().map(|held| held.sum).sum();
        sum as f64 / self.account.time() / self.account.nodes() as f64
    }

    /// The node with the largest mean, the first of equals.
    pub(crate) fn busiest(&self, buffers: &crate::figures::account::Buffers) -> (usize, f64) {
        let mut busiest = (0, 0.0);
        for (node, mean) in self.held_means(buffers).into_iter().enumerate() {
            if mean > busiest.1 {
                busiest = (node, mean);
            }
        }
        busiest
    }
}

/// The most that any node's buffers held.
pub(crate) fn most(buffers: &crate::figures::account::Buffers) -> i64 {
    let most = buffers.nodes.iter().map(|held| held.most);
    most.max().unwrap_or(0)
}

pub(crate) fn sum(parts: &[(&'static str, Option<f64>)]) -> f64 {
    // Idle ticks are ticks.
    let parts = parts.iter().filter(|part| part.0 != "idle_clock");
    parts.filter_map(|part| part.1).sum()
}
