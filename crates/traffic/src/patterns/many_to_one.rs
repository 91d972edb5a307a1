//! Many to one: d = `destination` for every one of `sources`, by default every other node.
//!
//! The others are silent, the destination among them.

use super::{Pattern, PatternError, PatternParameters, checked_list, checked_node};
use crate::Draws;
use flitwork_topology::Grid;
use flitwork_types::NodeId;

struct ManyToOne {
    destination: NodeId,
    /// Ascending, without the destination; `None`: every other node.
    sources: Option<Vec<NodeId>>,
}

impl Pattern for ManyToOne {
    fn destination(&self, source: NodeId, _: &mut Draws) -> Option<NodeId> {
        (!self.silent(source)).then_some(self.destination)
    }

    fn silent(&self, source: NodeId) -> bool {
        match &self.sources {
            Some(sources) => sources.binary_search(&source).is_err(),
            None => source == self.destination,
        }
    }
}

pub(super) fn build(
    parameters: &PatternParameters,
    grid: &Grid,
) -> Result<Box<dyn Pattern>, PatternError> {
    let missing = PatternError::Missing {
        pattern: "many-to-one",
        parameter: "destination",
    };
    let destination = checked_node("destination", parameters.destination.ok_or(missing)?, grid)?;
    let sources = match &parameters.sources {
        Some(sources) => Some(checked_list("sources", sources, grid)?),
        None => None,
    };
    if sources
        .as_ref()
        .is_some_and(|sources| sources.binary_search(&destination).is_ok())
    {
        return Err(PatternError::ToItself { node: destination });
    }
    Ok(Box::new(ManyToOne {
        destination,
        sources,
    }))
}

#[cfg(test)]
mod tests {
    use crate::patterns::tests::{built, grid, named, refused};
    use crate::{Draws, PatternError, PatternParameters};
    use flitwork_types::NodeId;

    fn many_to_one(destination: u32, sources: Option<&[u32]>) -> PatternParameters {
        PatternParameters {
            destination: Some(NodeId(destination)),
            sources: sources.map(|sources| sources.iter().copied().map(NodeId).collect()),
            ..named("many-to-one")
        }
    }

    #[test]
    fn sources_send_and_the_others_are_silent() {
        let grid = grid(&[3, 3]);
        let others = [0, 1, 2, 3, 5, 6, 7, 8];
        for (sources, senders) in [(None, &others[..]), (Some(&[7, 0][..]), &[0, 7])] {
            let pattern = built(&many_to_one(4, sources), &grid);
            let mut draws = Draws::new(0, NodeId(0));
            for node in 0..9 {
                let sends = senders.contains(&node);
                assert_eq!(pattern.silent(NodeId(node)), !sends);
                let expected = sends.then_some(NodeId(4));
                assert_eq!(pattern.destination(NodeId(node), &mut draws), expected);
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let grid = grid(&[3, 3]);
        let off = |parameter| PatternError::OffNetwork {
            parameter,
            node: NodeId(9),
            nodes: 9,
        };
        assert_eq!(refused(&many_to_one(9, None), &grid), off("destination"));
        assert_eq!(
            refused(&many_to_one(0, Some(&[9, 1])), &grid),
            off("sources")
        );
        let itself = PatternError::ToItself { node: NodeId(4) };
        assert_eq!(refused(&many_to_one(4, Some(&[5, 4])), &grid), itself);
        let twice = PatternError::Repeated {
            parameter: "sources",
            node: NodeId(5),
        };
        assert_eq!(refused(&many_to_one(4, Some(&[5, 5])), &grid), twice);
        let empty = PatternError::Empty {
            parameter: "sources",
        };
        assert_eq!(refused(&many_to_one(4, Some(&[])), &grid), empty);
        let missing = PatternError::Missing {
            pattern: "many-to-one",
            parameter: "destination",
        };
        assert_eq!(refused(&named("many-to-one"), &grid), missing);
    }
}
