//! A Chaos router, cycle by cycle: the page on Chaos and the rules for late words in the page on asynchrony.
//!
//! A packet occupies frames. Each frame knows in which cycle each of its words is in it; a decision names the frame to
//! which a packet moves and the cycle in which its head does. A word that moves in a cycle is in its new frame in the next.

use super::plain::{Mesh, Router};

/// A word of a packet, counted from the head.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    pub(crate) packet: usize,
    pub(crate) index: usize,
}

/// What stands at a node and is taken in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) words: Vec<(usize, Word)>,
    pub(crate) credits: Vec<usize>,
    pub(crate) source: Option<Word>,
}

/// What a node does in a cycle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Done {
    pub(crate) words: Vec<(usize, Word)>,
    pub(crate) credits: Vec<usize>,
    /// The packet whose last word leaves for the processor.
    pub(crate) delivered: Option<usize>,
    /// Packets whose heads arrive and vanish.
    pub(crate) vanished: Vec<usize>,
    pub(crate) moved_words: bool,
    pub(crate) decided: bool,
    pub(crate) allocated: bool,
    /// The injection frame is free: the source gets a credit.
    pub(crate) freed_injection: bool,
    /// The packet that is derouted would have to be drawn.
    pub(crate) draws: bool,
}

impl Done {
    pub(crate) fn anything(&self) -> bool {
        self.moved_words || self.decided || !self.credits.is_empty()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// From a neighbour, or from the source (the last port).
    Input(usize),
    Queue,
    /// To a neighbour, or to the processor (the last port).
    Output(usize),
}

#[derive(Clone, Debug)]
struct Frame {
    id: u64,
    packet: usize,
    place: Place,
    /// The cycle from which each word is in the frame.
    came: Vec<u64>,
    left: usize,
    onward: Option<Onward>,
}

/// Where a packet goes that was decided on, and the first cycle in which its head may move there.
#[derive(Clone, Copy, Debug)]
struct Onward {
    to: u64,
    from_cycle: u64,
}

/// What a node knows beyond its own registers.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) router: &'a Router,
    pub(crate) mesh: &'a Mesh,
    pub(crate) node: usize,
    /// The destination of each packet.
    pub(crate) destinations: &'a [usize],
    /// Whether the stall rule also acts behind output frames that wait.
    pub(crate) long_links: bool,
}

/// The registers of a node.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    frames: Vec<Frame>,
    next_id: u64,
    pointer: usize,
    credits: Vec<bool>,
    /// The cycle from which each output frame, once empty, can be decided on.
    reopens: Vec<u64>,
    /// Credits that leave in later cycles.
    owed: Vec<(u64, usize)>,
}

impl Node {
    pub(crate) fn new(ports: usize) -> Self {
        Self {
            frames: Vec::new(),
            next_id: 0,
            pointer: 0,
            credits: vec![true; ports],
            reopens: vec![0; ports + 1],
            owed: Vec::new(),
        }
    }

    /// Whether the injection frame takes a word: it is empty, or its packet isn't complete.
    pub(crate) fn injection(&self, setting: Setting) -> Injection {
        let local = Place::Input(setting.mesh.ports());
        match self.frames.iter().find(|frame| frame.place == local) {
            None => Injection::Empty,
            Some(frame) if frame.came.len() < setting.router.words => Injection::Next(Word {
                packet: frame.packet,
                index: frame.came.len(),
            }),
            Some(_) => Injection::Full,
        }
    }

    /// One cycle. `open` says over which links a word may leave.
    pub(crate) fn step(
        &mut self,
        setting: Setting,
        cycle: u64,
        taken: Taken,
        open: &[bool],
    ) -> Done {
        let mut done = Done::default();
        self.take(setting, cycle, taken, &mut done);
        self.decide(setting, cycle, &mut done);
        self.move_words(setting, cycle, &mut done);
        self.send(setting, cycle, open, &mut done);
        let (due, later) = self.owed.iter().partition(|(at, _)| *at <= cycle);
        self.owed = later;
        let due: Vec<(u64, usize)> = due;
        done.credits = due.into_iter().map(|(_, port)| port).collect();
        done
    }

