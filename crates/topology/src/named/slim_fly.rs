//! `topology = "slim-fly"`: the graphs of McKay, Miller and Širáň, of diameter 2.
//!
//! Two times q x q nodes, for a power q of a prime that is 4 w + δ with δ of -1, 0 or 1, each with (3 q - δ) / 2 links. Node (0, x, y) is linked to
//! (0, x, y') where y - y' is one of X, node (1, m, c) to (1, m, c') where c - c' is one of X', and (0, x, y) to (1, m, c) where y = m x + c, in the
//! field of q elements. With ξ a primitive element X has the even powers of ξ and X' the odd ones if δ = 1 or 0; if δ = -1 they have the
//! even and odd powers below ξ^(2w), and the odd and even ones from ξ^(2w - 1), or ξ^(2w), on (Besta and Hoefler 2014, section II.B; Hafner 2004).

mod field;

use super::{built, joined};
use crate::{Graph, GraphBuilder, GraphError, TopologyEntry, keys, layout};
use field::Field;
use flitwork_schema::{Allowed, Key, key};
use flitwork_types::NodeId;

#[derive(Clone, Debug, Default)]
struct SlimFly {
    q: u32,
    concentration: Option<u32>,
}

#[rustfmt::skip]
const KEYS: &[Key<SlimFly>] = &[
    key("q", |it| &mut it.q, Allowed::Whole(3, 64), "required", "how many elements the field has: a power of a prime, of the form 4 w - 1, 4 w or 4 w + 1; 2 q x q nodes"),
    keys::concentration(|it| &mut it.concentration),
];

pub(crate) fn entry() -> TopologyEntry {
    let help =
        "2 q x q nodes with about 3 q / 2 links each, no two of them more than two links apart";
    TopologyEntry::new("slim-fly", help, KEYS, |given, table| {
        let field = Field::of(given.q).filter(|_| given.q % 4 != 2);
        let Some(field) = field else {
            let allowed = "a power of a prime, of the form 4 w - 1, 4 w or 4 w + 1: 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19 …";
            return Err(table.conflict("q", allowed));
        };
        built(table, "q", slim_fly(&field, given.concentration))
    })
}

/// The differences that link the nodes of a column in each of the two halves.
fn differences(field: &Field) -> [Vec<u32>; 2] {
    let q = field.size();
    let powers = |exponents: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
        exponents.map(|exponent| field.power(exponent)).collect()
    };
    if q % 4 == 3 {
        let w = q.div_ceil(4);
        let even = (0..w)
            .map(|it| 2 * it)
            .chain((w..2 * w).map(|it| 2 * it - 1));
        let odd = (0..w)
            .map(|it| 2 * it + 1)
            .chain((w..2 * w).map(|it| 2 * it));
        return [powers(&mut { even }), powers(&mut { odd })];
    }
    let half = q / 2;
    [
        powers(&mut (0..half).map(|it| 2 * it)),
        powers(&mut (0..half).map(|it| 2 * it + 1)),
    ]
}

fn slim_fly(field: &Field, concentration: Option<u32>) -> Result<GraphBuilder, GraphError> {
    let q = field.size();
    let node = |half: u32, column: u32, row: u32| (half * q + column) * q + row;
    let mut graph = Graph::of_nodes(2 * q * q)?;
    let mut used = vec![0; 2 * (q * q) as usize];
    let mut join = |one: u32, other: u32| {
        let ports = [one, other].map(|node| {
            let next = &mut used[node as usize];
            *next += 1;
            *next - 1
        });
        joined(&mut graph, (one, ports[0]), (other, ports[1]))
    };
    for (half, differences) in (0..).zip(differences(field)) {
        for column in 0..q {
            for row in 0..q {
                for far in differences
                    .iter()
                    .map(|difference| field.sum(row, *difference))
                {
                    if row < far {
                        join(node(half, column, row), node(half, column, far))?;
                    }
                }
            }
        }
    }
    for x in 0..q {
        for m in 0..q {
            for c in 0..q {
                let y = field.sum(field.product(m, x), c);
                join(node(0, x, y), node(1, m, c))?;
            }
        }
    }
    let links = used.iter().max().map_or(0, |links| *links as u32);
    let concentration = concentration.unwrap_or(links.div_ceil(2));
    let nodes = 2 * q * q;
    graph.set_terminals((0..nodes * concentration).map(|it| NodeId(it / concentration)))?;
    let name = |it: u32| format!("{it} ({}, {}, {})", it / (q * q), it / q % q, it % q);
    graph.name_nodes((0..nodes).map(name).collect())?;
    // Each column is a circle, the two halves next to each other.
    graph.place_nodes(layout::of_groups(2 * q, q, 0.0))?;
    Ok(graph)
}
