//! The rows of the CSV files as they ought to be.

use crate::figures::outputs::{Figures, Latency, Shares, most, sum};
use crate::figures::statistics::bin;
use crate::figures::steady::loads;
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

impl Latency {
    fn cells(&self) -> Row {
        row([
            ("packets", json!(self.values.len())),
            ("mean_cycles", json!(self.mean.map(|mean| mean.mean))),
            (
                "half_width_cycles",
                json!(self.mean.and_then(|mean| mean.half_width)),
            ),
            ("p50_cycles", json!(self.percentile(500))),
            ("p99_cycles", json!(self.percentile(990))),
            ("max_cycles", json!(self.greatest())),
            ("not_steady", json!(self.not_steady)),
        ])
    }
}

impl Figures<'_> {
    /// The row of results.csv.
    pub(crate) fn results_csv(&self) -> Row {
        let mut cells = self.run_cells();
        cells.extend(self.latency_cells());
        cells.extend(self.use_cells());
        cells.extend(self.fairness_cells());
        cells.extend(self.energy_cells());
        cells
    }

    fn run_cells(&self) -> Row {
        let account = self.account;
        let (made, _, delivered) = self.packets();
        let loads = account.open_loop.then(|| loads(account));
        let unsteady = self.steady.as_ref().and_then(|verdict| verdict.as_ref());
        let steady = self.steady.as_ref().map(Option::is_none);
        let (offered, accepted) = (loads.map(|it| it.0.mean), loads.map(|it| it.1.mean));
        row([
            ("status", json!(self.status())),
            ("seed", json!(self.told.seed)),
            ("digest", json!(self.told.digest)),
            ("cycles", json!(account.cycles)),
            ("measured_cycles", json!(account.seen.cycles())),
            (
                "configured_load_words_per_node_cycle",
                json!(self.told.configured_load),
            ),
            ("offered_load_words_per_node_cycle", json!(offered)),
            ("accepted_load_words_per_node_cycle", json!(accepted)),
            ("steady", json!(steady)),
            ("not_steady", json!(unsteady.map(|unsteady| unsteady.name))),
            ("packets_created", json!(made)),
            ("packets_delivered", json!(delivered)),
            ("packets_owed", json!(self.owed())),
            ("packet_hops", json!(self.packet_hops())),
            ("seconds", json!(self.told.seconds)),
        ])
    }

    fn latency_cells(&self) -> Row {
        let (latency, network) = (&self.latency, &self.network);
        let mean = |latency: &Latency| json!(latency.mean.map(|mean| mean.mean));
        let half = |latency: &Latency| json!(latency.mean.and_then(|mean| mean.half_width));
        let deroutes = self.a_packet(|life| life.deroutes);
        row([
            ("latency_mean_cycles", mean(latency)),
            ("latency_half_width_cycles", half(latency)),
            ("latency_p50_cycles", json!(latency.percentile(500))),
            ("latency_p99_cycles", json!(latency.percentile(990))),
            ("latency_max_cycles", json!(latency.greatest())),
            ("network_latency_mean_cycles", mean(network)),
            ("network_latency_half_width_cycles", half(network)),
            ("hops_per_packet", json!(self.a_packet(|life| life.hops))),
            ("deroutes_per_packet", json!(deroutes)),
        ])
    }

    fn use_cells(&self) -> Row {
        let (buffers, time) = (self.account.buffers(), self.account.time());
        let buffers = buffers.as_ref();
        let (link_mean, link_most) = self.link_words();
        let busiest = link_most as f64 / time;
        row([
            ("buffers", json!(buffers.map(|it| it.name))),
            ("buffers_unit", json!(buffers.map(|it| it.unit))),
            ("buffers_mean", json!(buffers.map(|it| self.held_mean(it)))),
            ("buffers_max", json!(buffers.map(most))),
            ("link_utilisation_mean", json!(link_mean / time)),
            ("link_utilisation_max", json!(busiest)),
        ])
    }

    fn fairness_cells(&self) -> Row {
        let (sources, destinations) = self.shares();
        let cells = [("source", sources), ("destination", destinations)];
        let cells = cells.into_iter().flat_map(|(name, shares)| {
            let shares = shares.as_ref();
            let value = |of: fn(&Shares) -> Option<f64>| json!(shares.and_then(of));
            [
                ("min_words_per_cycle", value(|it| Some(it.least.1))),
                ("max_words_per_cycle", value(|it| Some(it.most.1))),
                ("jain", value(|it| it.jain)),
            ]
            .map(|(figure, value)| (format!("{name}_{figure}"), value))
        });
        cells.collect()
    }

    fn energy_cells(&self) -> Row {
        let (work, words) = (self.account.work(), self.words_delivered());
        let total = self.joules().map(|parts| sum(&parts));
        let a_word = total.filter(|_| words > 0).map(|all| all / words as f64);
        row([
            ("buffer_write_words", json!(work.writes)),
            ("buffer_read_words", json!(work.reads)),
            ("crossbar_words", json!(work.crossbar)),
            ("link_words", json!(work.links)),
            ("decisions", json!(work.decisions)),
            ("node_cycles", json!(self.node_cycles())),
            ("energy_joules", json!(total)),
            ("energy_joules_per_delivered_word", json!(a_word)),
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
            let mean = format!("{}_mean", account.unit());
            found.insert(mean, json!(held[node]));
            if let Some(buffers) = &buffers {
                let name = buffers.name.replace(' ', "_");
                let mean = self.held_means(buffers)[node];
                found.insert(format!("{name}_mean_{}", buffers.unit), json!(mean));
                let most = buffers.nodes[node].most;
                found.insert(format!("{name}_max_{}", buffers.unit), json!(most));
            }
            found
        };
        (0..account.nodes()).map(row_of).collect()
    }

    pub(crate) fn links_csv(&self) -> Vec<Row> {
        let account = self.account;
        let words = account.link_words().into_iter();
        let row_of = |((node, port), words): ((NodeId, u8), u64)| {
            let port = flitwork_types::Port(port);
            let far = account.grid.neighbour(node, port).expect("a link");
            row([
                ("node", json!(node.0)),
                ("port", json!(account.grid.port_name(port))),
                ("to", json!(far.0)),
                ("words", json!(words)),
                ("utilisation", json!(words as f64 / account.time())),
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
            let mut cells = latency.cells();
            cells.insert("class".into(), json!(class));
            cells
        };
        classes.map(row_of).collect()
    }

    pub(crate) fn by_distance_csv(&self) -> Vec<Row> {
        let distances = self.by_distance.iter();
        let row_of = |(hops, latency): (&u32, &Latency)| {
            let mut cells = latency.cells();
            cells.insert("hops".into(), json!(hops));
            cells.insert("hops_to".into(), json!(hops));
            cells
        };
        distances.map(row_of).collect()
    }

    pub(crate) fn energy_csv(&self) -> Vec<Row> {
        let work = self.account.work();
        let counts = [
            ("buffer_write_words", work.writes),
            ("buffer_read_words", work.reads),
            ("crossbar_words", work.crossbar),
            ("link_words", work.links),
            ("decisions", work.decisions),
            ("node_cycles", self.node_cycles()),
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
