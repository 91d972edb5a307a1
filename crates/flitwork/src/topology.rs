//! `flitwork topology`.

mod drawing;
mod load;

use crate::args::Topology as Args;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, complain, print_found};
use crate::program::{program, provenance};
use crate::progress;
use crate::run::{refused, warn_of_unread};
use bytesize::ByteSize;
use flitwork_config::{
    ConfigError, Loaded, Problem, Resolved, Routing, Scheduling, table_within, unread_warning,
};
use flitwork_experiment::load::PatternLoad;
use flitwork_experiment::memory::bytes_a_router;
use flitwork_plot::{Diagram, Drawable, LineScale, Spot};
use flitwork_report::Provenance;
use flitwork_topology::{
    Bisection, Measures, Shape, Topology, busiest_link, positions, shortest_path_load,
};
use flitwork_types::{Duplex, NodeId, TerminalId};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

pub(crate) fn run(args: &Args, asking: &Asking<'_>) -> Result<Code, Exit> {
    let network = Network::read(args, asking)?;
    if args.plot.is_some() && network.shape.nodes() > MAX_DRAWN_NODES {
        return Err(Exit::bad_input(format!(
            "--plot: the network has {} nodes\n  allowed: at most {MAX_DRAWN_NODES} in a drawing",
            network.shape.nodes()
        )));
    }
    asking.places.prepare()?;
    let found = Found::of(&network);
    let resolved = network.resolved.as_deref();
    let Ok(loaded) = resolved.map(|it| load::Loaded::of(it, asking)).transpose() else {
        complain("interrupted: the load of links isn't known yet");
        return Ok(Code(INTERRUPTED));
    };
    let mut json = found.as_json();
    if let Some(loaded) = &loaded {
        loaded.add_to(&mut json);
    }
    json["provenance"] = json!(network.provenance);
    print_found(&json, args.json, || {
        let of_load = loaded.as_ref().map(|it| it.as_text(&network.shape));
        found.as_text() + &of_load.unwrap_or_default()
    })?;
    if let Some(path) = &args.plot {
        let loaded = loaded.as_ref().and_then(load::Loaded::known);
        let svg = network.provenance.in_svg(&network.svg(loaded));
        flitwork_files::write(path, svg.as_bytes())
            .map_err(|error| Exit::unwritable("--plot", &error))?;
    }
    Ok(Code(FINE))
}

/// The largest network that is drawn.
const MAX_DRAWN_NODES: u32 = 1 << 12;

/// A configuration's network.
struct Network {
    in_words: String,
    shape: Shape,
    duplex: Duplex,
    provenance: Provenance,
    /// All of a run's configuration.
    resolved: Option<Box<Resolved>>,
}

impl Network {
    /// That of a run's configuration, or of a static problem's.
    fn read(args: &Args, asking: &Asking<'_>) -> Result<Network, Exit> {
        let (catalogue, config, given) = (asking.catalogue, &args.config, args.overrides()?);
        let has = |table| table_within(config, table).is_some();
        match has("router") {
            false if has("rule") => {
                return Network::of_problem(
                    catalogue.load_routing(config, &given),
                    Routing::to_toml,
                );
            }
            false if has("schedule") => {
                return Network::of_problem(
                    catalogue.load_scheduling(config, &given),
                    Scheduling::to_toml,
                );
            }
            _ => {}
        }
        let loaded = catalogue.load_examined(config, &given);
        let (resolved, unread) = loaded.map_err(|error| refused(&error))?;
        warn_of_unread(unread_warning(&unread));
        Ok(Network {
            in_words: resolved.network.to_string(),
            provenance: provenance(&resolved),
            duplex: resolved.network.duplex,
            shape: resolved.network.shape.clone(),
            resolved: Some(Box::new(resolved)),
        })
    }

    fn of_problem<A>(
        loaded: Result<Loaded<Problem<A>>, ConfigError>,
        to_toml: fn(&Problem<A>) -> String,
    ) -> Result<Network, Exit> {
        let loaded = loaded.map_err(|error| refused(&error))?;
        warn_of_unread(unread_warning(&loaded.unread));
        let problem = loaded.value;
        Ok(Network {
            in_words: problem.network_in_words(),
            provenance: program().ran(to_toml(&problem), problem.seed),
            shape: problem.shape().clone(),
            duplex: Duplex::Full,
            resolved: None,
        })
    }

    /// The network as a drawing, with what its links carry if that is known. Switches aren't filled; squares are terminals, unless each node
    /// has one.
    fn svg(&self, load: Option<&PatternLoad>) -> String {
        let shape = &self.shape;
        let has_marks = !shape.has_plain_terminals();
        let spot = |(node, at): (u32, (f64, f64))| Spot {
            at,
            is_filled: shape.has_terminal(NodeId(node)),
            label: node.to_string(),
            marks: match has_marks {
                true => drawing::marks(shape, NodeId(node)),
                false => Vec::new(),
            },
        };
        let under = load.map(load::under).unwrap_or_default();
        let lines = drawing::lines(shape, load.map(|it| &it.load));
        let most = lines
            .iter()
            .fold(0.0, |most: f64, line| most.max(line.load));
        let scale = LineScale {
            most,
            unit: "words on a link for each word of a terminal",
            under: &under,
        };
        let diagram = Diagram {
            title: &self.in_words,
            spots: (0..).zip(positions(shape)).map(spot).collect(),
            lines,
            scale: (most > 0.0).then_some(scale),
        };
        diagram.svg()
    }
}