    /// The first cycle after this one in which the node does something if nothing comes.
    pub(crate) fn next_work(&self, setting: Setting, cycle: u64, open: &[bool]) -> Option<u64> {
        if self.frames.is_empty() && self.owed.is_empty() {
            return None;
        }
        let last = self.horizon(setting).max(cycle + 1);
        let mut node = self.clone();
        (cycle + 1..=last).find(|later| {
            node.step(setting, *later, Taken::default(), open)
                .anything()
        })
    }

    /// The last cycle in which something changes only because a cycle has passed.
    fn horizon(&self, setting: Setting) -> u64 {
        let stall = setting.router.stall_threshold;
        let frames = self.frames.iter().flat_map(|frame| {
            let stalls = frame.came.last().map(|ready| ready + stall);
            let starts = frame.onward.map(|onward| onward.from_cycle);
            [stalls, starts, frame.came.last().copied()]
        });
        let owed = self.owed.iter().map(|(at, _)| Some(*at));
        let reopens = self.reopens.iter().map(|at| Some(*at));
        let all = frames.chain(owed).chain(reopens);
        all.flatten().max().unwrap_or(0)
    }

    fn take(&mut self, setting: Setting, cycle: u64, taken: Taken, done: &mut Done) {
        for port in taken.credits {
            self.credits[port] = true;
        }
        let source = taken.source.map(|word| (setting.mesh.ports(), word));
        for (port, word) in taken.words.into_iter().chain(source) {
            done.moved_words = true;
            self.store(Place::Input(port), word, cycle);
            let here = setting.destinations[word.packet] == setting.node;
            if here && setting.router.vanish {
                self.vanish(setting.router, cycle, (port, word), done);
            }
        }
    }

    fn store(&mut self, place: Place, word: Word, cycle: u64) {
        if word.index == 0 {
            self.frame(place, word.packet);
        }
        let frame = self.frames.iter_mut().find(|frame| frame.place == place);
        let frame = frame.expect("a head came first");
        assert_eq!((frame.packet, frame.came.len()), (word.packet, word.index));
        frame.came.push(cycle);
    }

    /// A new frame's number.
    fn frame(&mut self, place: Place, packet: usize) -> u64 {
        let single = place != Place::Queue;
        assert!(!(single && self.frames.iter().any(|frame| frame.place == place)));
        let id = self.next_id;
        self.next_id += 1;
        self.frames.push(Frame {
            id,
            packet,
            place,
            came: Vec::new(),
            left: 0,
            onward: None,
        });
        id
    }

    fn vanish(
        &mut self,
        router: &Router,
        cycle: u64,
        (port, word): (usize, Word),
        done: &mut Done,
    ) {
        if word.index == 0 {
            done.vanished.push(word.packet);
        }
        if word.index + 1 == router.words {
            let place = Place::Input(port);
            self.frames.retain(|frame| frame.place != place);
            let words = router.words as u64;
            self.owed.push((cycle + router.release - words, port));
        }
    }

    fn decide(&mut self, setting: Setting, cycle: u64, done: &mut Done) {
        let ports = setting.mesh.ports();
        let mut outputs = setting.router.scan_order.clone();
        if !setting.router.vanish {
            outputs.push(ports);
        }
        for step in 0..outputs.len() {
            let at = (self.pointer + step) % outputs.len();
            let output = outputs[at];
            let linked = output == ports || setting.mesh.neighbour(setting.node, output).is_some();
            if linked && self.decide_for(setting, cycle, output, done) {
                self.pointer = (at + 1) % outputs.len();
                done.decided = true;
                return;
            }
        }
    }

