//! Routing functions by name: a table to which other crates can add.

use super::contract::Routing;
use super::error::check_channels;
use super::{AnyFunction, OwnKeys, ROUTINGS, RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::NodeId;

/// Why packets that a routing function routes can't wait for each other in a circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freedom {
    /// No dependencies of channels form a cycle (Dally and Seitz 1987).
    Acyclic,
    /// Those among the escape channels don't, and every head can take one (Duato 1993). This requires of the
    /// router that an adaptive channel's buffer never holds words of two packets.
    Escape,
    /// It depends on the function's own keys: the check decides before a run.
    Checked,
    /// They can.
    None,
}

/// Networks that a routing function is defined on, and the virtual channels that it needs there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The fewest virtual channels on a mesh; `None` if it isn't defined on meshes.
    pub mesh: Option<u8>,
    /// The fewest on a torus; `None` if it isn't defined on tori.
    pub torus: Option<u8>,
    /// Whether a grid must have two dimensions.
    pub plane: bool,
    /// The fewest where each two nodes of a line are linked; `None` if it isn't defined there.
    pub lines: Option<u8>,
    /// The fewest on a network of levels; `None` if it isn't defined on those.
    pub levels: Option<u8>,
    /// The fewest on a network of groups; `None` if it isn't defined on those.
    pub groups: Option<u8>,
    /// The fewest on any graph; `None` if it isn't defined on all. Some graphs may need more.
    pub graph: Option<u8>,
}

impl Needs {
    const NONE: Needs = Needs {
        mesh: None,
        torus: None,
        plane: false,
        lines: None,
        levels: None,
        groups: None,
        graph: None,
    };

    /// Any grid: the channels needed on a mesh, and on a torus.
    pub const fn any(mesh: u8, torus: u8) -> Needs {
        Needs {
            mesh: Some(mesh),
            torus: Some(torus),
            ..Needs::NONE
        }
    }

    /// A mesh.
    pub const fn mesh(mesh: u8) -> Needs {
        Needs {
            mesh: Some(mesh),
            ..Needs::NONE
        }
    }

    /// A graph.
    pub const fn graph(graph: u8) -> Needs {
        Needs {
            graph: Some(graph),
            ..Needs::NONE
        }
    }

    /// Adds networks in which each two nodes of a line are linked.
    #[must_use]
    pub const fn or_lines(self, lines: u8) -> Needs {
        Needs {
            lines: Some(lines),
            ..self
        }
    }

    /// A network of levels: a tree, stages, a butterfly.
    pub const fn levels(levels: u8) -> Needs {
        Needs {
            levels: Some(levels),
            ..Needs::NONE
        }
    }

    /// A network of groups: a dragonfly, a megafly.
    pub const fn groups(groups: u8) -> Needs {
        Needs {
            groups: Some(groups),
            ..Needs::NONE
        }
    }

    /// Restricts grids to two dimensions.
    #[must_use]
    pub const fn plane(self) -> Needs {
        Needs {
            plane: true,
            ..self
        }
    }

    /// Adds graphs.
    #[must_use]
    pub const fn or_graph(self, graph: u8) -> Needs {
        Needs {
            graph: Some(graph),
            ..self
        }
    }

    /// A description in words.
    pub(super) fn describe(&self) -> String {
        let grid = match (self.plane, self.mesh.is_some(), self.torus.is_some()) {
            (_, false, false) => "",
            (true, _, false) => "a mesh of two dimensions",
            (true, false, true) => "a torus of two dimensions",
            (true, true, true) => "a mesh or torus of two dimensions",
            (false, _, false) => "a mesh",
            (false, false, true) => "a torus",
            (false, true, true) => "a mesh or torus",
        };
        if self.levels.is_some() {
            return "a tree, stages or a butterfly".to_owned();
        }
        if self.groups.is_some() {
            return "a dragonfly or a megafly".to_owned();
        }
        let lines = self
            .lines
            .map_or("", |_| ", a flattened butterfly or a HyperX");
        match (grid, self.graph.is_some()) {
            (grid, false) => format!("{grid}{lines}"),
            ("", true) => "a topology other than mesh and torus".to_owned(),
            (grid, true) => format!("{grid} or another topology"),
        }
    }

