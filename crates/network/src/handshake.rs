//! Links over which each word is handed over: it is requested to be taken, and acknowledged when it has been.
//!
//! ```text
//!             segment 0          segment 1                segment N
//!   sender ──────────────▶ latch 1 ────────▶ latch 2 … N ───────────▶ receiver    request, with the word
//!          ◀──────────────         ◀────────             ◀───────────             acknowledge
//! ```
//!
//! The word leaves the sender with its request, is captured by each latch in turn, and taken by the receiver. A latch
//! holds a word until the next one has acknowledged it.

/// How a word is handed over from one latch to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Transition signalling (Sutherland 1989): a change of each wire, a request and its acknowledge.
    #[default]
    TwoPhase,
    /// Return to zero: both wires change back before the next word.
    FourPhase,
}

flitwork_schema::named!(Protocol { TwoPhase = "two-phase", FourPhase = "four-phase" });

impl Protocol {
    /// Changes of both wires for each word.
    pub fn transitions(self) -> u32 {
        match self {
            Protocol::TwoPhase => 2,
            Protocol::FourPhase => 4,
        }
    }
}

/// A part of a link, from the sender or a latch to the next latch or the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// From a request until it arrives, in ps, without the margin of bundled data; at least 1.
    pub request_ps: u64,
    /// From the capture of a word until it is known where it came from, in ps; at least 1.
    pub acknowledge_ps: u64,
}

impl Default for Segment {
    /// The shortest.
    fn default() -> Segment {
        Segment {
            request_ps: 1,
            acknowledge_ps: 1,
        }
    }
}

/// The handshakes of all links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// How a word is handed over.
    pub protocol: Protocol,
    /// By how much a request that comes with a word is delayed so that it doesn't overtake it, in ps, in each segment.
    pub bundling_ps: u64,
    /// The segments of a link, in the order in which a word passes them: one more than it has latches.
    pub segments: Vec<Segment>,
}

impl Default for Handshake {
    /// Those of the shortest links without latches, by transition signalling.
    fn default() -> Handshake {
        Handshake {
            protocol: Protocol::TwoPhase,
            bundling_ps: 0,
            segments: vec![Segment::default()],
        }
    }
}

impl Handshake {
    /// From a word's departure over a segment until it can be captured at its end, in ps.
    pub fn forward_ps(&self, segment: Segment) -> u64 {
        segment.request_ps.saturating_add(self.bundling_ps)
    }

    /// From the capture of a word at the end of a segment until the next one may leave over it, in ps.
    pub fn backward_ps(&self, segment: Segment) -> u64 {
        let Segment {
            request_ps,
            acknowledge_ps,
        } = segment;
        match self.protocol {
            Protocol::TwoPhase => acknowledge_ps,
            // Acknowledge up, request down, acknowledge down.
            Protocol::FourPhase => acknowledge_ps.saturating_mul(2).saturating_add(request_ps),
        }
    }

    /// The time of a whole handshake over a segment, in ps: the least between two words.
    pub fn cycle_ps(&self, segment: Segment) -> u64 {
        let backward_ps = self.backward_ps(segment);
        self.forward_ps(segment).saturating_add(backward_ps)
    }

    /// From a word's departure until it stands at the far end of these segments, if nothing is in its way, in ps.
    pub fn latency_ps(&self, segments: &[Segment]) -> u64 {
        let forward = segments.iter().map(|segment| self.forward_ps(*segment));
        forward.fold(0, u64::saturating_add)
    }
}

/// From the departure of a credit until it stands at the far end, in ps: it is a request without data, on wires of its
/// own.
pub fn credit_ps(segments: &[Segment]) -> u64 {
    let requests = segments.iter().map(|segment| segment.request_ps);
    requests.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word is handed over in a request and an acknowledge, or twice that; data are waited for once.
    #[test]
    fn a_return_to_zero_takes_twice_as_long() {
        let segment = Segment {
            request_ps: 300,
            acknowledge_ps: 200,
        };
        let of = |protocol, bundling_ps| Handshake {
            protocol,
            bundling_ps,
            segments: vec![segment],
        };
        assert_eq!(of(Protocol::TwoPhase, 0).cycle_ps(segment), 500);
        assert_eq!(of(Protocol::FourPhase, 0).cycle_ps(segment), 1000);
        assert_eq!(of(Protocol::FourPhase, 70).cycle_ps(segment), 1070);
        assert_eq!(of(Protocol::TwoPhase, 70).latency_ps(&[segment; 3]), 1110);
        assert_eq!(credit_ps(&[segment; 3]), 900);
    }
}
