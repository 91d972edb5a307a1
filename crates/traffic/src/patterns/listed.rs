//! Listed: the packets of a file, or a destination for each node: an h-h relation, in which a node may send and receive several
//! packets.
//!
//! A static problem has each packet of the list. Elsewhere a source's next packet takes any of its destinations, each as likely
//! as it is listed. Nodes from which no packet leads to another are silent.

use super::file::{file_key, from_file};
use super::{Pattern, PatternError, PatternParameters, checked_terminal};
use crate::k_k::most_of_a_terminal;
use crate::{Draws, ReadContext, parse_packets};
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_topology::{Spread, Topology};
use flitwork_types::TerminalId;

const DESTINATIONS: &str = "destinations";

/// The list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListedParameters {
    /// The file that has it, as configured, relative to the configuration file's directory.
    pub file: Option<String>,
    /// Where node 0, 1 and so on send, in place of a file.
    pub destinations: Option<Vec<TerminalId>>,
    /// (source, destination) of each packet of the file.
    pub packets: Vec<(TerminalId, TerminalId)>,
}

impl PatternParameters for ListedParameters {
    const NAME: &'static str = "listed";
    const HELP: &'static str =
        "the packets of a list: a node may send and receive several (an h-h relation)";
    #[rustfmt::skip]
    const KEYS: &'static [Key<ListedParameters>] = &[
        key(DESTINATIONS, |it| &mut it.destinations, Allowed::list(&Allowed::Node), "required for listed unless file is given", "the destinations of one packet each from nodes 0, 1 and so on; listed only"),
    ];
    const FILE_KEYS: &'static [Key<ListedParameters>] = &[file_key(|it| &mut it.file)];

    fn read_files(
        &mut self,
        given: &RawTable<'_>,
        context: &ReadContext<'_>,
    ) -> Result<(), Refusal> {
        let nodes = context.topology.terminals() as usize;
        match (&self.file, &self.destinations) {
            (Some(_), Some(_)) => Err(given.conflict(DESTINATIONS, "only without file")),
            (Some(name), None) => {
                self.packets = from_file(name, given, context, parse_packets)?;
                Ok(())
            }
            (None, Some(all)) if all.len() > nodes => {
                let allowed = format!("at most {nodes} destinations, one for each node");
                Err(given.conflict(DESTINATIONS, allowed))
            }
            (None, _) => Ok(()),
        }
    }

    fn build(&self, topology: &dyn Topology, _: u64) -> Result<Box<dyn Pattern>, PatternError> {
        let packets = match (&self.file, &self.destinations) {
            (None, None) => return Err(Self::missing(DESTINATIONS)),
            (_, None) => self.packets.clone(),
            (_, Some(all)) => (0..).map(TerminalId).zip(all.iter().copied()).collect(),
        };
        for (source, destination) in &packets {
            checked_terminal(DESTINATIONS, *source, topology)?;
            checked_terminal(DESTINATIONS, *destination, topology)?;
        }
        Ok(listed(packets))
    }

    fn may_leave_nodes_untouched(&self) -> bool {
        true
    }

    fn most_listed(&self) -> u32 {
        most_of_a_terminal(self.packets.iter().map(|(source, _)| *source)).max(1)
    }

    fn files(&mut self) -> Vec<&mut String> {
        self.file.iter_mut().collect()
    }

    fn content(&self, take: &mut dyn FnMut(&[u8])) {
        for (source, destination) in &self.packets {
            take(&source.0.to_le_bytes());
            take(&destination.0.to_le_bytes());
        }
    }
}

/// The pattern of a list.
struct Listed {
    packets: Vec<(TerminalId, TerminalId)>,
    /// Those that lead to another node, sorted by source.
    moving: Vec<(TerminalId, TerminalId)>,
}

/// The pattern of these packets.
pub(super) fn listed(packets: Vec<(TerminalId, TerminalId)>) -> Box<dyn Pattern> {
    let moving = packets.iter().filter(|(source, to)| source != to);
    let mut moving: Vec<(TerminalId, TerminalId)> = moving.copied().collect();
    moving.sort_by_key(|(source, _)| *source);
    Box::new(Listed { packets, moving })
}

