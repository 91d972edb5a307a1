//! Requests and replies, in a closed loop: how fast a network serves nodes that wait for answers.
//!
//! ```text
//!   node A                      network                     node B
//!   request (class 0) ─────────────────────────────▶ delivered in cycle d
//!     at most `outstanding`                             │ service_cycles
//!     unanswered                                        ▼
//!   delivered in cycle e ◀───────────────────────── reply (class 1), made in cycle d + service_cycles
//!     the next request may be made in cycle e + 1
//! ```
//!
//! Each node that the pattern doesn't silence has a batch of requests to send (closed-loop measurement:
//! Dally and Towles 2004, chapter 23). A request is complete when its reply is delivered. A node serves any number of
//! requests at once; replies wait in the source's queue with the requests, in the order in which they are made, replies
//! first within a cycle.
//!
//! Without replies a source couldn't know when its request is complete, as that happens at another node. The number of
//! outstanding requests is then unlimited: the whole batch exists in cycle 0.

use crate::parameter::within;
use crate::{Birth, Draws, Left, Offer, Owed, Pattern, TakeLeft, Workload};
use flitwork_schema::WrongValue;
use flitwork_types::{Cycle, NodeId, Packet};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Nodes whose state is allocated together, when the first of them is asked for a packet.
const BLOCK: usize = 64;
const REQUEST: u8 = 0;
const REPLY: u8 = 1;

/// What each node sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchParameters {
    /// Requests per node, at least 1.
    pub requests: u32,
    /// How many of a node's requests may await a reply at a time, at least 1; all by default.
    pub outstanding: Option<u32>,
    /// Words per request.
    pub request_words: u16,
    /// The reply to a request. If `None`, requests aren't answered, and `outstanding` can't be given.
    pub reply: Option<ReplyParameters>,
}

/// The reply to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyParameters {
    /// Words per reply.
    pub words: u16,
    /// Cycles from the request's delivery to the creation of the reply, at least 1.
    pub service_cycles: u32,
}

/// A batch of requests for every node.
///
/// A request takes the pattern's draws for its destination, from its source's own stream.
#[derive(Clone)]
pub struct Batch {
    pattern: Arc<dyn Pattern>,
    parameters: BatchParameters,
    /// Requests that a node may make before it receives any reply.
    at_first: u32,
    seed: u64,
    nodes: u32,
    blocks: Vec<Option<Box<[Endpoint; BLOCK]>>>,
    /// Requests and replies that all nodes have handed over so far.
    requests_taken: u64,
    replies_taken: u64,
}

/// A node's requests and replies, as client and as server.
#[derive(Clone, Debug)]
struct Endpoint {
    draws: Draws,
    /// Requests made.
    made: u32,
    /// For each reply delivered and not yet used, the cycle from which another request may be made.
    /// Ascending.
    freed: VecDeque<Cycle>,
    /// Replies to be made: in which cycle, and to whom. Cycles ascend.
    replies: VecDeque<(Cycle, NodeId)>,
}

/// The packet that a node makes next.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Request,
    Reply(NodeId),
}

impl Batch {
    /// A batch for each of `nodes` nodes.
    ///
    /// # Errors
    /// A [`WrongValue`] for a count, length or time of 0, and for a limit on outstanding requests if requests are
    /// never answered.
    pub fn new(
        parameters: BatchParameters,
        pattern: Box<dyn Pattern>,
        seed: u64,
        nodes: u32,
    ) -> Result<Batch, WrongValue> {
        let counts = (1.0, f64::from(u32::MAX));
        within("requests", parameters.requests.into(), counts, "requests")?;
        let words = (1.0, f64::from(u16::MAX));
        let request_words = parameters.request_words.into();
        within("request_words", request_words, words, "words")?;
        if let Some(outstanding) = parameters.outstanding {
            within("outstanding", outstanding.into(), counts, "requests")?;
            if parameters.reply.is_none() {
                let allowed = "no limit without replies: a source couldn't observe it";
                return Err(WrongValue::new("outstanding", outstanding, allowed));
            }
        }
        if let Some(reply) = parameters.reply {
            within("reply.words", reply.words.into(), words, "words")?;
            let (service, cycles) = (reply.service_cycles, f64::from(Cycle::LAST.get()));
            within(
                "reply.service_cycles",
                service.into(),
                (1.0, cycles),
                "cycles",
            )?;
        }
        let limit = parameters.outstanding.unwrap_or(u32::MAX);
        let blocks = (nodes as usize).div_ceil(BLOCK);
        Ok(Batch {
            pattern: pattern.into(),
            parameters,
            at_first: limit.min(parameters.requests),
            seed,
            nodes,
            blocks: std::iter::repeat_with(|| None).take(blocks).collect(),
            requests_taken: 0,
            replies_taken: 0,
        })
    }

    /// The words of a request and of a reply.
    fn words(&self) -> (u16, u16) {
        let reply = self.parameters.reply.map_or(1, |reply| reply.words);
        (self.parameters.request_words, reply)
    }

    /// How many requests a node makes in all, and how many of them before it receives any reply.
    fn requests_of(&self, node: NodeId) -> (u32, u32) {
        if self.pattern.silent(node) {
            (0, 0)
        } else {
            (self.parameters.requests, self.at_first)
        }
    }

    /// The state of a node of the network.
    fn endpoint(&mut self, node: NodeId) -> &mut Endpoint {
        let (block, place) = (node.index() / BLOCK, node.index() % BLOCK);
        let seed = self.seed;
        let endpoints = self.blocks[block].get_or_insert_with(|| {
            let node = |place| NodeId((block * BLOCK + place) as u32);
            Box::new(std::array::from_fn(|place| {
                Endpoint::new(seed, node(place))
            }))
        });
        &mut endpoints[place]
    }
}

