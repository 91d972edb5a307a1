//! Cycles of a graph.

use super::graph::Graph;
use std::collections::{HashMap, VecDeque};

/// How many vertices of a cycle are tried in the search for a shorter one.
const MAX_ROOTS: usize = 64;

/// What a depth-first search knows about a vertex.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Met {
    Not,
    OnThePath,
    Before,
}

/// A cycle, each vertex once: the shortest of those through a vertex of the first one found. `None` if the
/// graph is acyclic.
pub(super) fn shortest_cycle(graph: &impl Graph) -> Option<Vec<usize>> {
    let mut shortest = first_of(graph)?;
    let roots: Vec<usize> = shortest.iter().take(MAX_ROOTS).copied().collect();
    for root in roots {
        if let Some(cycle) = cycle_through(graph, root, shortest.len()) {
            shortest = cycle;
        }
    }
    Some(shortest)
}

/// The first cycle that a depth-first search finds.
fn first_of(graph: &impl Graph) -> Option<Vec<usize>> {
    first_cycle(graph.vertices(), |vertex, from| {
        let next = graph.successor(vertex, from)?;
        Some((next, next + 1))
    })
}

/// The first cycle that a depth-first search finds among so many vertices. `next` returns the first successor of a vertex
/// from a position on, and the position from which the one after it is searched.
pub(crate) fn first_cycle(
    vertices: usize,
    next: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> Option<Vec<usize>> {
    let mut met = vec![Met::Not; vertices];
    // The path: each vertex with the position from which its next successor is searched.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for root in 0..vertices {
        if met[root] == Met::Not {
            met[root] = Met::OnThePath;
            path.push((root, 0));
        }
        while let Some((vertex, from)) = path.last_mut() {
            let Some((found, after)) = next(*vertex, *from) else {
                met[*vertex] = Met::Before;
                path.pop();
                continue;
            };
            *from = after;
            match met[found] {
                Met::Before => {}
                Met::Not => {
                    met[found] = Met::OnThePath;
                    path.push((found, 0));
                }
                Met::OnThePath => {
                    let path = path.iter().map(|(vertex, _)| *vertex);
                    return Some(path.skip_while(|vertex| *vertex != found).collect());
                }
            }
        }
    }
    None
}

/// The shortest cycle through `root`, if it has fewer than `bound` vertices.
fn cycle_through(graph: &impl Graph, root: usize, bound: usize) -> Option<Vec<usize>> {
    // For each vertex found, its predecessor, and its distance from the root.
    let mut met: HashMap<usize, (usize, usize)> = HashMap::from([(root, (root, 0))]);
    let mut queue = VecDeque::from([root]);
    while let Some(vertex) = queue.pop_front() {
        let (_, far) = met[&vertex];
        if far + 1 >= bound {
            return None;
        }
        for next in graph.successors(vertex) {
            if next == root {
                let mut cycle = vec![vertex];
                while cycle[cycle.len() - 1] != root {
                    cycle.push(met[&cycle[cycle.len() - 1]].0);
                }
                cycle.reverse();
                return Some(cycle);
            }
            met.entry(next).or_insert_with(|| {
                queue.push_back(next);
                (vertex, far + 1)
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Listed(Vec<Vec<usize>>);

    impl Graph for Listed {
        fn vertices(&self) -> usize {
            self.0.len()
        }

        fn successor(&self, vertex: usize, from: usize) -> Option<usize> {
            self.0[vertex].iter().copied().find(|next| *next >= from)
        }

        fn edges(&self) -> u64 {
            self.0.iter().map(|next| next.len() as u64).sum()
        }
    }

    /// Whether a graph has a cycle, found by removing vertices without predecessors.
    fn cyclic(graph: &Listed) -> bool {
        let mut left: Vec<usize> = (0..graph.vertices()).collect();
        loop {
            let before = left.len();
            let wanted: Vec<usize> = left
                .iter()
                .flat_map(|vertex| graph.0[*vertex].clone())
                .collect();
            left.retain(|vertex| wanted.contains(vertex));
            if left.len() == before {
                return before > 0;
            }
        }
    }

    /// How many hops lead from a vertex back to it, if any do.
    fn hops_around(graph: &Listed, vertex: usize) -> Option<usize> {
        let mut at = vec![vertex];
        (1..=graph.vertices()).find(|_| {
            at = at.iter().flat_map(|from| graph.0[*from].clone()).collect();
            at.sort_unstable();
            at.dedup();
            at.contains(&vertex)
        })
    }

    /// All graphs of four vertices: one bit for each edge.
    #[test]
    fn a_cycle_is_found_where_there_is_one_and_is_one() {
        for edges in 0..1u32 << 16 {
            let next = |vertex: usize| (0..4).filter(move |to| edges >> (vertex * 4 + to) & 1 == 1);
            let graph = Listed((0..4).map(|vertex| next(vertex).collect()).collect());
            let found = shortest_cycle(&graph);
            assert_eq!(found.is_some(), cyclic(&graph), "{edges:016b}");
            let Some(cycle) = found else { continue };
            for (index, vertex) in cycle.iter().enumerate() {
                let next = cycle[(index + 1) % cycle.len()];
                assert!(graph.0[*vertex].contains(&next), "{edges:016b} {cycle:?}");
                let others = cycle.iter().filter(|other| *other == vertex);
                assert_eq!(others.count(), 1, "{edges:016b} {cycle:?}");
            }
            let first = first_of(&graph).expect("there is one");
            let through_first = first.iter().map(|vertex| hops_around(&graph, *vertex));
            assert_eq!(
                through_first.min(),
                Some(Some(cycle.len())),
                "{edges:016b} {cycle:?}"
            );
        }
    }

    #[test]
    fn a_long_cycle_is_cut_short() {
        // 0 ▶ 1 ▶ 2 ▶ 3 ▶ 4 ▶ 0, and 4 ▶ 3.
        let graph = Listed(vec![vec![1], vec![2], vec![3], vec![4], vec![0, 3]]);
        assert_eq!(first_of(&graph), Some(vec![0, 1, 2, 3, 4]));
        assert_eq!(shortest_cycle(&graph), Some(vec![3, 4]));
        assert_eq!(cycle_through(&graph, 0, 9), Some(vec![0, 1, 2, 3, 4]));
    }
}