impl Listed {
    fn of(&self, source: TerminalId) -> &[(TerminalId, TerminalId)] {
        let begin = self.moving.partition_point(|(other, _)| *other < source);
        let rest = &self.moving[begin..];
        &rest[..rest.partition_point(|(other, _)| *other == source)]
    }
}

impl Pattern for Listed {
    fn destination(&self, source: TerminalId, draws: &mut Draws) -> Option<TerminalId> {
        match self.of(source) {
            [] => None,
            [(_, only)] => Some(*only),
            several => Some(several[draws.below(several.len() as u32) as usize].1),
        }
    }

    fn silent(&self, source: TerminalId) -> bool {
        self.of(source).is_empty()
    }

    fn spread(&self, source: TerminalId) -> Option<Spread> {
        Some(Spread::alike(self.of(source).iter().map(|(_, to)| *to)))
    }

    fn packets(&self, _: u32) -> Option<Vec<(TerminalId, TerminalId)>> {
        Some(self.packets.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::ListedParameters;
    use crate::patterns::tests::{built, grid, refused};
    use crate::{AnyPattern, Draws, PatternError};
    use flitwork_types::TerminalId;

    fn of(destinations: &[u32]) -> AnyPattern {
        AnyPattern::from(ListedParameters {
            destinations: Some(destinations.iter().copied().map(TerminalId).collect()),
            ..ListedParameters::default()
        })
    }

    #[test]
    fn a_list_may_be_shorter_and_name_a_node_twice() {
        let pattern = built(&of(&[3, 1, 3]), &grid(&[3, 2]));
        let silent = (0..6).map(|node| pattern.silent(TerminalId(node)));
        assert!(silent.eq([false, true, false, true, true, true]));
        let all = [(0, 3), (1, 1), (2, 3)].map(|(from, to)| (TerminalId(from), TerminalId(to)));
        assert_eq!(pattern.packets(6).unwrap(), all);
    }

    #[test]
    fn several_packets_of_a_source_are_as_likely() {
        let packets = [(0, 1), (0, 2), (0, 2), (0, 0), (4, 5)];
        let packets = packets.map(|(from, to)| (TerminalId(from), TerminalId(to)));
        let pattern = super::listed(packets.to_vec());
        let mut draws = Draws::new(1, TerminalId(0));
        let drawn = (0..3000).filter_map(|_| pattern.destination(TerminalId(0), &mut draws));
        let (one, two): (Vec<_>, Vec<_>) = drawn.partition(|to| to.0 == 1);
        // 1,000 expected, standard deviation 26.
        assert!(one.len().abs_diff(1000) < 130 && two.len() == 3000 - one.len());
        assert_eq!(
            pattern.destination(TerminalId(4), &mut draws),
            Some(TerminalId(5))
        );
        assert_eq!(pattern.destination(TerminalId(1), &mut draws), None);
    }

    #[test]
    fn the_most_of_a_source_are_counted() {
        let of = |packets: &[(u32, u32)]| {
            let packets = packets.iter();
            let packets = packets.map(|(from, to)| (TerminalId(*from), TerminalId(*to)));
            let listed = ListedParameters {
                packets: packets.collect(),
                ..ListedParameters::default()
            };
            AnyPattern::from(listed).most_listed()
        };
        assert_eq!((of(&[]), of(&[(1, 2), (3, 2)])), (1, 1));
        assert_eq!(of(&[(1, 2), (3, 2), (1, 0), (1, 1)]), 3);
    }

    #[test]
    fn lists_of_nothing_and_of_other_nodes_are_refused() {
        let grid = grid(&[3, 2]);
        let nothing = refused(&ListedParameters::default().into(), &grid);
        assert!(matches!(nothing, PatternError::Missing { .. }));
        let off = refused(&of(&[6]), &grid);
        assert!(matches!(
            off,
            PatternError::OffNetwork {
                node: TerminalId(6),
                ..
            }
        ));
        let silent = refused(&of(&[0]), &grid);
        assert!(matches!(silent, PatternError::Silent { .. }));
    }
}
