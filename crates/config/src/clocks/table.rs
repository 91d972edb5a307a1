//! A table of delays: a line for each, of a stage at some nodes and ports.
//!
//! ```text
//! stage,node,port,ps
//! word,*,*,900
//! word,*,queue,1100
//! word,5,east,1250
//! latency,5,east,640
//! ```
//!
//! Of the lines that are about a stage at a port of a node the most specific one counts: one that names the node and
//! the port before one that names the node only, that before one that names the port only, and that before one that
//! names neither. Of two that say as much of both, one that names the segment comes first.

use flitwork_network::Delay;
use flitwork_types::{NodeId, Port};
use std::collections::BTreeMap;

/// What a delay is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// A word through a frame or buffer.
    #[default]
    Word,
    /// A decision.
    Decision,
    /// What it takes in addition if it allocates something.
    Allocation,
    /// A credit that leaves.
    Credit,
    /// A cycle in which a router only counts.
    Count,
    /// A link that is a wire.
    Latency,
    /// The request of a part of a link with handshakes.
    Request,
    /// Its acknowledge.
    Acknowledge,
}

flitwork_schema::named!(Stage {
    Word = "word",
    Decision = "decision",
    Allocation = "allocation",
    Credit = "credit",
    Count = "count",
    Latency = "latency",
    Request = "request",
    Acknowledge = "acknowledge",
});

impl Stage {
    /// Whether it is a stage of a link, which leaves a node at a port.
    pub(crate) fn is_of_links(self) -> bool {
        matches!(self, Stage::Latency) || self.is_of_segments()
    }

    /// Whether it is a stage of each part of a link.
    pub(crate) fn is_of_segments(self) -> bool {
        matches!(self, Stage::Request | Stage::Acknowledge)
    }

    /// Whether it may be drawn anew each time.
    pub(crate) fn may_vary(self) -> bool {
        !self.is_of_links() && self != Stage::Count
    }
}

/// What a line is about; `None` stands for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct About {
    pub(crate) stage: Stage,
    pub(crate) node: Option<NodeId>,
    /// The local port has the number after the links', and the central queue the one after that.
    pub(crate) port: Option<Port>,
    pub(crate) segment: Option<u16>,
}

impl About {
    /// All nodes, ports and segments.
    fn everywhere(stage: Stage) -> About {
        About {
            stage,
            node: None,
            port: None,
            segment: None,
        }
    }
}

/// A line's delay, and where the line is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) delay: Delay,
    /// The offset of its first byte.
    pub(crate) at: usize,
}

/// Delays from a file, checked against the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelayTable {
    file: String,
    lines: BTreeMap<About, Line>,
}

/// Bytes of a line in memory, about.
const LINE_BYTES: u64 = 100;

impl DelayTable {
    /// The lines of the file that the configuration calls so.
    pub(crate) fn new(file: String, lines: BTreeMap<About, Line>) -> DelayTable {
        DelayTable { file, lines }
    }

    /// The file as the configuration names it, relative to the configuration file's directory.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The lines of a stage.
    pub(crate) fn of(&self, stage: Stage) -> impl Iterator<Item = (&About, &Line)> {
        let own = self.lines.range(About::everywhere(stage)..);
        own.take_while(move |(about, _)| about.stage == stage)
    }

    /// Whether it has a line about a stage.
    pub(crate) fn names(&self, stage: Stage) -> bool {
        self.of(stage).next().is_some()
    }

    /// The delay of a stage at a port of a node, and there of a segment of a link: that of the most specific line, if
    /// there is any.
    pub(crate) fn find(
        &self,
        stage: Stage,
        (node, port): (NodeId, Port),
        segment: Option<u16>,
    ) -> Option<Delay> {
        let segments = [segment, None];
        let segments = &segments[usize::from(segment.is_none())..];
        let nodes = [Some(node), None].into_iter();
        let places = nodes.flat_map(|node| [(node, Some(port)), (node, None)]);
        let mut abouts = places.flat_map(|(node, port)| {
            segments.iter().map(move |segment| About {
                stage,
                node,
                port,
                segment: *segment,
            })
        });
        let line = abouts.find_map(|about| self.lines.get(&about));
        line.map(|line| line.delay)
    }

    /// Whether a line is about a stage at all nodes and ports.
    pub(crate) fn is_everywhere(&self, stage: Stage) -> bool {
        self.lines.contains_key(&About::everywhere(stage))
    }

    /// Whether a stage takes differently long from node to node or from port to port.
    pub(crate) fn differs_in(&self, stage: Stage) -> bool {
        let is_specific = |about: &About| about.node.is_some() || about.port.is_some();
        self.of(stage).any(|(about, _)| is_specific(about))
    }

    /// Whether any stage does.
    pub(super) fn differs(&self) -> bool {
        Stage::ALL.iter().any(|stage| self.differs_in(*stage))
    }

    /// One delay for each stage that it names, the first, at all nodes and ports.
    pub(super) fn typical(&self) -> DelayTable {
        let firsts = Stage::ALL.iter().filter_map(|stage| {
            let (_, line) = self.of(*stage).next()?;
            Some((About::everywhere(*stage), *line))
        });
        DelayTable::new(self.file.clone(), firsts.collect())
    }

    /// What it says, as bytes.
    pub(super) fn content(&self, take: &mut dyn FnMut(&[u8])) {
        for (about, line) in &self.lines {
            take(format!("{about:?}{:?}", line.delay).as_bytes());
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.lines.len() as u64 * LINE_BYTES
    }
}