    /// Whether an output frame was interesting.
    fn decide_for(&mut self, setting: Setting, cycle: u64, output: usize, done: &mut Done) -> bool {
        if !self.is_open(cycle, output) {
            let waits = setting.long_links && self.waits_for_credit(setting, output);
            return waits && !self.is_full(setting) && self.stall(setting, cycle, output, done);
        }
        let moves = match self.is_full(setting) {
            false => self
                .good_in_queue(setting, cycle, output)
                .or_else(|| self.bypass(setting, cycle, output)),
            true => self
                .good_in_queue(setting, cycle, output)
                .or_else(|| self.deroute(setting, cycle, output, done)),
        };
        let Some(frame) = moves else {
            return !self.is_full(setting) && self.stall(setting, cycle, output, done);
        };
        self.send_on(setting, cycle, frame, Place::Output(output));
        if let Some(paired) = self.paired(setting, cycle, output)
            && !self.is_full(setting)
        {
            self.send_on(setting, cycle, paired, Place::Queue);
            done.allocated = true;
        }
        true
    }

    fn is_open(&self, cycle: u64, output: usize) -> bool {
        let place = Place::Output(output);
        let empty = self.frames.iter().all(|frame| frame.place != place);
        empty && cycle >= self.reopens[output]
    }

    /// Whether the packet in an output frame waits for the neighbour's input frame.
    fn waits_for_credit(&self, setting: Setting, output: usize) -> bool {
        let place = Place::Output(output);
        let waits = |frame: &Frame| frame.place == place && frame.left == 0;
        let linked = output < setting.mesh.ports();
        linked && !self.credits[output] && self.frames.iter().any(waits)
    }

    fn is_full(&self, setting: Setting) -> bool {
        let counts = |frame: &&Frame| {
            frame.place == Place::Queue && (setting.router.freed_at_tail || frame.onward.is_none())
        };
        self.frames.iter().filter(counts).count() >= setting.router.queue_frames
    }

    /// The cycle from which a packet that wasn't decided on is ready, if it is by now.
    fn ready(&self, setting: Setting, cycle: u64, frame: &Frame) -> Option<u64> {
        let last = match setting.router.cut_through {
            true => 0,
            false => setting.router.words - 1,
        };
        let here = setting.destinations[frame.packet] == setting.node;
        let vanishes = here && setting.router.vanish;
        let since = frame.came.get(last).filter(|since| **since <= cycle);
        since
            .filter(|_| frame.onward.is_none() && !vanishes)
            .copied()
    }

    fn is_good(&self, setting: Setting, frame: &Frame, output: usize) -> bool {
        let to = setting.destinations[frame.packet];
        match output == setting.mesh.ports() {
            true => to == setting.node,
            false => setting.mesh.productive(setting.node, output, to),
        }
    }

    fn good_in_queue(&self, setting: Setting, cycle: u64, output: usize) -> Option<u64> {
        let mut good = self.frames.iter().filter(|frame| {
            frame.place == Place::Queue
                && self.ready(setting, cycle, frame).is_some()
                && self.is_good(setting, frame, output)
        });
        let chosen = match setting.router.newest_first {
            true => good.next_back(),
            false => good.next(),
        };
        chosen.map(|frame| frame.id)
    }

    fn bypass(&self, setting: Setting, cycle: u64, output: usize) -> Option<u64> {
        let heads = self.frames.iter().filter_map(|frame| {
            let Place::Input(port) = frame.place else {
                return None;
            };
            let may = setting.router.bypass || port == setting.mesh.ports();
            let good = may && self.is_good(setting, frame, output);
            let since = self.ready(setting, cycle, frame)?;
            good.then_some((since, port, frame.id))
        });
        heads.min().map(|(_, _, id)| id)
    }

    fn deroute(&self, setting: Setting, cycle: u64, output: usize, done: &mut Done) -> Option<u64> {
        if !setting.router.derouting || output == setting.mesh.ports() {
            return None;
        }
        let ready = |frame: &&Frame| {
            frame.place == Place::Queue && self.ready(setting, cycle, frame).is_some()
        };
        let mut frames = self.frames.iter().filter(ready);
        let first = frames.next()?;
        done.draws |= frames.next().is_some();
        Some(first.id)
    }

