//! Timed marked graphs: their earliest times, and their greatest cycle mean.
//!
//! Event k = 0, 1, 2, … of each vertex is no earlier than a weight after event k - tokens of another, for each arc between
//! them; events before number 0 came at 0 ps, or need not have come. If events come as soon as they may, each vertex has
//! one every so many ps as the greatest of all cycles of (sum of weights / sum of tokens) says: Commoner and others 1971,
//! "Marked Directed Graphs"; Baccelli and others 1992, "Synchronization and Linearity".

use flitwork_network::{Handshake, Segment};

/// An arc: from event `since` on, event k of `to` comes at least `weight` ps after event k - `tokens` of `from`, or after
/// 0 ps if there is none.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from: usize,
    to: usize,
    weight: u64,
    tokens: u64,
    since: u64,
}

/// A timed marked graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marked {
    vertices: usize,
    arcs: Vec<Arc>,
}

impl Marked {
    /// Another vertex.
    pub(crate) fn vertex(&mut self) -> usize {
        self.vertices += 1;
        self.vertices - 1
    }

    /// Another arc. Its first events wait for nothing.
    pub(crate) fn arc(&mut self, from: usize, to: usize, weight: u64, tokens: u64) {
        self.arc_since(tokens, (from, to), weight, tokens);
    }

    /// Another arc. Its first events wait for what began at 0 ps.
    pub(crate) fn arc_begun(&mut self, from: usize, to: usize, weight: u64, tokens: u64) {
        self.arc_since(0, (from, to), weight, tokens);
    }

    /// Another arc. Its events before number `since` wait for nothing.
    fn arc_since(&mut self, since: u64, (from, to): (usize, usize), weight: u64, tokens: u64) {
        self.arcs.push(Arc {
            from,
            to,
            weight,
            tokens,
            since,
        });
    }

    /// The arcs of a segment of a link with a handshake, between the times at which words enter the latch at which it
    /// begins and those at which they are captured at its end, with a vertex for when they leave over it. `own` words,
    /// none or one, were at its end before the first word of the link, which waits for nothing.
    pub(crate) fn segment(
        &mut self,
        (shake, delays): (&Handshake, Segment),
        (latch, next): (usize, usize),
        own: u64,
    ) {
        let leaves = self.vertex();
        self.arc(latch, leaves, 0, 0);
        self.arc(leaves, next, shake.forward_ps(delays), own);
        self.arc_since(1, (next, leaves), shake.backward_ps(delays), 1 - own);
        self.arc_since(1, (next, latch), delays.acknowledge_ps, 1 - own);
    }

    /// The vertices in an order in which none comes before one that it depends on at once; `None` if some cycle has no
    /// token, so that nothing on it ever happens.
    fn order(&self) -> Option<Vec<usize>> {
        let at_once = || self.arcs.iter().filter(|arc| arc.tokens == 0);
        let mut waits = vec![0; self.vertices];
        at_once().for_each(|arc| waits[arc.to] += 1);
        let mut order: Vec<usize> = (0..self.vertices).filter(|it| waits[*it] == 0).collect();
        let mut next = 0;
        while let Some(vertex) = order.get(next).copied() {
            next += 1;
            for arc in at_once().filter(|arc| arc.from == vertex) {
                waits[arc.to] -= 1;
                if waits[arc.to] == 0 {
                    order.push(arc.to);
                }
            }
        }
        (order.len() == self.vertices).then_some(order)
    }

    /// Whether everything happens again and again.
    pub(crate) fn is_live(&self) -> bool {
        self.order().is_some()
    }

    /// The earliest times of the first events of each vertex, in ps.
    pub(crate) fn times(&self, events: usize) -> Vec<Vec<u64>> {
        let order = self.order().expect("a live graph");
        let mut into = vec![Vec::new(); self.vertices];
        self.arcs.iter().for_each(|arc| into[arc.to].push(arc));
        let mut times: Vec<Vec<u64>> = vec![Vec::new(); self.vertices];
        for event in 0..events as u64 {
            for vertex in &order {
                let arcs = into[*vertex].iter().filter(|arc| event >= arc.since);
                let causes = arcs.map(|arc| match event.checked_sub(arc.tokens) {
                    Some(cause) => times[arc.from][cause as usize] + arc.weight,
                    None => arc.weight,
                });
                let time = causes.max().unwrap_or(0);
                times[*vertex].push(time);
            }
        }
        times
    }

