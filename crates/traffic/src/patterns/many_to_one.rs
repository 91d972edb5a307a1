//! Many to one: d = `destination` for every one of `sources`, by default every other node.
//!
//! All other nodes are silent, including the destination.

use super::{Pattern, PatternError, PatternParameters, checked_list, checked_terminal};
use crate::Draws;
use flitwork_schema::{Allowed, Key, key};
use flitwork_topology::{Spread, Topology};
use flitwork_types::TerminalId;

struct ManyToOne {
    destination: TerminalId,
    /// Ascending, without the destination; `None`: every other node.
    sources: Option<Vec<TerminalId>>,
}

impl Pattern for ManyToOne {
    fn destination(&self, source: TerminalId, _: &mut Draws) -> Option<TerminalId> {
        (!self.silent(source)).then_some(self.destination)
    }

    fn silent(&self, source: TerminalId) -> bool {
        match &self.sources {
            Some(sources) => sources.binary_search(&source).is_err(),
            None => source == self.destination,
        }
    }

    fn spread(&self, source: TerminalId) -> Option<Spread> {
        Some(Spread::to(
            (!self.silent(source)).then_some(self.destination),
        ))
    }
}

/// The sources and the destination.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManyToOneParameters {
    /// The destination of all packets.
    pub destination: Option<TerminalId>,
    /// The nodes that send; by default every node but the destination.
    pub sources: Option<Vec<TerminalId>>,
}

impl PatternParameters for ManyToOneParameters {
    const NAME: &'static str = "many-to-one";
    const HELP: &'static str = "all sources send to one destination";
    #[rustfmt::skip]
    const KEYS: &'static [Key<ManyToOneParameters>] = &[
        key("destination", |it| &mut it.destination, Allowed::Node, "required for many-to-one", "the destination of all packets; many-to-one only"),
        key("sources", |it| &mut it.sources, Allowed::list(&Allowed::Node), "every node but the destination", "the nodes that send; many-to-one only"),
    ];

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let destination = self.destination.ok_or(Self::missing("destination"))?;
        let destination = checked_terminal("destination", destination, topology)?;
        let sources = self.sources.as_ref();
        let sources = sources.map(|all| checked_list("sources", all, topology));
        let sources = sources.transpose()?;
        let sends = |sources: &Vec<TerminalId>| sources.binary_search(&destination).is_ok();
        if sources.as_ref().is_some_and(sends) {
            return Err(PatternError::ToItself { node: destination });
        }
        Ok(Box::new(ManyToOne {
            destination,
            sources,
        }))
    }

    fn may_leave_nodes_untouched(&self) -> bool {
        self.sources.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::ManyToOneParameters;
    use crate::patterns::tests::{built, grid, named, refused};
    use crate::{AnyPattern, Draws, PatternError};
    use flitwork_types::TerminalId;

    fn many_to_one(destination: u32, sources: Option<&[u32]>) -> AnyPattern {
        let parameters = ManyToOneParameters {
            destination: Some(TerminalId(destination)),
            sources: sources.map(|sources| sources.iter().copied().map(TerminalId).collect()),
        };
        parameters.into()
    }

    #[test]
    fn sources_send_and_the_others_are_silent() {
        let grid = grid(&[3, 3]);
        let others = [0, 1, 2, 3, 5, 6, 7, 8];
        for (sources, senders) in [(None, &others[..]), (Some(&[7, 0][..]), &[0, 7])] {
            let pattern = built(&many_to_one(4, sources), &grid);
            let mut draws = Draws::new(0, TerminalId(0));
            for node in 0..9 {
                let sends = senders.contains(&node);
                assert_eq!(pattern.silent(TerminalId(node)), !sends);
                let expected = sends.then_some(TerminalId(4));
                assert_eq!(pattern.destination(TerminalId(node), &mut draws), expected);
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let grid = grid(&[3, 3]);
        let off = |parameter| PatternError::OffNetwork {
            parameter,
            node: TerminalId(9),
            nodes: 9,
        };
        assert_eq!(refused(&many_to_one(9, None), &grid), off("destination"));
        assert_eq!(
            refused(&many_to_one(0, Some(&[9, 1])), &grid),
            off("sources")
        );
        let itself = PatternError::ToItself {
            node: TerminalId(4),
        };
        assert_eq!(refused(&many_to_one(4, Some(&[5, 4])), &grid), itself);
        let twice = PatternError::Repeated {
            parameter: "sources",
            node: TerminalId(5),
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
