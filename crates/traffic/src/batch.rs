//! Requests and replies, in a closed loop: how fast a network serves nodes that wait for answers.
//!
//! ```text
//!   terminal A                  network                     terminal B
//!   request (class 0) ─────────────────────────────▶ delivered in cycle d
//!     at most `outstanding`                             │ service_cycles
//!     unanswered                                        ▼
//!   delivered in cycle e ◀───────────────────────── reply (class 1), made in cycle d + service_cycles
//!     the next request may be made in cycle e + 1
//! ```
//!
//! Each terminal that the pattern doesn't silence has a batch of requests to send (closed-loop measurement:
//! Dally and Towles 2004, chapter 23). A request is complete when its reply is delivered. A terminal serves any number
//! of requests at once; replies wait in the source's queue with the requests, in the order in which they are made, replies
//! first within a cycle.
//!
//! Without replies a source couldn't know when its request is complete, as that happens at another terminal. The number of
//! outstanding requests is then unlimited: the whole batch exists in cycle 0.

use crate::parameter::within;
use crate::{Birth, Draws, Left, Offer, Owed, Pattern, TakeLeft, Workload};
use flitwork_schema::WrongValue;
use flitwork_types::{Cycle, Packet, TerminalId};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Terminals whose state is allocated together, when the first of them is asked for a packet.
const BLOCK: usize = 64;
const REQUEST: u8 = 0;
const REPLY: u8 = 1;

/// What each terminal sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchParameters {
    /// Requests per terminal, at least 1.
    pub requests: u32,
    /// How many of a terminal's requests may await a reply at a time, at least 1; all by default.
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

/// A batch of requests for every terminal.
///
/// A request takes the pattern's draws for its destination, from its source's own stream.
#[derive(Clone)]
pub struct Batch {
    pattern: Arc<dyn Pattern>,
    parameters: BatchParameters,
    /// Requests that a terminal may make before it receives any reply.
    at_first: u32,
    seed: u64,
    terminals: u32,
    blocks: Vec<Option<Box<[Endpoint; BLOCK]>>>,
    /// Requests and replies that all terminals have handed over so far.
    requests_taken: u64,
    replies_taken: u64,
}

/// A terminal's requests and replies, as client and as server.
#[derive(Clone, Debug)]
struct Endpoint {
    draws: Draws,
    /// Requests made.
    made: u32,
    /// For each reply delivered and not yet used, the cycle from which another request may be made.
    /// Ascending.
    freed: VecDeque<Cycle>,
    /// Replies to be made: in which cycle, and to whom. Cycles ascend.
    replies: VecDeque<(Cycle, TerminalId)>,
}

/// The packet that a terminal makes next.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Request,
    Reply(TerminalId),
}

impl Batch {
    /// A batch for each of `terminals` terminals.
    ///
    /// # Errors
    /// A [`WrongValue`] for a count, length or time of 0, and for a limit on outstanding requests if requests are
    /// never answered.
    pub fn new(
        parameters: BatchParameters,
        pattern: Box<dyn Pattern>,
        seed: u64,
        terminals: u32,
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
        let blocks = (terminals as usize).div_ceil(BLOCK);
        Ok(Batch {
            pattern: pattern.into(),
            parameters,
            at_first: limit.min(parameters.requests),
            seed,
            terminals,
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

    /// How many requests a terminal makes in all, and how many of them before it receives any reply.
    fn requests_of(&self, terminal: TerminalId) -> (u32, u32) {
        if self.pattern.silent(terminal) {
            (0, 0)
        } else {
            (self.parameters.requests, self.at_first)
        }
    }

    /// The state of a terminal of the network.
    fn endpoint(&mut self, terminal: TerminalId) -> &mut Endpoint {
        let (block, place) = (terminal.index() / BLOCK, terminal.index() % BLOCK);
        let seed = self.seed;
        let endpoints = self.blocks[block].get_or_insert_with(|| {
            let terminal = |place| TerminalId((block * BLOCK + place) as u32);
            Box::new(std::array::from_fn(|place| {
                Endpoint::new(seed, terminal(place))
            }))
        });
        &mut endpoints[place]
    }
}

impl Endpoint {
    fn new(seed: u64, terminal: TerminalId) -> Endpoint {
        Endpoint {
            draws: Draws::new(seed, terminal),
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
    fn next(&mut self, source: TerminalId, now: Cycle) -> Offer {
        if source.0 >= self.terminals {
            return Offer::Never;
        }
        let (requests, at_first) = self.requests_of(source);
        let (request_words, reply_words) = self.words();
        let (created, made) = match self.endpoint(source).due(requests, at_first) {
            Some((created, made)) if created <= now => (created, made),
            Some((created, _)) => return Offer::Later(created),
            // Others may still send it requests.
            None if !self.foresees() => return Offer::WhenWoken,
            None => return Offer::Never,
        };
        let endpoint = self.endpoint(source);
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
        let destination = self.pattern.destination(source, &mut draws);
        self.endpoint(source).draws = draws;
        self.requests_taken += 1;
        let birth = destination.map(|destination| Birth {
            created,
            destination,
            words: request_words,
            class: REQUEST,
        });
        birth.map_or(Offer::Never, Offer::Packet)
    }

    /// With replies, every terminal: any of them may receive a request.
    fn sources(&self) -> Vec<TerminalId> {
        let replies = self.parameters.reply.is_some();
        let makes_any = |it: &TerminalId| replies || !self.pattern.silent(*it);
        (0..self.terminals)
            .map(TerminalId)
            .filter(makes_any)
            .collect()
    }

    fn foresees(&self) -> bool {
        self.parameters.reply.is_none()
    }

    /// The requests that a terminal makes before any reply form one group, however many they are.
    fn leave_over(
        &mut self,
        source: TerminalId,
        end: Cycle,
        left: &mut TakeLeft<'_>,
    ) -> ControlFlow<()> {
        if source.0 >= self.terminals || end == Cycle::ZERO {
            return ControlFlow::Continue(());
        }
        let (requests, at_first) = self.requests_of(source);
        let (request_words, reply_words) = self.words();
        let one = |created, words| Left {
            created,
            words,
            packets: 1,
        };
        let endpoint = self.endpoint(source);
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
            let endpoint = self.endpoint(source);
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
            let replies = &mut self.endpoint(source).replies;
            replies.pop_front_if(|(cycle, _)| *cycle < end)
        } {
            self.replies_taken += 1;
            left(one(created, reply_words))?;
        }
        ControlFlow::Continue(())
    }

    fn owed(&mut self) -> Owed {
        let senders = (0..self.terminals).filter(|it| !self.pattern.silent(TerminalId(*it)));
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

    fn delivered(
        &mut self,
        terminal: TerminalId,
        packet: &Packet,
        now: Cycle,
        woken: &mut Vec<TerminalId>,
    ) {
        let Some(reply) = self.parameters.reply else {
            return;
        };
        assert!(
            terminal.0 < self.terminals && packet.class <= REPLY,
            "terminal {terminal} received a packet in cycle {now} that no batch has sent: {packet:?}"
        );
        let (requests, at_first) = self.requests_of(terminal);
        let endpoint = self.endpoint(terminal);
        if packet.class == REQUEST {
            let created = now + reply.service_cycles;
            endpoint.replies.push_back((created, packet.id.source));
        } else if (endpoint.made.max(at_first) as usize).saturating_add(endpoint.freed.len())
            < requests as usize
        {
            // Otherwise the terminal may already make all of its requests.
            endpoint.freed.push_back(now + 1);
        }
        woken.push(terminal);
    }

    fn fork(&self) -> Box<dyn Workload> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;