    /// The greatest cycle mean of a live graph, as ps and events: from a smaller one, a cycle that exceeds it, until
    /// there is none (Lawler 1976).
    pub(crate) fn cycle_mean(&self) -> (u64, u64) {
        assert!(self.is_live(), "a cycle without tokens takes forever");
        let mut mean = (0, 1);
        while let Some(greater) = self.cycle_above(mean) {
            mean = greater;
        }
        mean
    }

    /// Weights and tokens of a cycle whose mean exceeds one that is given: one whose arcs' weight - mean * tokens have a
    /// positive sum (Bellman and Ford).
    fn cycle_above(&self, (ps, events): (u64, u64)) -> Option<(u64, u64)> {
        let gain = |arc: &Arc| {
            i128::from(arc.weight) * i128::from(events) - i128::from(arc.tokens) * i128::from(ps)
        };
        let mut best = vec![0; self.vertices];
        let mut by: Vec<Option<Arc>> = vec![None; self.vertices];
        let mut last = None;
        for _ in 0..=self.vertices {
            last = None;
            for arc in &self.arcs {
                if best[arc.from] + gain(arc) > best[arc.to] {
                    best[arc.to] = best[arc.from] + gain(arc);
                    by[arc.to] = Some(*arc);
                    last = Some(arc.to);
                }
            }
            last?;
        }
        // Gains still rise after as many rounds as there are vertices: a cycle lies behind this one.
        let mut at = last?;
        for _ in 0..self.vertices {
            at = by[at]?.from;
        }
        let (start, mut sum) = (at, (0, 0));
        loop {
            let arc = by[at]?;
            sum = (sum.0 + arc.weight, sum.1 + arc.tokens);
            at = arc.from;
            if at == start {
                return Some(sum);
            }
        }
    }
}

/// All simple cycles of a small graph, one by one, as the other way to the greatest mean.
fn by_enumeration(graph: &Marked) -> (u64, u64) {
    fn walk(
        graph: &Marked,
        path: &mut Vec<usize>,
        (weight, tokens): (u64, u64),
        best: &mut (u64, u64),
    ) {
        let at = path[path.len() - 1];
        for arc in graph.arcs.iter().filter(|arc| arc.from == at) {
            let sum = (weight + arc.weight, tokens + arc.tokens);
            if arc.to == path[0] {
                if sum.0 * best.1 > best.0 * sum.1 {
                    *best = sum;
                }
            } else if arc.to > path[0] && !path.contains(&arc.to) {
                path.push(arc.to);
                walk(graph, path, sum, best);
                path.pop();
            }
        }
    }
    let mut best = (0, 1);
    for start in 0..graph.vertices {
        walk(graph, &mut vec![start], (0, 0), &mut best);
    }
    best
}

/// Whether two rates are the same.
pub(crate) fn equal(one: (u64, u64), other: (u64, u64)) -> bool {
    u128::from(one.0) * u128::from(other.1) == u128::from(other.0) * u128::from(one.1)
}

#[test]
fn the_greatest_mean_is_that_of_some_cycle_and_the_pace_of_all_events() {
    use flitwork_node::draw_below;
    use flitwork_types::{Cycle, NodeId};
    let mut draws = 0;
    let mut below = |bound: u32| {
        draws += 1;
        u64::from(draw_below(bound, 5, NodeId(0), Cycle(draws), 0))
    };
    let mut live = 0;
    for _ in 0..300 {
        let mut graph = Marked::default();
        let vertices = 2 + below(5) as usize;
        for vertex in 0..vertices {
            graph.vertex();
            graph.arc(vertex, (vertex + 1) % vertices, below(50), below(3));
        }
        for _ in 0..below(6) {
            let ends = [(); 2].map(|()| below(vertices as u32) as usize);
            graph.arc(ends[0], ends[1], below(50), below(3));
        }
        if !graph.is_live() {
            continue;
        }
        live += 1;
        let mean = graph.cycle_mean();
        assert!(equal(mean, by_enumeration(&graph)), "{graph:?}");
        let times = graph.times(4000);
        let (events, ps) = super::passes::settled(&times[0]).expect("a period");
        assert!(equal(mean, (ps, events)), "{graph:?}");
    }
    assert!(live > 100, "{live}");
}