    /// The packet that waits in the input frame paired with an output frame.
    fn paired(&self, setting: Setting, cycle: u64, output: usize) -> Option<u64> {
        if output == setting.mesh.ports() {
            return None;
        }
        let place = Place::Input(output);
        let frame = self.frames.iter().find(|frame| frame.place == place)?;
        self.ready(setting, cycle, frame).map(|_| frame.id)
    }

    /// Moves the packet in the paired input frame to the multiqueue if it has stalled.
    fn stall(&mut self, setting: Setting, cycle: u64, output: usize, done: &mut Done) -> bool {
        let Some(paired) = self.paired(setting, cycle, output) else {
            return false;
        };
        let since = self.ready(setting, cycle, &self.frames[self.at(paired)]);
        let stalled = since.is_some_and(|since| since + setting.router.stall_threshold <= cycle);
        if !stalled {
            return false;
        }
        self.send_on(setting, cycle, paired, Place::Queue);
        done.allocated = true;
        true
    }

    fn send_on(&mut self, setting: Setting, cycle: u64, from: u64, to: Place) {
        let at = self.at(from);
        let to = self.frame(to, self.frames[at].packet);
        self.frames[at].onward = Some(Onward {
            to,
            from_cycle: cycle + setting.router.decision_latency - 1,
        });
    }

    fn at(&self, id: u64) -> usize {
        let at = self.frames.iter().position(|frame| frame.id == id);
        at.expect("frames stay until their words have gone")
    }

    /// Each packet that was decided on moves one word.
    fn move_words(&mut self, setting: Setting, cycle: u64, done: &mut Done) {
        for at in 0..self.frames.len() {
            let frame = &mut self.frames[at];
            let Some(onward) = frame.onward else { continue };
            let here = frame.came.get(frame.left);
            if cycle < onward.from_cycle || here.is_none_or(|came| *came > cycle) {
                continue;
            }
            frame.left += 1;
            let emptied = frame.left == setting.router.words;
            if let (Place::Input(port), true) = (frame.place, emptied) {
                if port == setting.mesh.ports() {
                    done.freed_injection = true;
                } else {
                    let least = setting.router.decision_latency + setting.router.words as u64 - 1;
                    self.owed
                        .push((cycle + setting.router.release - least, port));
                }
            }
            let to = self.at(onward.to);
            self.frames[to].came.push(cycle + 1);
            done.moved_words = true;
        }
        let words = setting.router.words;
        self.frames
            .retain(|frame| frame.onward.is_none() || frame.left < words);
    }

    /// Each output frame sends one word.
    fn send(&mut self, setting: Setting, cycle: u64, open: &[bool], done: &mut Done) {
        let (words, ports) = (setting.router.words, setting.mesh.ports());
        for frame in &mut self.frames {
            let Place::Output(port) = frame.place else {
                continue;
            };
            let waits_for = match (frame.left, setting.router.cut_through) {
                (0, false) => words - 1,
                (left, _) => left,
            };
            let here = frame.came.get(waits_for).is_some_and(|came| *came <= cycle);
            let may = port == ports || (open[port] && (frame.left > 0 || self.credits[port]));
            if !here || !may {
                continue;
            }
            let word = Word {
                packet: frame.packet,
                index: frame.left,
            };
            frame.left += 1;
            done.moved_words = true;
            let last = frame.left == words;
            if last {
                self.reopens[port] = cycle + 1 + setting.router.reopen;
            }
            if port < ports {
                self.credits[port] = false;
                done.words.push((port, word));
            } else if last {
                done.delivered = Some(frame.packet);
            }
        }
        let sent = |frame: &Frame| matches!(frame.place, Place::Output(_)) && frame.left == words;
        self.frames.retain(|frame| !sent(frame));
    }
}

/// What the injection frame can take.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Injection {
    /// The head of the next packet.
    Empty,
    Next(Word),
    Full,
}
