//! What decides when a message arrives: the host's timing, or a record.

use flitwork_network::Message;
use flitwork_trace::Digest;
use flitwork_trace::record::{Arrivals, Corrupt, Decoder};
use flitwork_types::{Cycle, Due, NodeId, Port, PortSet};
use std::fmt;

/// Where a replay first differs from its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The node; `None` if only the sum over all nodes is known to differ.
    pub node: Option<NodeId>,
    /// The cycle, by the node's own count.
    pub cycle: Cycle,
    /// What the record says and what was found.
    pub what: String,
}

impl Difference {
    /// When it is: of several differences the earliest counts.
    pub(crate) fn when(&self) -> (Cycle, Option<NodeId>) {
        (self.cycle, self.node)
    }

    /// At a node, in a cycle of its own.
    pub(crate) fn at(node: NodeId, cycle: Cycle, what: impl Into<String>) -> Difference {
        Difference {
            node: Some(node),
            cycle,
            what: what.into(),
        }
    }

    /// Whether what arrived at a port is what the record says.
    pub(crate) fn of_message(
        (node, cycle): (NodeId, Cycle),
        port: Port,
        arrivals: &Arrivals,
        message: &Message,
    ) -> Result<(), Box<Difference>> {
        let said = (
            arrivals.words.contains(port),
            arrivals.credits.contains(port),
        );
        let found = (message.word.is_some(), message.credit.is_some());
        if said == found {
            return Ok(());
        }
        let name = |(word, credit)| match (word, credit) {
            (true, true) => "a word and a credit",
            (true, false) => "a word",
            (false, true) => "a credit",
            (false, false) => "nothing",
        };
        let what = format!(
            "at port {} the record has {}, the replay {}",
            port.0,
            name(said),
            name(found)
        );
        Err(Box::new(Difference::at(node, cycle, what)))
    }

    /// The record says that the source at a port injects a packet, and it can't.
    pub(crate) fn no_injection(at: (NodeId, Cycle), port: Port) -> Difference {
        Difference::at_port(
            at,
            port,
            "a source injects a packet",
            ", which isn't possible",
        )
    }

    /// The record says that something happens at a port; the rest of the sentence says why it can't.
    pub(crate) fn at_port(
        (node, cycle): (NodeId, Cycle),
        port: Port,
        happens: &str,
        rest: &str,
    ) -> Difference {
        let what = format!("the record says that {happens} at port {}{rest}", port.0);
        Difference::at(node, cycle, what)
    }

    /// The record says that it is a node's turn on a half-duplex link, and nothing can leave.
    pub(crate) fn idle_turn(node: NodeId, cycle: Cycle, port: Port) -> Difference {
        Difference::at_port(
            (node, cycle),
            port,
            "a packet begins to leave",
            "; none can",
        )
    }

    /// All nodes together did something else than the record's last mark says.
    pub(crate) fn at_mark(upto: Cycle, recorded: u64, found: Digest) -> Difference {
        let what = format!(
            "the record's last mark says that all nodes have digest {recorded:016x}; the replay has {found}"
        );
        Difference {
            node: None,
            cycle: upto,
            what,
        }
    }

    /// A digest no longer agrees with the record's.
    pub(crate) fn since(node: NodeId, agreed: Cycle, upto: Cycle) -> Difference {
        let what = format!(
            "what it does from this cycle to cycle {} isn't what the recorded node did",
            upto - 1
        );
        Difference::at(node, agreed, what)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { node, cycle, what } = self;
        match node {
            Some(node) => write!(f, "node {node} in its cycle {cycle}: {what}"),
            None => f.write_str(what),
        }
    }
}

/// What a record says about a node's next cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upcoming {
    /// Nothing arrives before this cycle.
    Quiet(Cycle),
    /// Something arrives now: see [`Recorded::pending`].
    Arrivals,
    /// What has been read of the record ends here.
    More,
    /// The node's last cycle has been run.
    Finished,
}

/// A node's part of a record, as far as it has been read.
#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) decoder: Decoder,
    /// The arrivals of the current cycle, once they have been decoded, and whether they have.
    pub(crate) pending: Arrivals,
    is_pending: bool,
    /// The first cycle that the node is not to run, once that is known.
    pub(crate) end: Due,
    /// Whether the node is held to its record; otherwise its arrivals are repeated as long as they remain possible.
    pub(crate) strict: bool,
    /// Ports at which an arrival was not possible: from then on messages arrive when they are there.
    pub(crate) free: PortSet,
    /// The ports of injections that were not possible when they were due.
    pub(crate) owed: Vec<Port>,
    /// The first arrival that was not possible.
    pub(crate) impossible: Option<Difference>,
    /// Up to here digests agree.
    agreed: Cycle,
}

impl Recorded {
    pub(crate) fn new(decoder: Decoder, strict: bool) -> Recorded {
        Recorded {
            decoder,
            pending: Arrivals::default(),
            is_pending: false,
            end: Due::NEVER,
            strict,
            free: PortSet::EMPTY,
            owed: Vec::new(),
            impossible: None,
            agreed: Cycle::ZERO,
        }
    }

    #[inline]
    pub(crate) fn next(&mut self, now: Cycle) -> Result<Upcoming, Box<Corrupt>> {
        if self.is_pending {
            return Ok(Upcoming::Arrivals);
        }
        if self.end <= now {
            return Ok(Upcoming::Finished);
        }
        let known = self.decoder.upto();
        if now >= known {
            return Ok(Upcoming::More);
        }
        let next = self.decoder.next();
        if next > now {
            return Ok(Upcoming::Quiet(self.end.at_latest(next.min(known))));
        }
        self.pending = self.decoder.take(now).map_err(Box::new)?;
        self.is_pending = true;
        Ok(Upcoming::Arrivals)
    }

    /// Something is not possible: a node that is held to its record breaks off, another continues without it.
    pub(crate) fn tolerate(&mut self, difference: Difference) -> Result<(), Box<Difference>> {
        if self.strict {
            return Err(Box::new(difference));
        }
        self.impossible.get_or_insert(difference);
        Ok(())
    }

    /// The same for an arrival at a port.
    pub(crate) fn give_up(
        &mut self,
        port: Port,
        difference: Difference,
    ) -> Result<(), Box<Difference>> {
        self.tolerate(difference)?;
        self.free.insert(port);
        Ok(())
    }

    /// The arrivals have been taken.
    #[inline]
    pub(crate) fn taken(&mut self) {
        self.is_pending = false;
    }

    /// Compares the digest of the cycles before `now` with the record's. Skipped cycles have not changed it.
    #[inline]
    pub(crate) fn compare(
        &mut self,
        node: NodeId,
        now: Cycle,
        digest: Digest,
    ) -> Result<(), Box<Difference>> {
        if self.decoder.next_checkpoint() > now || !self.strict {
            return Ok(());
        }
        while let Some(check) = self.decoder.checkpoint(now) {
            if !check.holds(digest.get()) {
                let since = Difference::since(node, self.agreed, check.cycle);
                return Err(Box::new(since));
            }
            self.agreed = check.cycle;
        }
        Ok(())
    }
}
