//! Colours of a bipartite multigraph's edges, so that no two of a node are alike.

/// Colours edges, given by their ends, with as many colours as a node has edges at the most (König 1916).
///
/// Each edge takes a colour that is free at its left end. If it isn't at the right one, the chain of edges that have it, and
/// one that's free there, by turns, swaps the two.
pub(super) fn colours(
    lefts: usize,
    rights: usize,
    edges: &[(usize, usize)],
    colours: usize,
) -> Vec<usize> {
    let mut colouring = Colouring {
        edges,
        colour: vec![None; edges.len()],
        left: vec![vec![None; colours]; lefts],
        right: vec![vec![None; colours]; rights],
    };
    for edge in 0..edges.len() {
        colouring.add(edge);
    }
    let colour = colouring.colour.into_iter();
    colour
        .map(|it| it.expect("each edge has a colour"))
        .collect()
}

struct Colouring<'a> {
    edges: &'a [(usize, usize)],
    colour: Vec<Option<usize>>,
    /// By left node and colour: the edge.
    left: Vec<Vec<Option<usize>>>,
    right: Vec<Vec<Option<usize>>>,
}

impl Colouring<'_> {
    fn add(&mut self, edge: usize) {
        let (left, right) = self.edges[edge];
        let free = |edges: &[Option<usize>]| edges.iter().position(Option::is_none);
        let here = free(&self.left[left]).expect("a node has no more edges than colours");
        let there = free(&self.right[right]).expect("a node has no more edges than colours");
        if here != there {
            self.swap(right, here, there);
        }
        self.put(edge, here);
    }

    /// Frees a colour at a right node, by the chain of edges that have it and another by turns. The chain never comes to a
    /// left node where the colour is free: it would come there by an edge of that colour.
    fn swap(&mut self, right: usize, freed: usize, other: usize) {
        let mut chain = Vec::new();
        let mut node = right;
        while let Some(edge) = self.right[node][freed] {
            chain.push((edge, other));
            let left = self.edges[edge].0;
            let Some(next) = self.left[left][other] else {
                break;
            };
            chain.push((next, freed));
            node = self.edges[next].1;
        }
        for (edge, _) in &chain {
            let (left, right) = self.edges[*edge];
            if let Some(colour) = self.colour[*edge] {
                self.left[left][colour] = None;
                self.right[right][colour] = None;
            }
        }
        for (edge, colour) in chain {
            self.put(edge, colour);
        }
    }

    fn put(&mut self, edge: usize, colour: usize) {
        let (left, right) = self.edges[edge];
        self.left[left][colour] = Some(edge);
        self.right[right][colour] = Some(edge);
        self.colour[edge] = Some(colour);
    }
}
