//! `flitwork topology`.

use crate::args::Topology as Args;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, print_found};
use crate::program::provenance;
use crate::run::{refused, warn_of_unread};
use flitwork_config::{Resolved, unread_warning};
use flitwork_plot::{Diagram, Drawable, Spot};
use flitwork_topology::{Bisection, Measures, Shape, Topology, positions, shortest_path_load};
use flitwork_types::NodeId;
use serde_json::{Value, json};
use std::fmt::Write;

pub(crate) fn run(args: &Args, asking: &Asking<'_>) -> Result<Code, Exit> {
    let given = args.settings.overrides()?;
    let loaded = asking.catalogue.load_with_unread(&args.config, &given);
    let (resolved, unread) = loaded.map_err(|error| refused(&error))?;
    warn_of_unread(unread_warning(&unread));
    asking.places.prepare()?;
    let found = Found::of(&resolved);
    let provenance = provenance(&resolved);
    if let Some(path) = &args.plot {
        let svg = provenance.in_svg(&picture(&resolved).svg());
        flitwork_files::write(path, svg.as_bytes())
            .map_err(|error| Exit::unwritable("--plot", &error))?;
    }
    let mut json = found.as_json();
    json["provenance"] = json!(provenance);
    print_found(&json, args.json, || found.as_text())?;
    Ok(Code(FINE))
}

/// What there is to say of a network.
struct Found {
    network: String,
    measures: Measures,
    bisection: Option<Bisection>,
    /// What the busiest link carries of all ordered pairs of terminals over shortest paths, one way.
    busiest: Option<f64>,
}

/// Beyond so many nodes what all pairs do isn't followed.
const MAX_FOLLOWED: u32 = 1 << 12;

impl Found {
    fn of(resolved: &Resolved) -> Found {
        let shape = &resolved.network.shape;
        let is_small = shape.nodes() <= MAX_FOLLOWED;
        let busiest = || shortest_path_load(shape).into_iter().fold(0.0, f64::max);
        Found {
            network: resolved.network.to_string(),
            measures: Measures::of(shape),
            bisection: Bisection::of(shape),
            busiest: is_small.then(busiest),
        }
    }

    /// The words that the busiest link carries in a cycle if each terminal sends one, to all others alike.
    fn load(&self) -> Option<f64> {
        let others = f64::from(self.measures.terminals) - 1.0;
        Some(self.busiest? / others)
    }

    /// What terminals can send then, in words a cycle: all that they can make, or what fills the busiest link.
    fn throughput(&self) -> Option<f64> {
        Some((1.0 / self.load()?).min(1.0))
    }

    fn as_json(&self) -> Value {
        let Measures {
            routers,
            terminals,
            links,
            degrees,
            diameter_hops,
            mean_distance_hops,
        } = self.measures;
        json!({
            "network": self.network,
            "routers": routers,
            "terminals": terminals,
            "links": links,
            "degree_min": degrees.0,
            "degree_max": degrees.1,
            "diameter_hops": diameter_hops,
            "mean_distance_hops": mean_distance_hops,
            "bisection_links_min": self.bisection.map(|it| it.least),
            "bisection_links_max": self.bisection.map(|it| it.most),
            "uniform_busiest_link_words_per_cycle": self.load(),
            "uniform_throughput_words_per_terminal_cycle": self.throughput(),
        })
    }

    fn as_text(&self) -> String {
        let measures = &self.measures;
        let degrees = match measures.degrees {
            (least, most) if least == most => most.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        let bisection = self.bisection.map(|it| match it.exact() {
            Some(links) => format!("{links} links"),
            None => format!(
                "{} to {} links: a cut of {} was found, and none has fewer than {}",
                it.least, it.most, it.most, it.least
            ),
        });
        let unknown = || "not searched for: too many nodes".to_owned();
        let lines = [
            ("network", self.network.clone()),
            ("routers", measures.routers.to_string()),
            ("terminals", measures.terminals.to_string()),
            ("links", format!("{}, each both ways", measures.links)),
            ("links of a router", degrees),
            ("diameter", format!("{} hops", measures.diameter_hops)),
            (
                "mean distance",
                format!("{:.4} hops", measures.mean_distance_hops),
            ),
            ("bisection", bisection.unwrap_or_else(unknown)),
        ];
        let mut out = String::new();
        for (name, value) in lines {
            let _ = writeln!(out, "{name:<17}  {value}");
        }
        if let (Some(load), Some(throughput)) = (self.load(), self.throughput()) {
            let _ = writeln!(
                out,
                "\nuniform traffic over shortest paths, divided evenly where there are several:"
            );
            let _ = writeln!(
                out,
                "busiest link       {load:.4} words/cycle for each word/cycle of a terminal"
            );
            let _ = writeln!(
                out,
                "throughput         {throughput:.4} words/terminal/cycle at the most"
            );
        }
        out
    }
}

/// The network as a drawing. Switches aren't filled.
fn picture(resolved: &Resolved) -> Diagram<'_> {
    let shape = &resolved.network.shape;
    let spot = |(node, at): (u32, (f64, f64))| Spot {
        at,
        is_filled: shape.has_terminal(NodeId(node)),
        label: node.to_string(),
    };
    Diagram {
        title: resolved.network.topology(),
        spots: (0..).zip(positions(shape)).map(spot).collect(),
        lines: links(shape),
    }
}

/// Every link once, by the nodes at its ends.
fn links(shape: &Shape) -> Vec<(usize, usize)> {
    let nodes = (0..shape.nodes()).map(NodeId);
    let ends = nodes.flat_map(|node| {
        let ports = shape.links(node);
        ports
            .iter()
            .filter_map(move |port| {
                let far = shape.far(node, port)?;
                ((node, port) < far).then_some((node.index(), far.0.index()))
            })
            .collect::<Vec<_>>()
    });
    ends.collect()
}
