//! results.json as it ought to be.

use crate::figures::outputs::{Figures, Latency, Shares, most, sum};
use crate::figures::statistics::{Estimate, percentile};
use crate::figures::steady::loads;
use serde_json::{Map, Value, json};

fn estimate(it: Estimate) -> Value {
    json!({
        "mean": it.mean,
        "half_width": it.half_width,
        "level": it.level,
        "batches": it.batches,
        "observations": it.observations,
    })
}

impl Latency {
    fn distribution(&self) -> Map<String, Value> {
        let of = |per_mille| percentile(&self.values, per_mille);
        let pairs = [
            ("min", self.values.iter().min().copied()),
            ("p50", of(500)),
            ("p90", of(900)),
            ("p99", of(990)),
            ("p999", of(999)),
            ("max", self.values.iter().max().copied()),
        ];
        let pairs = pairs.into_iter();
        pairs.map(|(name, it)| (name.into(), json!(it))).collect()
    }

    fn json(&self) -> Map<String, Value> {
        let mut found = self.distribution();
        let mut transient = Value::Null;
        if self.is_hidden() {
            let mut raw = found.clone();
            raw.insert("packets".into(), json!(self.values.len()));
            raw.insert("sum_cycles".into(), json!(self.values.iter().sum::<u64>()));
            raw.insert("window_mean_cycles".into(), json!(self.window_mean));
            transient = raw.into();
            found.values_mut().for_each(|value| *value = Value::Null);
        }
        found.insert("packets".into(), json!(self.values.len()));
        found.insert("mean".into(), self.mean.map_or(Value::Null, estimate));
        found.insert("not_steady".into(), json!(self.not_steady));
        found.insert("transient".into(), transient);
        found
    }
}

impl Shares {
    fn json(&self) -> Value {
        let share = |(node, value): (usize, f64)| json!({"node": node, "value": value});
        json!({
            "nodes": self.nodes,
            "min": share(self.least),
            "max": share(self.most),
            "mean": self.mean,
            "jain": self.jain,
        })
    }
}

impl Figures<'_> {
    /// results.json.
    pub(crate) fn json(&self) -> Value {
        let account = self.account;
        let (made, entered, delivered) = self.packets();
        let loads = account.open_loop.then(|| loads(account));
        let (mut by_class, mut by_distance) = (Vec::new(), Vec::new());
        for (class, latency) in &self.by_class {
            let mut cells = latency.json();
            cells.insert("class".into(), json!(class));
            by_class.push(Value::from(cells));
        }
        for (hops, latency) in &self.by_distance {
            let mut cells = latency.json();
            cells.insert("hops".into(), json!(hops));
            cells.insert("hops_to".into(), json!(hops));
            by_distance.push(Value::from(cells));
        }
        let (sources, destinations) = self.shares();
        let (link_mean, link_most) = self.link_words();
        let steady = self.steady.as_ref().map(|verdict| match verdict {
            None => (json!("Steady"), "steady".to_owned()),
            Some(it) => (
                json!({"NotSteady": {"reason": it.json}}),
                format!("not steady: {}", it.text),
            ),
        });
        let (seconds, hops) = (self.told.seconds, self.packet_hops());
        let node_cycles = account.cycles as f64 * account.nodes() as f64;
        json!({
            "provenance": self.told.provenance,
            "status": self.status(),
            "digest": self.told.digest,
            "cycles": account.cycles,
            "measured_cycles": account.seen.cycles(),
            "load": loads.map(|(offered, accepted)| json!({
                "configured": self.told.configured_load,
                "offered": estimate(offered),
                "accepted": estimate(accepted),
            })),
            "steady": steady.as_ref().map(|steady| steady.0.clone()),
            "steady_text": steady.map(|steady| steady.1),
            "packets": {
                "created": made,
                "injected": entered,
                "delivered": delivered,
                "in_network": entered - delivered,
                "in_sources": made - entered,
                "in_sources_at_least": false,
                "owed": self.owed(),
                "owed_replies": self.told.owed_replies,
                "owed_at_least": false,
            },
            "latency": self.latency.json(),
            "network_latency": self.network.json(),
            "latency_by_class": by_class,
            "latency_by_distance": by_distance,
            "fairness": {
                "by_source": sources.map(|shares| shares.json()),
                "by_destination": destinations.map(|shares| shares.json()),
            },
            "hops_per_packet": self.a_packet(|life| life.hops),
            "deroutes_per_packet": self.a_packet(|life| life.deroutes),
            "deroutes_per_hop": account.deroutes_per_hop(),
            "buffers": self.buffers_json(),
            "node_packets_mean": self.node_mean("packets"),
            "node_words_mean": self.node_mean("words"),
            "link_words_mean": link_mean,
            "link_utilisation_mean": link_mean / account.time(),
            "link_utilisation_max": link_most as f64 / account.time(),
            "energy": self.energy_json(),
            "packet_hops": hops,
            "seconds": seconds,
            "packet_hops_per_second": hops as f64 / seconds,
            "node_cycles_per_second": node_cycles / seconds,
            "node_steps": self.told.steps,
            "failure": self.told.failure,
        })
    }

    fn buffers_json(&self) -> Option<Value> {
        let buffers = self.account.buffers()?;
        let (node, mean) = self.busiest(&buffers);
        Some(json!({
            "name": buffers.name,
            "unit": buffers.unit,
            "mean": self.held_mean(&buffers),
            "busiest": {"node": node, "value": mean},
            "max": most(&buffers),
        }))
    }

    fn energy_json(&self) -> Value {
        let work = self.account.work();
        let words = self.words_delivered();
        let joules = self.joules().map(|parts| {
            let total = sum(&parts);
            let mut found: Map<String, Value> = parts
                .iter()
                .map(|(name, part)| ((*name).to_owned(), json!(part)))
                .collect();
            found.insert("total".into(), json!(total));
            let a_word = (words > 0).then(|| total / words as f64);
            found.insert("per_delivered_word".into(), json!(a_word));
            Value::from(found)
        });
        json!({
            "buffer_write_words": work.writes,
            "buffer_read_words": work.reads,
            "crossbar_words": work.crossbar,
            "link_words": work.links,
            "decisions": work.decisions,
            "node_cycles": self.node_cycles(),
            "delivered_words": words,
            "joules": joules,
        })
    }
}
