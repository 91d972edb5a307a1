//! What routers do that have no routing function to choose: shortest paths.

use crate::routing::contract::{Chance, Choices, Declaration, Head, Routing};
use flitwork_topology::{Shape, Topology, first_dimension};
use std::fmt;

/// Where a router's packets go while nothing is in their way.
pub struct Followed {
    /// The function that says so.
    pub function: Box<dyn Routing>,
    /// What it is, in words.
    pub in_words: String,
}

impl fmt::Debug for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Followed").field(&self.in_words).finish()
    }
}

/// Shortest paths in one virtual channel.
#[derive(Clone, Debug)]
pub struct ShortestPaths {
    shape: Shape,
    in_order: bool,
}

impl ShortestPaths {
    /// Any productive port.
    pub fn any(shape: &Shape) -> Followed {
        let (shape, in_order) = (shape.clone(), false);
        Followed {
            function: Box::new(ShortestPaths { shape, in_order }),
            in_words: "shortest paths without deroutes".into(),
        }
    }

    /// The productive port of the lowest dimension; of two ways around, and where there are no dimensions, the lower port.
    pub fn in_order(shape: &Shape) -> Followed {
        let (shape, in_order) = (shape.clone(), true);
        Followed {
            function: Box::new(ShortestPaths { shape, in_order }),
            in_words: "dimension order".into(),
        }
    }
}

impl Routing for ShortestPaths {
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        choices.clear();
        let productive = self.shape.productive(head.here, head.destination);
        match self.in_order {
            false => productive.iter().for_each(|port| choices.prefer(port, 1)),
            true => first_dimension(productive, self.shape.grid())
                .into_iter()
                .for_each(|port| choices.prefer(port, 1)),
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(1)
    }
}