    /// The fewest virtual channels on `grid`; `None` if the function isn't defined there.
    pub fn on(&self, grid: &Grid) -> Option<u8> {
        let least = if grid.wraps() { self.torus } else { self.mesh };
        least.filter(|_| !self.plane || grid.sides().len() == 2)
    }

    /// The same on a network of either kind.
    pub fn on_shape(&self, shape: &Shape) -> Option<u8> {
        let grid = shape.grid().and_then(|grid| self.on(grid));
        match shape {
            Shape::Grid(_) => grid,
            Shape::Graph(graph) => {
                let has_levels = graph.level(NodeId(0)).is_some();
                let levels = self.levels.filter(|_| has_levels);
                let lines = self.lines.filter(|_| graph.lines().is_some());
                let has_groups = graph.group(NodeId(0)).is_some();
                let groups = self.groups.filter(|_| has_groups);
                grid.or(lines).or(levels).or(groups).or(self.graph)
            }
        }
    }
}

/// Builds a routing function for a network on which its [`Needs`] are met.
pub type Build = fn(&RoutingParameters, &Shape) -> Result<Box<dyn Routing>, RoutingError>;

/// A routing function in the table.
#[derive(Clone, Copy, Debug)]
pub struct RoutingEntry {
    /// What users call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it is defined, and the virtual channels that it needs there.
    pub needs: Needs,
    /// Whether it is free of deadlock wherever it is defined, and why.
    pub freedom: Freedom,
    /// The fields of [`RoutingParameters`] that it reads, besides the channels and the seed.
    pub reads: &'static [&'static str],
    /// The keys of its own table, if it has any: [`RoutingEntry::of`] declares them.
    pub own: Option<OwnKeys>,
    /// Builds it for a network on which it is defined, with parameters that it reads: [`RoutingEntry::build`] checks both,
    /// and calls this. Called without these checks it may panic.
    pub build: Build,
}

impl RoutingEntry {
    /// The routing function on a network.
    ///
    /// # Errors
    /// A [`RoutingError`] for a network that the function isn't defined on, too few or too many virtual
    /// channels, and a parameter that is wrong or that the function doesn't read.
    pub fn build(
        &self,
        parameters: &RoutingParameters,
        shape: &Shape,
    ) -> Result<Box<dyn Routing>, RoutingError> {
        let name = self.name;
        let unread = |(name, given): &(&'static str, bool)| *given && !self.reads.contains(name);
        if let Some((parameter, _)) = parameters.given().into_iter().find(unread) {
            return Err(self.unread(parameter));
        }
        let other = parameters.own.as_ref().map(AnyFunction::name);
        if let Some(other) = other.filter(|other| *other != name) {
            return Err(self.unread(other));
        }
        let Some(least) = self.needs.on_shape(shape) else {
            let found = format!("{name} on a {}", described(shape));
            let allowed = format!("{name} on {}", self.needs.describe());
            let undefined = WrongValue::new("name", found, allowed);
            return Err(RoutingError::Topology(undefined));
        };
        check_channels(name, parameters.channels, least)?;
        (self.build)(parameters, shape)
    }

    /// A parameter is given that it doesn't read.
    fn unread(&self, parameter: &'static str) -> RoutingError {
        let own = self.own.map(|_| "the keys of its table");
        let reads: Vec<&str> = self.reads.iter().copied().chain(own).collect();
        let reads = match reads.as_slice() {
            [] => "no parameter of its own".to_owned(),
            reads => format!("only {}", reads.join(" and ")),
        };
        let name = self.name;
        let allowed = format!("only with another routing function: {name} reads {reads}");
        RoutingError::Unread(WrongValue::new(parameter, "given", allowed))
    }
}

/// What users call a network: `torus of 4 x 2`.
fn described(shape: &Shape) -> String {
    match shape {
        Shape::Grid(grid) => {
            let sides: Vec<String> = grid.sides().iter().map(u32::to_string).collect();
            format!("{} of {}", grid.kind(), sides.join(" x "))
        }
        Shape::Graph(graph) => format!("{graph:?}"),
    }
}

impl PartialEq for RoutingEntry {
    fn eq(&self, other: &RoutingEntry) -> bool {
        // Names are unique in a table.
        self.name == other.name
    }
}

impl Eq for RoutingEntry {}

flitwork_schema::part!(RoutingEntry { name, summary }: "routing function", ROUTINGS.to_vec());