/// How often the bar is drawn again.
const TICK: Duration = Duration::from_millis(100);

/// Bytes to two digits.
fn about(bytes: f64) -> String {
    let digits = 10_f64.powf(bytes.max(1.0).log10().floor() - 1.0).max(1.0);
    let rounded = (bytes / digits).round() * digits;
    let text = ByteSize(rounded as u64).display().si().to_string();
    text.replace(".0 ", " ")
}

/// What there is to say of a network.
struct Found {
    network: String,
    measures: Measures,
    duplex: Duplex,
    bisection: Option<Bisection>,
    /// Whether each terminal's packets enter where it takes delivery.
    enters_at_home: bool,
    /// The words that the busiest link carries in a cycle if each terminal sends one, to all others alike, over shortest paths,
    /// divided evenly where there are several.
    load: Option<f64>,
    /// Bytes that the configured router takes at each node, in the configured engine.
    memory: Option<u64>,
}

/// Beyond so many nodes what all pairs do isn't followed.
const MAX_FOLLOWED: u32 = 1 << 12;

impl Found {
    fn of(network: &Network) -> Found {
        let shape = &network.shape;
        let bar = progress::waiting();
        bar.enable_steady_tick(TICK);
        let stage = |what: &'static str| bar.set_message(what);
        stage("measuring distances");
        let measures = Measures::of(shape);
        stage("searching for a bisection");
        let bisection = Bisection::of(shape);
        stage("following shortest paths");
        let is_small = shape.nodes() <= MAX_FOLLOWED;
        let busiest = || busiest_link(shape, &shortest_path_load(shape), network.duplex);
        let others = f64::from(measures.terminals) - 1.0;
        let load = is_small.then(|| busiest() / others);
        // Nothing else may allocate while memory is counted.
        bar.finish_and_clear();
        Found {
            network: network.in_words.clone(),
            duplex: network.duplex,
            bisection,
            memory: network.resolved.as_deref().map(bytes_a_router),
            enters_at_home: (0..shape.terminals())
                .map(TerminalId)
                .all(|terminal| shape.entry(terminal) == shape.home(terminal)),
            load,
            measures,
        }
    }

    /// What terminals can send then, in words a cycle: all that they can make, or what fills the busiest link.
    fn throughput(&self) -> Option<f64> {
        Some((1.0 / self.load?).min(1.0))
    }

    fn bound(&self) -> f64 {
        self.measures.uniform_bound(self.bisection, self.duplex)
    }

    fn as_json(&self) -> Value {
        let Measures {
            routers,
            terminals,
            links,
            one_way,
            degrees,
            diameter_hops,
            mean_distance_hops,
        } = self.measures;
        json!({
            "network": self.network,
            "routers": routers,
            "terminals": terminals,
            "links": links,
            "links_one_way": one_way,
            "degree_min": degrees.0,
            "degree_max": degrees.1,
            "diameter_hops": diameter_hops,
            "mean_distance_hops": mean_distance_hops,
            "bisection_links_min": self.bisection.map(|it| it.least),
            "bisection_links_max": self.bisection.map(|it| it.most),
            "memory_bytes_per_router": self.memory,
            "uniform_bound_words_per_terminal_cycle": self.bound(),
            "uniform_busiest_link_words_per_cycle": self.load,
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
        let unknown = || match (measures.one_way, self.enters_at_home) {
            (0, true) => "not searched for: too many nodes".to_owned(),
            (0, false) => "not searched for: packets enter and leave at different nodes".to_owned(),
            _ => "not searched for: links lead one way".to_owned(),
        };
        let links = match measures.one_way {
            0 => format!("{}, each both ways", measures.links),
            one_way if one_way == measures.links => format!("{one_way}, each one way"),
            one_way => format!("{}, of which {one_way} lead one way", measures.links),
        };
        let diameter = match measures.diameter_hops {
            1 => "1 hop".to_owned(),
            hops => format!("{hops} hops"),
        };
        let mut lines = vec![
            ("network", self.network.clone()),
            ("routers", measures.routers.to_string()),
            ("terminals", measures.terminals.to_string()),
            ("links", links),
            ("links of a router", degrees),
            ("diameter", diameter),
            (
                "mean distance",
                format!("{:.4} hops", measures.mean_distance_hops),
            ),
            ("bisection", bisection.unwrap_or_else(unknown)),
        ];
        let memory = self.memory.map(|bytes| about(bytes as f64));
        lines.extend(memory.map(|bytes| ("memory", format!("about {bytes} a router"))));
        let mut out = String::new();
        for (name, value) in lines {
            let _ = writeln!(out, "{name:<17}  {value}");
        }
        let _ = writeln!(
            out,
            "\nuniform traffic    at most {:.4} words/terminal/cycle over any paths",
            self.bound()
        );
        if let (Some(load), Some(throughput)) = (self.load, self.throughput()) {
            let ways = match self.duplex {
                Duplex::Full => "",
                Duplex::Half { .. } => ", both ways",
            };
            let _ = writeln!(
                out,
                "even split         {throughput:.4} words/terminal/cycle over shortest paths, divided evenly where there are several\n\
                 busiest link       {load:.4} words/cycle then for each word/cycle of a terminal{ways}"
            );
        }
        out
    }
}