impl Endpoint {
    fn new(seed: u64, node: NodeId) -> Endpoint {
        Endpoint {
            draws: Draws::new(seed, node),
            made: 0,
            freed: VecDeque::new(),
            replies: VecDeque::new(),
        }
    }

    /// The next packet and its cycle, as far as they are known.
    fn due(&self, requests: u32, at_first: u32) -> Option<(Cycle, Kind)> {
        let request = if self.made < at_first {
            Some(Cycle::ZERO)
        } else {
            self.freed.front().copied().filter(|_| self.made < requests)
        };
        let request = request.map(|cycle| (cycle, Kind::Request));
        let reply = self.replies.front();
        let reply = reply.map(|(cycle, requester)| (*cycle, Kind::Reply(*requester)));
        match (request, reply) {
            (Some(request), Some(reply)) if request.0 < reply.0 => Some(request),
            (request, reply) => reply.or(request),
        }
    }
}

impl Workload for Batch {
    fn next(&mut self, node: NodeId, now: Cycle) -> Offer {
        if node.0 >= self.nodes {
            return Offer::Never;
        }
        let (requests, at_first) = self.requests_of(node);
        let (request_words, reply_words) = self.words();
        let (created, made) = match self.endpoint(node).due(requests, at_first) {
            Some((created, made)) if created <= now => (created, made),
            Some((created, _)) => return Offer::Later(created),
            // Other nodes may still send it requests.
            None if !self.foresees() => return Offer::WhenWoken,
            None => return Offer::Never,
        };
        let endpoint = self.endpoint(node);
        if let Kind::Reply(destination) = made {
            endpoint.replies.pop_front();
            self.replies_taken += 1;
            return Offer::Packet(Birth {
                created,
                destination,
                words: reply_words,
                class: REPLY,
            });
        }
        if endpoint.made >= at_first {
            endpoint.freed.pop_front();
        }
        endpoint.made += 1;
        // The stream is copied and written back, because the pattern is borrowed as well.
        let mut draws = endpoint.draws.clone();
        let destination = self.pattern.destination(node, &mut draws);
        self.endpoint(node).draws = draws;
        self.requests_taken += 1;
        let birth = destination.map(|destination| Birth {
            created,
            destination,
            words: request_words,
            class: REQUEST,
        });
        birth.map_or(Offer::Never, Offer::Packet)
    }

    /// With replies, every node: any of them may receive a request.
    fn sources(&self) -> Vec<NodeId> {
        let replies = self.parameters.reply.is_some();
        let makes_any = |node: &NodeId| replies || !self.pattern.silent(*node);
        (0..self.nodes).map(NodeId).filter(makes_any).collect()
    }

    fn foresees(&self) -> bool {
        self.parameters.reply.is_none()
    }

    /// The requests that a node makes before any reply form one group, however many they are.
    fn leave_over(&mut self, node: NodeId, end: Cycle, left: &mut TakeLeft<'_>) -> ControlFlow<()> {
        if node.0 >= self.nodes || end == Cycle::ZERO {
            return ControlFlow::Continue(());
        }
        let (requests, at_first) = self.requests_of(node);
        let (request_words, reply_words) = self.words();
        let one = |created, words| Left {
            created,
            words,
            packets: 1,
        };
        let endpoint = self.endpoint(node);
        let first = at_first.saturating_sub(endpoint.made);
        endpoint.made += first;
        self.requests_taken += u64::from(first);
        if first > 0 {
            left(Left {
                packets: first.into(),
                ..one(Cycle::ZERO, request_words)
            })?;
        }
        loop {
            let endpoint = self.endpoint(node);
            let is_due = endpoint.made < requests;
            let freed = endpoint.freed.pop_front_if(|freed| is_due && *freed < end);
            let Some(created) = freed else {
                break;
            };
            endpoint.made += 1;
            self.requests_taken += 1;
            left(one(created, request_words))?;
        }
        while let Some((created, _)) = {
            let replies = &mut self.endpoint(node).replies;
            replies.pop_front_if(|(cycle, _)| *cycle < end)
        } {
            self.replies_taken += 1;
            left(one(created, reply_words))?;
        }
        ControlFlow::Continue(())
    }

    fn owed(&mut self) -> Owed {
        let senders = (0..self.nodes).filter(|node| !self.pattern.silent(NodeId(*node)));
        let all = senders.count() as u64 * u64::from(self.parameters.requests);
        let replies = match self.parameters.reply {
            Some(_) => all - self.replies_taken,
            None => 0,
        };
        Owed {
            packets: all - self.requests_taken + replies,
            replies,
            at_least: false,
        }
    }

    fn delivered(&mut self, node: NodeId, packet: &Packet, now: Cycle, woken: &mut Vec<NodeId>) {
        let Some(reply) = self.parameters.reply else {
            return;
        };
        assert!(
            node.0 < self.nodes && packet.class <= REPLY,
            "node {node} received a packet in cycle {now} that no batch has sent: {packet:?}"
        );
        let (requests, at_first) = self.requests_of(node);
        let endpoint = self.endpoint(node);
        if packet.class == REQUEST {
            let created = now + reply.service_cycles;
            endpoint.replies.push_back((created, packet.id.source));
        } else if (endpoint.made.max(at_first) as usize).saturating_add(endpoint.freed.len())
            < requests as usize
        {
            // Otherwise the node may already make all of its requests.
            endpoint.freed.push_back(now + 1);
        }
        woken.push(node);
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
