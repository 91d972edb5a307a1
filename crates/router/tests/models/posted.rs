//! The wormhole router's other interface: mail that is posted ahead, against the same model.

use crate::dice::Dice;
use crate::observed::{buffers, events};
use crate::wormhole::{BUSY_CYCLES, CYCLES, World, drawn_parameters};
use crate::wormhole_model::{self as model, Done, Flit};
use crate::{bench::Did, wormhole::Coming};
use flitwork_node::{
    Event, Incoming, Lane, Mail, MailRouter, MailWord, Post, Probe, Reported, Site,
};
use flitwork_router::wormhole::{Any, Narrow, Plane, Wormhole};
use flitwork_topology::{Grid, Topology};
use flitwork_types::{Cycle, NodeId, PacketRef, Packets, Port, PortSet, Word};

/// Observes only events and buffers, so that words are not reported one by one.
#[derive(Default)]
struct Notes {
    events: Vec<(Cycle, Event)>,
    buffered: Option<u32>,
}

impl Probe for Notes {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Buffered)
    }

    fn event(&mut self, _: NodeId, cycle: Cycle, event: Event) {
        self.events.push((cycle, event));
    }

    fn buffered(&mut self, _: NodeId, _: Cycle, words: u32) {
        self.buffered = Some(words);
    }
}

/// What a node posts in a cycle, and whose heads arrive.
#[derive(Default)]
struct Office {
    heads: Vec<(Port, PacketRef)>,
    /// The packet that the source begins.
    begun: Option<PacketRef>,
    lines: Vec<String>,
    /// Words that enter local lanes.
    injected: Vec<(usize, MailWord)>,
}

fn ends(letter: MailWord, packets: &Packets) -> String {
    let worm = packets[letter.packet].id.serial;
    format!("{worm} {} {}", letter.is_head, letter.is_tail)
}

/// Recorded as they come: packets are identified afterwards.
struct Clerk<'a> {
    office: &'a mut Office,
    ends: Vec<(usize, MailWord)>,
    local: Port,
}

impl Post for Clerk<'_> {
    const EVERY_WORD: bool = false;

    fn head(&self, port: Port) -> PacketRef {
        let head = self.office.heads.iter().find(|(at, _)| *at == port);
        head.expect("a head comes in at the port").1
    }

    fn begun(&self, _: Port) -> PacketRef {
        self.office.begun.expect("its source begins a packet")
    }

    fn word<P: Probe>(&mut self, leaves: Cycle, to: Lane, word: MailWord, site: &mut Site<'_, P>) {
        let is_delivered = to.port == self.local;
        word.leave(leaves, (to.port, to.channel), is_delivered, site);
        if !is_delivered && (word.is_head || word.is_tail) {
            self.ends.push((to.number, word));
        }
    }

    fn body(&mut self, to: Lane) {
        let line = format!("word to lane {}", to.number);
        self.office.lines.push(line);
    }

    fn credit(&mut self, from: Lane) {
        let line = format!("credit for lane {}", from.number);
        self.office.lines.push(line);
    }

    fn inject(&mut self, to: Lane, word: MailWord) {
        self.office.injected.push((to.number, word));
    }

    fn free(&mut self, _: Port) {
        self.office.lines.push("the source is free".into());
    }
}

/// Mail under way to the node, with the cycle of its arrival.
#[derive(Default)]
struct Mailbags {
    credits: Vec<(u32, usize)>,
    injected: Vec<(u32, usize, MailWord)>,
}

impl Mailbags {
    /// The mail of a cycle, and the packets whose heads are in it.
    fn deliver(
        &mut self,
        now: u32,
        coming: &Coming,
        world: &World<'_>,
    ) -> (Mail<u32>, Vec<(Port, PacketRef)>) {
        let (mut mail, mut heads) = (Mail::<u32>::default(), Vec::new());
        let mut put = |lane: usize, port: Port, letter: MailWord| {
            mail.words |= 1 << lane;
            mail.heads |= u32::from(letter.is_head) << lane;
            mail.tails |= u32::from(letter.is_tail) << lane;
            if letter.is_head {
                heads.push((port, letter.packet));
            }
        };
        let local = world.grid.local();
        for (port, word) in coming.words.iter().filter(|(port, _)| *port != local) {
            put(world.lane(*port, word.channel), *port, MailWord::of(*word));
        }
        for (_, lane, letter) in self.injected.extract_if(.., |(at, ..)| *at <= now) {
            put(lane, local, letter);
        }
        let usable = now + world.parameters.credit_cycles;
        self.credits
            .extend(coming.lanes.iter().map(|lane| (usable, *lane)));
        for (_, lane) in self.credits.extract_if(.., |(at, _)| *at <= now) {
            mail.credits |= 1 << lane;
        }
        (mail, heads)
    }
}

