//! Scopes: the run, a node each, and in it a scope for each of its places.

use super::record::Wave;
use super::signals::{Signal, plain};
use flitwork_debug::rows::Nodes;
use flitwork_types::{NodeId, Port};

/// What declares scopes and signals in a format.
pub(crate) trait Declare {
    /// Why it can't.
    type Error;
    /// What the format calls a signal.
    type Id: Copy;

    /// Opens a scope: `what` is what it stands for.
    fn scope(&mut self, name: &str, what: &str) -> Result<(), Self::Error>;

    /// Declares a signal in the open scope.
    fn signal(&mut self, signal: &Signal) -> Result<Self::Id, Self::Error>;

    /// Declares a number of 32 bits that never changes.
    fn constant(&mut self, name: &str) -> Result<Self::Id, Self::Error>;

    /// Closes the open scope.
    fn up(&mut self) -> Result<(), Self::Error>;
}

/// What a format calls what has been declared.
pub(crate) struct Ids<I> {
    /// Signals, by their places among all.
    pub(super) signals: Vec<Option<I>>,
    /// Constants, each with its value.
    pub(super) constants: Vec<(I, u64)>,
}

/// Declares all scopes and signals of a wave: nodes by number, places and signals in the order of the datapath, as they
/// were first seen.
pub(crate) fn declare<D: Declare>(
    wave: &Wave,
    (name, nodes): (&str, &Nodes),
    to: &mut D,
) -> Result<Ids<D::Id>, D::Error> {
    let mut ids = Ids {
        signals: vec![None; wave.signals.len()],
        constants: Vec::new(),
    };
    to.scope(&plain(name), "network")?;
    to.scope("port_numbers", "constants")?;
    for port in 0..nodes.ports() as u8 {
        let id = to.constant(&plain(nodes.port(Port(port))))?;
        ids.constants.push((id, port.into()));
    }
    to.up()?;
    let mut places: Vec<usize> = (0..wave.signals.len()).collect();
    places.sort_by_key(|place| wave.signals[*place].node);
    for of_node in
        places.chunk_by(|one, other| wave.signals[*one].node == wave.signals[*other].node)
    {
        to.scope(&node_name(nodes, wave.signals[of_node[0]].node), "node")?;
        declare_node(wave, of_node, to, &mut ids.signals)?;
        to.up()?;
    }
    to.up()?;
    Ok(ids)
}

fn declare_node<D: Declare>(
    wave: &Wave,
    places: &[usize],
    to: &mut D,
    ids: &mut [Option<D::Id>],
) -> Result<(), D::Error> {
    let mut scopes: Vec<&Option<String>> = Vec::new();
    for place in places {
        let scope = &wave.signals[*place].scope;
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    for scope in scopes {
        if let Some(name) = scope {
            to.scope(name, "place")?;
        }
        for place in places
            .iter()
            .filter(|place| wave.signals[**place].scope == *scope)
        {
            ids[*place] = Some(to.signal(&wave.signals[*place])?);
        }
        if scope.is_some() {
            to.up()?;
        }
    }
    Ok(())
}

/// A node's scope: its number and its coordinates, as wide as the largest, so that names are sorted like nodes.
fn node_name(nodes: &Nodes, node: NodeId) -> String {
    let width = |largest: u32| largest.to_string().len();
    let last = NodeId(nodes.count().saturating_sub(1));
    let mut name = format!("n{:0width$}", node.0, width = width(last.0));
    for axis in 0..nodes.axes() {
        // The last node has the largest coordinates.
        let at = |node| nodes.coordinate(node, axis).unwrap_or(0) as u32;
        let letter = ["x", "y", "z"]
            .get(axis)
            .map_or(format!("d{}", axis + 1), |it| (*it).to_owned());
        name += &format!("_{letter}{:0width$}", at(node), width = width(at(last)));
    }
    name
}
