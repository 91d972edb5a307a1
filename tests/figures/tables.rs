//! The expected rows of the CSV files.

use crate::figures::outputs::{Figures, Latency, most, sum};
use crate::figures::statistics::{Estimate, Halves, bin, percentile};
use crate::figures::steady::{halves, loads};
use flitwork_topology::Topology;
use flitwork_types::NodeId;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A row of a table: its cells by their columns' names.
pub(crate) type Row = BTreeMap<String, Value>;

pub(crate) fn row<const N: usize>(cells: [(&str, Value); N]) -> Row {
    let cells = cells.into_iter();
    cells
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A mean and its confidence, by its columns' prefix and unit.
fn estimate(stem: &str, mean: &str, unit: &str, it: Option<Estimate>) -> Row {
    row([
        (&format!("{stem}{mean}_{unit}"), json!(it.map(|it| it.mean))),
        (
            &format!("{stem}_half_width_{unit}"),
            json!(it.and_then(|it| it.half_width)),
        ),
        (&format!("{stem}_batches"), json!(it.map(|it| it.batches))),
        (
            &format!("{stem}_observations"),
            json!(it.map(|it| it.observations)),
        ),
    ])
}

impl Latency {
    /// The columns whose names begin with a prefix.
    fn cells(&self, stem: &str) -> Row {
        let mut cells = estimate(stem, "_mean", "cycles", self.mean);
        cells.insert(format!("{stem}_packets"), json!(self.values.len()));
        cells.extend(self.distribution(stem, "cycles"));
        cells
    }

    /// The same columns in ps, without the counts.
    fn cells_ps(&self, stem: &str) -> Row {
        let mut cells = row([
            (
                &format!("{stem}_mean_ps"),
                json!(self.mean.map(|it| it.mean)),
            ),
            (
                &format!("{stem}_half_width_ps"),
                json!(self.mean.and_then(|it| it.half_width)),
            ),
        ]);
        cells.extend(self.distribution(stem, "ps"));
        cells
    }

    fn distribution(&self, stem: &str, unit: &str) -> Row {
        let mut cells = Row::new();
        let mut put = |name: &str, value: Value| cells.insert(format!("{stem}_{name}"), value);
        let of = |per_mille| percentile(&self.values, per_mille);
        let pairs = [
            ("min", self.values.iter().min().copied()),
            ("p50", of(500)),
            ("p90", of(900)),
            ("p99", of(990)),
            ("p999", of(999)),
            ("max", self.values.iter().max().copied()),
        ];
        for (name, value) in pairs {
            let (shown, raw) = match self.is_hidden() {
                true => (None, value),
                false => (value, None),
            };
            put(&format!("{name}_{unit}"), json!(shown));
            put(&format!("transient_{name}_{unit}"), json!(raw));
        }
        let sum = self.is_hidden().then(|| self.values.iter().sum::<u64>());
        let some = sum.filter(|_| !self.values.is_empty());
        let mean = some.map(|sum| sum as f64 / self.values.len() as f64);
        put(&format!("transient_sum_{unit}"), json!(sum));
        put(&format!("transient_mean_{unit}"), json!(mean));
        cells
    }

    /// A row of classes or distances.
    fn row(&self) -> Row {
        let mut cells = self.cells("latency");
        cells.insert("not_steady".into(), json!(self.not_steady));
        cells
    }
}

/// What only networks whose links fail have.
const LOST: [&str; 7] = [
    "packets_lost",
    "packets_lost_failed_link",
    "packets_lost_cut",
    "packets_lost_no_path",
    "packets_lost_failed_router",
    "packets_refused",
    "packets_sent_again",
];

impl Figures<'_> {
    /// The row of results.csv.
    pub(crate) fn results_csv(&self) -> Row {
        let mut cells = self.run_cells();
        cells.extend(self.latency_cells());
        cells.extend(self.step_cells());
        cells.extend(self.use_cells());
        cells.extend(self.fairness_cells());
        cells.extend(self.energy_cells());
        cells.extend(self.host_cells());
        cells
    }

    fn run_cells(&self) -> Row {
        let account = self.account;
        let (made, entered, delivered) = self.packets();
        let loads = account.open_loop.then(|| loads(account));
        let unsteady = self.steady.as_ref().and_then(|verdict| verdict.as_ref());
        let short =
            unsteady.is_some_and(|it| ["window too short", "window cut short"].contains(&it.name));
        let judged = self.steady.as_ref().map(Option::is_none);
        let steady = judged.filter(|_| !short);
        let failure = &self.reported.failure;
        let few = unsteady.is_some_and(|it| it.name == "too few observations");
        let saturated = judged.map(|steady| !failure.is_null() || !steady && !few && !short);
        let left = || {
            let (kind, cycle) = (failure["kind"].as_str()?, &failure["cycle"]);
            Some(format!(
                "{kind}: {} packets left in cycle {cycle}",
                entered - delivered
            ))
        };
        let reason = left().or(unsteady.map(|it| it.text.clone()));
        let mut cells = row([
            ("status", json!(self.status())),
            ("reason", json!(reason)),
            ("seed", json!(self.reported.seed)),
            ("digest", json!(self.reported.digest)),
            ("cycles", json!(account.cycles)),
            ("measured_cycles", json!(account.seen.cycles())),
            (
                "configured_load_words_per_node_cycle",
                json!(self.reported.configured_load.filter(|_| account.open_loop)),
            ),
            ("steady", json!(steady)),
            ("not_steady", json!(unsteady.map(|unsteady| unsteady.name))),
            ("saturated", json!(saturated)),
            ("packets_created", json!(made)),
            ("packets_injected", json!(entered)),
            ("packets_delivered", json!(delivered)),
            ("packets_in_network", json!(entered - delivered)),
            ("packets_in_sources", json!(made - entered)),
            ("packets_in_sources_at_least", json!(false)),
            ("packets_owed", json!(self.owed())),
            ("packets_owed_replies", json!(self.reported.owed_replies)),
            ("packets_owed_at_least", json!(false)),
        ]);
        cells.extend(LOST.map(|name| (name.to_owned(), json!(null))));
        let (offered, accepted) = loads.unzip();
        let unit = "words_per_node_cycle";
        cells.extend(estimate("offered_load", "", unit, offered));
        cells.extend(estimate("accepted_load", "", unit, accepted));
        cells.extend(self.ideal_cells());
        let halves = account.open_loop.then(|| halves(account)).flatten();
        let finite =
            |of: fn(&Halves) -> f64| json!(halves.as_ref().map(of).filter(|it| it.is_finite()));
        cells.extend(row([
            (
                "accepted_first_half_words_per_node_cycle",
                finite(|it| it.first),
            ),
            (
                "accepted_second_half_words_per_node_cycle",
                finite(|it| it.second),
            ),
            ("accepted_change", finite(|it| it.change)),
            ("accepted_change_half_width", finite(|it| it.half_width)),
        ]));
        cells
    }

    /// What links allow.
    fn ideal_cells(&self) -> Row {
        let ideal = self.reported.ideal;
        row([
            (
                "ideal_throughput_words_per_node_cycle",
                json!(ideal.map(|it| it.throughput)),
            ),
            (
                "ideal_throughput_basis",
                json!(ideal.map(|it| it.basis.name())),
            ),
            (
                "channel_load_max_words_per_cycle",
                json!(ideal.map(|it| it.busiest)),
            ),
        ])
    }

    fn latency_cells(&self) -> Row {
        let hidden = self.latency.is_hidden();
        let mut cells = self.latency.cells("latency");
        cells.extend(self.network.cells("network_latency"));
        cells.extend(self.exact_cells());
        let deroutes = self.a_packet(|life| life.deroutes);
        let window_mean = self.latency.window_mean.filter(|_| hidden);
        cells.extend(row([
            ("latency_window_mean_cycles", json!(window_mean)),
            ("hops_per_packet", json!(self.a_packet(|life| life.hops))),
            ("deroutes_per_packet", json!(deroutes)),
            ("deroutes_per_hop", json!(self.account.deroutes_per_hop())),
        ]));
        cells
    }

    /// Latencies in ps; where all nodes have one clock the cells are empty.
    fn exact_cells(&self) -> Row {
        let hidden = self.latency.is_hidden();
        let Some([latency, network]) = &self.exact else {
            let mut cells = self.latency.cells_ps("latency");
            cells.extend(self.network.cells_ps("network_latency"));
            cells.insert("latency_window_mean_ps".into(), Value::Null);
            cells.values_mut().for_each(|cell| *cell = Value::Null);
            return cells;
        };
        let mut cells = latency.cells_ps("latency");
        cells.extend(network.cells_ps("network_latency"));
        let window_mean = latency.window_mean.filter(|_| hidden);
        cells.insert("latency_window_mean_ps".into(), json!(window_mean));
        cells
    }

    fn use_cells(&self) -> Row {
        let (buffers, time) = (self.account.buffers(), self.account.time());
        let buffers = buffers.as_ref();
        let (wire_mean, wire_most) = self.wire_words();
        let busiest = buffers.map(|it| self.busiest(it));
        let mut cells = row([
            ("buffers", json!(buffers.map(|it| it.name))),
            ("buffer_busiest_node", json!(busiest.map(|it| it.0))),
            ("node_packets_mean", json!(self.node_mean("packets"))),
            ("node_words_mean", json!(self.node_mean("words"))),
            ("link_words_mean", json!(self.link_words())),
            ("link_utilisation_mean", json!(wire_mean / time)),
            ("link_utilisation_max", json!(wire_most as f64 / time)),
        ]);
        for unit in ["packets", "words"] {
            let own = buffers.filter(|it| it.unit == unit);
            let mut put = |name: &str, value: Value| {
                cells.insert(format!("buffer_{unit}_{name}"), value);
            };
            put("mean", json!(own.map(|it| self.held_mean(it))));
            put("busiest_mean", json!(own.map(|it| self.busiest(it).1)));
            put("max", json!(own.map(most)));
        }
        cells
    }

    fn fairness_cells(&self) -> Row {
        let (sources, destinations) = self.shares();
        let cells = [("source", sources), ("destination", destinations)];
        let cells = cells.into_iter().flat_map(|(name, shares)| {
            let shares = shares.as_ref();
            [
                ("nodes", json!(shares.map(|it| it.nodes))),
                ("min_words_per_cycle", json!(shares.map(|it| it.least.1))),
                ("min_node", json!(shares.map(|it| it.least.0))),
                ("max_words_per_cycle", json!(shares.map(|it| it.most.1))),
                ("max_node", json!(shares.map(|it| it.most.0))),
                ("mean_words_per_cycle", json!(shares.map(|it| it.mean))),
                ("jain", json!(shares.and_then(|it| it.jain))),
            ]
            .map(|(figure, value)| (format!("{name}_{figure}"), value))
        });
        let mut cells: Row = cells.collect();
        let wait = self.longest_wait();
        cells.extend(row([
            ("source_longest_wait_cycles", json!(wait.map(|it| it.1))),
            ("source_longest_wait_node", json!(wait.map(|it| it.0))),
        ]));
        cells
    }

    fn step_cells(&self) -> Row {
        let steps = self.account.steps();
        let steps = steps.as_ref();
        let of_worst = steps.and_then(|it| Some(it.mean_ps? / it.worst_ps as f64));
        row([
            ("timed_steps", json!(steps.map(|it| it.count))),
            ("step_mean_ps", json!(steps.and_then(|it| it.mean_ps))),
            ("step_worst_ps", json!(steps.map(|it| it.worst_ps))),
            ("step_mean_of_worst", json!(of_worst)),
            // No synchronizer of these machines may fail.
            ("synchronizer_arrivals", Value::Null),
            ("synchronizer_undecided", Value::Null),
            ("synchronizer_failures", Value::Null),
            ("synchronizer_mtbf_seconds", Value::Null),
        ])
    }

    fn energy_cells(&self) -> Row {
        let (ticks, idle) = self.account.ticks();
        let (work, words) = (self.account.work(), self.words_delivered());
        let joules = self.joules();
        let total = joules.as_ref().map(|parts| sum(parts));
        let a_word = total.filter(|_| words > 0).map(|all| all / words as f64);
        let mut cells = row([
            ("buffer_write_words", json!(work.writes)),
            ("buffer_read_words", json!(work.reads)),
            ("crossbar_words", json!(work.crossbar)),
            ("link_words", json!(work.links)),
            ("decisions", json!(work.decisions)),
            ("node_cycles", json!(self.node_cycles())),
            ("clock_ticks", json!(ticks)),
            ("idle_clock_ticks", json!(idle)),
            ("working_steps", json!(self.account.working_steps())),
            ("handshake_transitions", json!(self.account.transitions())),
            ("words_delivered", json!(words)),
            ("energy_joules", json!(total)),
            ("energy_joules_per_delivered_word", json!(a_word)),
        ]);
        let names = [
            "buffer_write",
            "buffer_read",
            "crossbar",
            "link",
            "decision",
            "leak",
            "clock",
            "idle_clock",
            "step",
            "handshake",
        ];
        for (place, name) in names.into_iter().enumerate() {
            let spent = joules.as_ref().and_then(|parts| parts[place].1);
            cells.insert(format!("energy_{name}_joules"), json!(spent));
        }
        cells
    }

    /// The run's speed.
    fn host_cells(&self) -> Row {
        let (seconds, hops) = (self.reported.seconds, self.packet_hops());
        let node_cycles = self.account.cycles as f64 * self.account.nodes() as f64;
        row([
            ("packet_hops", json!(hops)),
            ("node_steps", json!(self.reported.steps)),
            ("packet_hops_per_second", json!(hops as f64 / seconds)),
            ("node_cycles_per_second", json!(node_cycles / seconds)),
            ("seconds", json!(seconds)),
        ])
    }

    pub(crate) fn nodes_csv(&self) -> Vec<Row> {
        let account = self.account;
        let (held, buffers) = (self.node_means(), account.buffers());
        let (created, injected) = (account.words_created(), account.words_injected_to());
        let [from, to] = self.delivered_words();
        let delivered = account.delivered_in_window();
        let delivered = account.by_node(delivered.iter().map(|(life, _)| (life.destination, 1)));
        let row_of = |node: usize| {
            let at = account.grid.coordinates(NodeId(node as u32));
            let at: Vec<String> = at.iter().map(u32::to_string).collect();
            let mut found = row([
                ("node", json!(node)),
                ("coordinates", json!(at.join(" "))),
                ("packets_delivered", json!(delivered[node])),
                ("words_created", json!(created[node])),
                ("words_delivered_from", json!(from[node])),
                ("words_injected_to", json!(injected[node])),
                ("words_delivered_to", json!(to[node])),
            ]);
            for unit in ["packets", "words"] {
                let held = Some(held[node]).filter(|_| account.unit() == unit);
                found.insert(format!("node_{unit}_mean"), json!(held));
                let buffers = buffers.as_ref().filter(|it| it.unit == unit);
                let mean = buffers.map(|it| self.held_means(it)[node]);
                found.insert(format!("buffer_{unit}_mean"), json!(mean));
                let most = buffers.map(|it| it.nodes[node].most);
                found.insert(format!("buffer_{unit}_max"), json!(most));
            }
            found
        };
        (0..account.nodes()).map(row_of).collect()
    }

    pub(crate) fn links_csv(&self) -> Vec<Row> {
        let account = self.account;
        let words = account.link_words().into_iter();
        let wires = account.wire_words();
        let row_of = |((node, port), words): ((NodeId, u8), u64)| {
            let port = flitwork_types::Port(port);
            let far = account.grid.neighbour(node, port).expect("a link");
            let other = (far, account.grid.opposite(port).0);
            let wire = wires.get(&other.min((node, port.0)));
            let wire = wire.filter(|_| account.half_duplex).unwrap_or(&words);
            row([
                ("node", json!(node.0)),
                ("port", json!(account.grid.port_name(port))),
                ("to", json!(far.0)),
                ("link_words", json!(words)),
                ("link_utilisation", json!(words as f64 / account.time())),
                ("wire_utilisation", json!(*wire as f64 / account.time())),
            ])
        };
        words.map(row_of).collect()
    }

    pub(crate) fn latency_csv(&self) -> Vec<Row> {
        let mut bins: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for value in &self.latency.values {
            *bins.entry(bin(*value)).or_default() += 1;
        }
        let row_of = |((from, to), packets): ((u64, u64), u64)| {
            row([
                ("from_cycles", json!(from)),
                ("to_cycles", json!(to)),
                ("packets", json!(packets)),
            ])
        };
        bins.into_iter().map(row_of).collect()
    }

    pub(crate) fn by_class_csv(&self) -> Vec<Row> {
        let classes = self.by_class.iter();
        let row_of = |(class, latency): (&u8, &Latency)| {
            let mut cells = latency.row();
            cells.insert("class".into(), json!(class));
            cells
        };
        classes.map(row_of).collect()
    }

    pub(crate) fn by_distance_csv(&self) -> Vec<Row> {
        let distances = self.by_distance.iter();
        let row_of = |(hops, latency): (&u32, &Latency)| {
            let mut cells = latency.row();
            cells.insert("hops".into(), json!(hops));
            cells.insert("hops_to".into(), json!(hops));
            cells
        };
        distances.map(row_of).collect()
    }

    pub(crate) fn energy_csv(&self) -> Vec<Row> {
        let work = self.account.work();
        let (ticks, idle) = self.account.ticks();
        let counts = [
            ("buffer_write_words", Some(work.writes)),
            ("buffer_read_words", Some(work.reads)),
            ("crossbar_words", Some(work.crossbar)),
            ("link_words", Some(work.links)),
            ("decisions", Some(work.decisions)),
            ("node_cycles", Some(self.node_cycles())),
            ("clock_ticks", Some(ticks)),
            ("idle_clock_ticks", idle),
            ("working_steps", self.account.working_steps()),
            ("handshake_transitions", Some(self.account.transitions())),
        ];
        let joules = self.joules();
        let rows = counts.iter().enumerate().map(|(place, (what, count))| {
            let spent = joules.as_ref().and_then(|parts| parts[place].1);
            row([
                ("what", json!(what)),
                ("count", json!(count)),
                ("joules", json!(spent)),
            ])
        });
        rows.collect()
    }
}