/// What the model expects to be posted.
fn expected(world: &World<'_>, now: u32, done: &Done, source: Option<Flit>) -> Vec<String> {
    let local = world.grid.local();
    let mut lines = world.decided(now, done, source);
    let letter = |flit: &Flit| format!("{} {} {}", flit.worm, flit.index == 0, flit.is_last);
    for ((from, to, flit), word) in done.through.iter().zip(done.words(world)) {
        lines.push(format!("credit for lane {from}"));
        lines.extend(world.leaves(now + world.parameters.crossing_cycles(), word));
        if word.0 != local {
            lines.push(format!("word to lane {to}"));
            if flit.index == 0 || flit.is_last {
                lines.push(format!("end to lane {to}: {}", letter(flit)));
            }
        }
    }
    // A word without delay isn't posted.
    let injected = done
        .injected
        .filter(|_| world.parameters.injection_cycles > 0);
    if let Some((lane, flit)) = injected {
        lines.push(format!("into lane {lane}: {}", letter(&flit)));
    }
    if done.source_is_free {
        lines.push("the source is free".into());
    }
    lines.sort();
    lines
}

/// What the neighbours observe of it.
fn seen(world: &World<'_>, done: &Done) -> Did {
    let local = world.grid.local();
    let mut did = Did::default();
    for (port, channel, flit) in done.words(world) {
        let mut word = Word::of(PacketRef(0), flit.index, flit.index + 2);
        word.channel = channel;
        did.words.push((port, word));
    }
    for (from, ..) in &done.through {
        let channels = usize::from(world.parameters.vcs);
        let (port, channel) = (Port((from / channels) as u8), (from % channels) as u8);
        if port != local {
            did.credits.push((port, channel));
        }
    }
    if done.source_is_free {
        did.credits.push((local, 0));
    }
    did
}

/// Runs the router and its model side by side. A cycle is skipped if nothing arrives and the router declared
/// that it would do nothing.
fn run<R: MailRouter>(router: R, world: &mut World<'_>, dice: &mut Dice) {
    let mut model = model::Node::new(world.parameters.clone(), world.grid.ports() + 1);
    let mut state = router.nodes().swap_remove(world.node.index());
    let (mut packets, mut notes) = (Packets::new(), Notes::default());
    let (mut bags, mut acts) = (Mailbags::default(), false);
    for now in 0..CYCLES {
        let more = now < BUSY_CYCLES;
        let coming = world.coming(now, more, &mut packets, &mut model, dice);
        let done = model.step(now, &coming.flits, coming.source, &coming.lanes);
        let (mail, heads) = bags.deliver(now, &coming, world);
        let local = world.grid.local();
        let begun = coming.words.iter().find_map(|(port, word)| {
            (*port == local && word.flit.is_head()).then_some(word.packet)
        });
        let mut office = Office {
            heads,
            begun,
            ..Office::default()
        };
        if acts || mail != Mail::default() || begun.is_some() {
            let mut clerk = Clerk {
                office: &mut office,
                ends: Vec::new(),
                local,
            };
            let mut site = Site::new(world.node, &mut packets, &mut notes);
            let incoming = Incoming {
                mail: mail.resized(),
                begun: begun.map_or(PortSet::EMPTY, |_| PortSet::only(local)),
                fed: PortSet::EMPTY,
                sendable: PortSet(u64::MAX),
            };
            let registers = &mut state.registers;
            acts = router.post(registers, Cycle(now), incoming, &mut clerk, &mut site);
            for (lane, letter) in clerk.ends {
                let line = format!("end to lane {lane}: {}", ends(letter, &packets));
                office.lines.push(line);
            }
        }
        for (lane, letter) in office.injected {
            let line = format!("into lane {lane}: {}", ends(letter, &packets));
            office.lines.push(line);
            let at = now + world.parameters.injection_cycles;
            bags.injected.push((at, lane, letter));
        }
        office
            .lines
            .extend(events(&std::mem::take(&mut notes.events)));
        office.lines.extend(notes.buffered.take().map(buffers));
        office.lines.sort();
        let expected = expected(world, now, &done, coming.source);
        assert_eq!(
            office.lines, expected,
            "cycle {now} of {:?}",
            world.parameters
        );
        // Room in a local lane is known to the source in the next cycle at the earliest.
        let channels = usize::from(world.parameters.vcs);
        let is_local = |lane: &usize| lane / channels == local.index();
        let freed = done.through.iter().map(|(from, ..)| *from).filter(is_local);
        let known = now + world.parameters.injection_cycles.max(1);
        bags.credits.extend(freed.map(|lane| (known, lane)));
        world.take(now, &seen(world, &done), dice);
        if !more && model.is_empty() && world.is_quiet() {
            return;
        }
    }
    panic!("worms are left of {:?}", world.parameters);
}

macro_rules! agree {
    ($shape:ty, $grid:expr, $nodes:expr, $channels:expr, $rounds:expr) => {
        for round in 0..$rounds {
            let mut dice = Dice::new(round);
            let grid = $grid.unwrap();
            let parameters = drawn_parameters($channels, &mut dice);
            let node = NodeId(dice.one_of(&$nodes));
            let mut world = World::new(&grid, node, &parameters, &mut dice);
            // A source whose mail is posted sends a packet's words one per cycle.
            world.steady = 100;
            let routing = Box::new(world.routing);
            let router = Wormhole::<_, $shape>::new(grid.clone(), parameters, routing);
            run(router, &mut world, &mut dice);
        }
    };
}

#[test]
fn a_node_whose_mail_is_posted_does_what_the_book_says() {
    agree!(Narrow, Grid::mesh(&[3, 3]), [4, 4, 1, 0], 3, 400);
    agree!(Plane, Grid::torus(&[3, 3]), [4], 4, 300);
    agree!(Any, Grid::mesh(&[3]), [1, 0], 2, 100);
}
