//! The product method for permutations of a mesh (Annexstein and Baumslag 1990).
//!
//! Packets go along the short sides, then along the long ones, then along the short ones again. To which line each goes first
//! is a colour of its edge, in the multigraph whose edges lead from where a packet begins to where it ends on the long side:
//! then each phase is a permutation of each line. On a line of n nodes all packets of a permutation move at once, and none is
//! in another's way: two that go one way never are at one place. So a phase takes n - 1 steps at the most.

use super::colours::colours;
use super::{BoundError, distance};
use crate::bend::{EAST, NORTH, SOUTH, WEST};
use crate::multistage::Mesh;
use crate::{Hop, Plan, Request};
use flitwork_types::NodeId;

/// A schedule by three phases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The packets' ways. At most one packet waits in a node: the one that is where its phase takes it.
    pub plans: Vec<Plan>,
    /// The steps of the phases: the longest way of each.
    pub phases: [u32; 3],
}

/// The steps that no schedule of [`product`] exceeds: a + 2b - 3 on a mesh whose long side has a nodes, and its short one b
/// (Symvonis and Tidswell 1994, Theorem 2).
pub fn product_bound(mesh: &Mesh) -> u32 {
    let (one, other) = (mesh.columns(), mesh.rows());
    (one.max(other) - 1) + 2 * (one.min(other) - 1)
}

/// Schedules a permutation, or a part of one, by the product method.
///
/// In the first phase packets leave as late as they can, in the others at once, so that nobody waits between the first two
/// phases but who stays in the second.
///
/// # Errors
/// A [`BoundError`] for packets that aren't the mesh's, for those of more than one word, and for two that share a source or a
/// destination.
pub fn product(mesh: &Mesh, requests: &[Request]) -> Result<Product, BoundError> {
    distance(mesh.grid(), requests)?;
    admit(mesh, requests)?;
    let is_wide = mesh.columns() >= mesh.rows();
    let (long, short) = (
        mesh.columns().max(mesh.rows()),
        mesh.columns().min(mesh.rows()),
    );
    // The place along the long side, and that along the short one.
    let place = |node: NodeId| {
        let (x, y) = (node.0 % mesh.columns(), node.0 / mesh.columns());
        if is_wide { [x, y] } else { [y, x] }
    };
    let ends = requests
        .iter()
        .map(|it| [place(it.source), place(it.destination)]);
    let ends: Vec<[[u32; 2]; 2]> = ends.collect();
    // Who is home stays there.
    let moving = ends.iter().filter(|[from, to]| from != to);
    let edges = moving.map(|[from, to]| (from[0] as usize, to[0] as usize));
    let edges: Vec<(usize, usize)> = edges.collect();
    let lines = colours(long as usize, long as usize, &edges, short as usize);
    let mut lines = lines.into_iter();
    let ways = ends.iter().map(|[from, to]| {
        let line = match from == to {
            true => from[1],
            false => lines.next().expect("a line for each that moves") as u32,
        };
        [[from[1], line], [from[0], to[0]], [line, to[1]]]
    });
    let ways: Vec<[[u32; 2]; 3]> = ways.collect();
    let phases = [0, 1, 2].map(|phase| {
        let steps = ways.iter().map(|way| way[phase][0].abs_diff(way[phase][1]));
        steps.max().unwrap_or(0)
    });
    let plans = ways.iter().map(|way| plan(way, phases, is_wide)).collect();
    Ok(Product { plans, phases })
}

/// The hops of a packet from and to such places in each phase.
fn plan(way: &[[u32; 2]; 3], phases: [u32; 3], is_wide: bool) -> Plan {
    let (along_long, along_short) = ([WEST, EAST], [NORTH, SOUTH]);
    let (along_long, along_short) = match is_wide {
        true => (along_long, along_short),
        false => (along_short, along_long),
    };
    let mut hops = Vec::new();
    let mut begin = 0;
    for (phase, [from, to]) in way.iter().enumerate() {
        let [falls, grows] = if phase == 1 { along_long } else { along_short };
        let port = if from < to { grows } else { falls };
        let steps = from.abs_diff(*to);
        let end = begin + phases[phase];
        let first = if phase == 0 { end - steps } else { begin };
        hops.extend((first..first + steps).map(|step| Hop { port, step }));
        begin = end;
    }
    Plan { hops }
}

/// Checks that packets have one word, and sources and destinations of their own.
fn admit(mesh: &Mesh, requests: &[Request]) -> Result<(), BoundError> {
    let mut taken = vec![[None; 2]; mesh.nodes() as usize];
    for (packet, request) in requests.iter().enumerate() {
        if request.words != 1 {
            let words = request.words;
            return Err(BoundError::Words { packet, words });
        }
        for (end, node) in [request.source, request.destination]
            .into_iter()
            .enumerate()
        {
            if let Some(other) = taken[node.index()][end].replace(packet) {
                let packets = [other, packet];
                return Err(BoundError::Shared { packets, node });
            }
        }
    }
    Ok(())
}
