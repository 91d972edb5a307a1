//! Hop classes: any shortest path, with the next class of virtual channels at each hop (Günther 1981, Gopal
//! 1985).
//!
//! ```text
//!   injected ──▶ class 0 ──▶ class 1 ──▶ class 2 ──▶ …  one for each link of the longest of the shortest paths
//! ```
//!
//! A packet that holds a channel of a class waits only for one of the next class, so that no dependencies
//! form a cycle, on any network.

use super::channels::all;
use super::contract::{Chance, Choices, Declaration, Head, MAX_CHANNELS, Routing};
use super::error::check_channels;
use super::paths::longest;
use super::{Freedom, Needs, RoutingEntry, RoutingError, RoutingParameters};
use flitwork_schema::WrongValue;
use flitwork_topology::{Shape, Topology};

pub(super) const ENTRY: RoutingEntry = RoutingEntry {
    name: "hop-classes",
    summary: "any shortest path, at each hop in the next class of channels; a class for each hop of the longest",
    needs: Needs::graph(1),
    freedom: Freedom::Acyclic,
    reads: &[],
    own: None,
    build,
};

struct HopClasses {
    shape: Shape,
    channels: u8,
    /// How many classes there are. The last class also has the channels that are left over.
    classes: u8,
    /// How many channels each of them has.
    width: u8,
}

impl HopClasses {
    /// The channels of the class after the one in which a head arrived, one bit each.
    fn mask(&self, from: Option<u8>) -> u32 {
        let class = from.map_or(0, |channel| channel / self.width + 1);
        let class = class.min(self.classes - 1);
        let below = if class == 0 {
            0
        } else {
            all(class * self.width)
        };
        let up_to = if class + 1 == self.classes {
            all(self.channels)
        } else {
            all((class + 1) * self.width)
        };
        up_to & !below
    }
}

impl Routing for HopClasses {
    #[inline]
    fn choices_under(&self, head: &Head, _: Chance, choices: &mut Choices) {
        let mask = self.mask(head.from.map(|(_, channel)| channel));
        choices.clear();
        for port in self.shape.productive(head.here, head.destination).iter() {
            choices.prefer(port, mask);
        }
    }

    fn declaration(&self) -> Declaration {
        Declaration::plain(self.channels)
    }
}

fn build(parameters: &RoutingParameters, shape: &Shape) -> Result<Box<dyn Routing>, RoutingError> {
    let longest = longest(shape);
    let classes = match u8::try_from(longest) {
        Ok(classes) if classes <= MAX_CHANNELS => classes,
        _ => {
            let found = format!("hop-classes where shortest paths have up to {longest} links");
            let allowed =
                format!("hop-classes where they have at most {MAX_CHANNELS}, one a channel");
            return Err(WrongValue::new("name", found, allowed).into());
        }
    };
    check_channels("hop-classes", parameters.channels, classes)?;
    Ok(Box::new(HopClasses {
        shape: shape.clone(),
        channels: parameters.channels,
        classes,
        width: parameters.channels / classes,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_topology::Grid;

    #[test]
    fn classes_follow_each_other_and_take_all_channels() {
        let shape = Shape::from(Grid::mesh(&[2]).unwrap());
        for channels in 1..=MAX_CHANNELS {
            for classes in 1..=channels {
                let width = channels / classes;
                let own = HopClasses {
                    shape: shape.clone(),
                    channels,
                    classes,
                    width,
                };
                let mut mask = own.mask(None);
                let mut taken = mask;
                for class in 1..classes {
                    assert!(mask.count_ones() == u32::from(width));
                    let next = own.mask(Some(31 - mask.leading_zeros() as u8));
                    assert_eq!(taken & next, 0, "{channels} / {classes}, {class}");
                    assert_eq!(own.mask(Some(mask.trailing_zeros() as u8)), next);
                    (mask, taken) = (next, taken | next);
                }
                assert_eq!(taken, all(channels));
            }
        }
    }
}
