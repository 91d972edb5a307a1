//! `[router.wormhole]`: its keys, and what is known about a wormhole router before a run.

use super::{
    Any, Counting, FirstTurn, MAX_BUFFER_WORDS, MAX_STAGE_CYCLES, Middle, Narrow, Plane, PortOrder,
    Reallocation, Shared, Speculation, Switching, Wide, Wormhole, WormholeParameters,
};
use crate::allocate::{ALLOCATORS, Allocator, AllocatorEntry, MatrixFirst};
use crate::parameters::{
    BuildContext, Deadlock, Facts, Livelock, Longest, Offers, Reading, RouterParameters, Verdicts,
    Warning,
};
use crate::routing::{
    AnyFunction, AxisOrder, Dateline, Followed, Freedom, MAX_CHANNELS, MAX_MISROUTES, Routing,
    RoutingEntry, RoutingError, RoutingParameters, Sees, Watch, own_table,
};
use flitwork_schema::{
    Allowed, Datum, Entry, Key, MistakeKind, Parts, RawTable, Refusal, WrongValue, entries, key,
    key_apart, listed, only_with, settings_with,
};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::{NodeId, TerminalId};
use std::ops::ControlFlow;

/// A wormhole router and its routing function.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutedWormhole {
    /// The router.
    pub parameters: WormholeParameters,
    /// Where heads go.
    pub function: RoutingEntry,
    /// What the routing function reads.
    pub routing: RoutingParameters,
    /// Whether it runs although worms may wait for each other in a circle.
    pub allow_deadlock: bool,
}

const PRESETS: &[&str] = &["booksim-iq", "one-cycle", "four-stage"];
const STAGE: Allowed = Allowed::Whole(0, MAX_STAGE_CYCLES as u64);
const ROUTING: Allowed = Allowed::Part(Parts::names::<RoutingEntry>);
const ALLOCATOR: Allowed = Allowed::Part(Parts::names::<AllocatorEntry>);
const ITERATIONS: Allowed = Allowed::Whole(1, 16);

#[rustfmt::skip]
pub(super) const KEYS: &[Key<RoutedWormhole>] = &[
    key_apart("preset", Allowed::Choice(PRESETS), "\"four-stage\"", "which design sets the defaults of the other keys: BookSim 2's input-queued router with stages of a cycle, a router of one cycle, or a common router of four stages"),
    key("vcs", |it| &mut it.parameters.vcs, Allowed::Whole(1, MAX_CHANNELS as u64), "2", "virtual channels per link"),
    key("buffer_words", |it| &mut it.parameters.buffer_words, Allowed::Whole(1, MAX_BUFFER_WORDS as u64), "8", "words (flits) that a virtual channel's buffer holds"),
    key("routing", |it| &mut it.routing.name, ROUTING, "\"dimension-order\" where nodes have coordinates, \"nearest-common-ancestor\" on trees, \"minimal\" on stages, groups and lines, else \"up-down\"", "how heads are routed"),
    only_with("network.topology = \"torus\"", key("dateline", |it| &mut it.routing.dateline, Allowed::Choice(Dateline::NAMES), "\"wrapping\"; booksim-iq with dimension-order: \"descending\"", "on a torus, the class of virtual channels that a packet uses in a dimension: by whether its way there crosses the wrap link, or has crossed it, or ends at a lower coordinate")),
    key("axis_order", |it| &mut it.routing.axis_order, Allowed::Choice(AxisOrder::NAMES), "\"x-first\"", "the order of the dimensions where packets go through them one by one"),
    key("misroutes", |it| &mut it.routing.misroutes, Allowed::Whole(0, MAX_MISROUTES as u64), "4", "how often a packet may be derouted; chaotic only"),
    key("ugal_threshold_words", |it| &mut it.routing.ugal_threshold_words, Allowed::Whole(0, 65_535), "0", "how much longer the queue of a shortest path may be than that of one by way of a random node, each times its links; ugal-l, ugal-g and par only"),
    key("switching", |it| &mut it.parameters.switching, Allowed::Choice(Switching::NAMES), "\"wormhole\"", "when a head flit moves on: with room ahead for one flit, with room for the whole packet, or with such room once the whole packet has arrived"),
    key("reallocation", |it| &mut it.parameters.reallocation, Allowed::Choice(Reallocation::NAMES), "\"tail-sent\"; \"buffer-empty\" where escape channels need it", "when a virtual channel is given to the next worm: once the tail has been sent, or once the far buffer is empty"),
    key("route_cycles", |it| &mut it.parameters.route_cycles, STAGE, "1; one-cycle: 0", "cycles from a head's arrival to its first bid for a virtual channel"),
    key("vc_allocation_cycles", |it| &mut it.parameters.vc_allocation_cycles, STAGE, "1; one-cycle: 0", "cycles from that bid to the first bid for the switch"),
    key("switch_allocation_cycles", |it| &mut it.parameters.switch_allocation_cycles, STAGE, "1; one-cycle: 0", "cycles from a bid for the switch to the beginning of the traversal"),
    key("traversal_cycles", |it| &mut it.parameters.traversal_cycles, STAGE, "1", "cycles through the switch to the link"),
    key("credit_cycles", |it| &mut it.parameters.credit_cycles, STAGE, "1; booksim-iq: 2; one-cycle: 0", "cycles from a credit's arrival to its use; one more than BookSim's credit_delay, whose default is 0"),
    key("injection_cycles", |it| &mut it.parameters.injection_cycles, STAGE, "1; booksim-iq: 2; one-cycle: 0", "cycles from the source to the local input buffer, and of a credit back"),
    key("speculative", |it| &mut it.parameters.speculative, Allowed::Truth, "false", "whether heads bid for the switch while they bid for a virtual channel"),
    key_apart("vc_allocator", ALLOCATOR, "\"islip\"", "what allocates virtual channels"),
    key_apart("vc_iterations", ITERATIONS, "1", "iterations of that allocator; islip only"),
    key_apart("switch_allocator", ALLOCATOR, "\"islip\"", "what allocates the switch"),
    key_apart("switch_iterations", ITERATIONS, "1", "iterations of that allocator; islip only"),
    only_with("router.wormhole.speculative = true, also by router.wormhole.preset", key("speculation", |it| &mut it.parameters.speculation, Allowed::Choice(Speculation::NAMES), "\"after\"; booksim-iq: \"together\"", "how the switch is allocated to these bids: after all others, for ports that they left; beside them by an allocator of its own, whose grants are void where another bid won; or together with them")),
    key("ejection_credits", |it| &mut it.parameters.ejection_credits, Allowed::Truth, "false; booksim-iq: true", "whether words to the processor need credits: for each channel as many as a buffer has words, each back after the round trip of a link of one cycle"),
    only_with("router.wormhole.vc_allocator or router.wormhole.switch_allocator = \"matrix\"", key("matrix_first", |it| &mut it.parameters.matrix_first, Allowed::Choice(MatrixFirst::NAMES), "\"lowest\"; booksim-iq: \"highest\"", "the input or output that the arbiters of the allocator matrix serve first, before they have served any")),
    key("port_order", |it| &mut it.parameters.port_order, Allowed::Choice(PortOrder::NAMES), "\"compass\"; booksim-iq on meshes and tori: \"pairs\"", "the order in which allocators see a node's ports: the topology's (north, east, south, west), or dimension by dimension (+x, -x, +y, -y); local ports are the last"),
    only_with("an allocator other than \"matrix\"", key("first_turn", |it| &mut it.parameters.first_turn, Allowed::Choice(FirstTurn::NAMES), "\"link\"; booksim-iq on anything but plain meshes and tori: \"local\"", "the port whose turn it is first in an allocator that serves ports in turn: the first link or the first local port")),
    key("allow_deadlock", |it| &mut it.allow_deadlock, Allowed::Truth, "false", "whether to run even though worms may wait for each other in a circle"),
];

impl RouterParameters for RoutedWormhole {
    const NAME: &'static str = "wormhole";
    const HELP: &'static str =
        "the wormhole router: input-queued, flit by flit, with virtual channels and credits";

    const KEYS: &'static [Key<RoutedWormhole>] = KEYS;

    fn keys(parts: &Parts) -> Vec<Entry> {
        let mut table = Entry::table(Self::NAME, "", Self::HELP, entries(KEYS));
        let functions = parts.all::<RoutingEntry>();
        table.share(functions.iter().filter_map(RoutingEntry::table).collect());
        table.within
    }

    fn read(given: &RawTable<'_>, around: &Reading<'_>) -> Result<RoutedWormhole, Refusal> {
        let usual = usual_routing(around.shape);
        let mut wormhole = RoutedWormhole {
            parameters: match given.text("preset") {
                Some("booksim-iq") => WormholeParameters::booksim_iq(),
                Some("one-cycle") => WormholeParameters::one_cycle(),
                _ => WormholeParameters::default(),
            },
            function: function(around.parts, usual),
            routing: RoutingParameters {
                name: usual.into(),
                seed: around.seed,
                ..RoutingParameters::default()
            },
            allow_deadlock: false,
        };
        wormhole.prefer_booksims(given, around.shape);
        given.set(KEYS, &mut wormhole);
        wormhole.refuse_pairs(given, around.shape)?;
        let parameters = &mut wormhole.parameters;
        parameters.vc_allocator = allocator(given, "vc_allocator", "vc_iterations")?;
        parameters.switch_allocator = allocator(given, "switch_allocator", "switch_iterations")?;
        wormhole.routing.channels = parameters.vcs;
        let checked = parameters.check(around.shape.ports() + around.shape.locals());
        checked.map_err(|error| given.wrong(&error, &[]))?;
        wormhole.function = function(around.parts, &wormhole.routing.name);
        wormhole.routing.own =
            wormhole
                .function
                .read_own(given, around, wormhole.parameters.vcs)?;
        let built = wormhole.function.build(&wormhole.routing, around.shape);
        let built = built.map_err(|error| misrouted(given, around, &error))?;
        wormhole.refuse_clocks(given, around, built.as_ref())?;
        wormhole.forget_unread(around.shape);
        if !given.has("reallocation") {
            wormhole.parameters.reallocation = match wormhole.needs_empty_buffers() {
                true => Reallocation::BufferEmpty,
                false => Reallocation::TailSent,
            };
        }
        if !wormhole.allow_deadlock {
            wormhole.refuse_deadlock(given)?;
            if !around.is_examined && wormhole.function.freedom == Freedom::Checked {
                wormhole.refuse_circle(given, built.as_ref(), around.shape)?;
            }
        }
        Ok(wormhole)
    }

    fn settings(&self, _: &Shape) -> Vec<(&'static str, Datum)> {
        let parameters = &self.parameters;
        let iterations = |allocator| match allocator {
            Allocator::Islip(iterations) => Some(Datum::Whole(iterations.into())),
            _ => None,
        };
        let mut all = settings_with(KEYS, self, |key| match key {
            "vc_allocator" => Some(Datum::text(parameters.vc_allocator.name())),
            "vc_iterations" => iterations(parameters.vc_allocator),
            "switch_allocator" => Some(Datum::text(parameters.switch_allocator.name())),
            "switch_iterations" => iterations(parameters.switch_allocator),
            _ => None,
        });
        all.retain(|(key, _)| match *key {
            "speculation" => parameters.speculative,
            "matrix_first" => parameters.has_matrix(),
            "first_turn" => parameters.has_turns(),
            _ => true,
        });
        let own = self.routing.own.iter();
        all.extend(own.map(|own| (own.name(), Datum::table(own.settings()))));
        all
    }

    /// Refuses packets that don't fit into a buffer that must hold them whole.
    fn take_packets(&self, given: &RawTable<'_>, longest: &Longest) -> Result<(), Refusal> {
        let buffer = ("buffer_words", self.parameters.longest_packet_words());
        longest.fits(
            given,
            buffer,
            "with this switching a buffer holds a whole packet",
        )
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let shape = around.shape;
        let ports = (shape.ports() + shape.locals(), shape.locals());
        let is_plane = Plane::fits(ports, &self.parameters);
        let is_narrow = Narrow::fits(ports, &self.parameters);
        match shape {
            Shape::Grid(grid) if is_plane => {
                to.words(&**grid, || self.build::<_, Plane>(around, &**grid));
            }
            shape if Any::fits(ports, &self.parameters) => {
                to.words(shape, || self.build::<_, Any>(around, shape));
            }
            shape if Middle::fits(ports, &self.parameters) => {
                to.words(shape, || self.build::<_, Middle>(around, shape));
            }
            shape if Shared::fits(ports, &self.parameters) => {
                to.words(shape, || self.build::<_, Shared>(around, shape));
            }
            shape => to.words(shape, || self.build::<_, Wide>(around, shape)),
        }
        match shape {
            shape if Any::fits(ports, &self.parameters) => {
                to.failing(shape, || self.build::<_, Any>(around, shape));
            }
            shape if Shared::fits(ports, &self.parameters) => {
                to.failing(shape, || self.build::<_, Shared>(around, shape));
            }
            shape => to.failing(shape, || self.build::<_, Wide>(around, shape)),
        }
        match shape {
            Shape::Grid(grid) if is_narrow => {
                to.mail(&**grid, || self.build::<_, Narrow>(around, &**grid));
            }
            shape if is_plane => to.mail(shape, || self.build::<_, Plane>(around, shape)),
            shape if Counting::fits(ports, &self.parameters) => {
                to.mail(shape, || self.build::<_, Counting>(around, shape));
            }
            _ => {}
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            credit_words: Some(self.parameters.credit_words()),
            memory_keys: &["vcs", "buffer_words"],
            has_queue: false,
            takes_several_terminals: true,
            takes_faults: true,
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        let channels = u64::from(self.parameters.vcs) * ports;
        // Arbiters are matrices of all contenders.
        let asking = channels * channels / 32;
        channels * (u64::from(self.parameters.buffer_words) + 16) + asking
    }

    fn files(&mut self) -> Vec<&mut String> {
        let own = self.routing.own.as_mut();
        own.map_or_else(Vec::new, AnyFunction::files)
    }

    fn content(&self, take: &mut dyn FnMut(&[u8])) {
        if let Some(own) = &self.routing.own {
            own.content(take);
        }
    }

    fn deadlock(&self, around: &BuildContext<'_>) -> Deadlock {
        self.verdicts(around, &mut |_, _| ControlFlow::Continue(()))
            .deadlock
    }

    fn livelock(&self, around: &BuildContext<'_>) -> Livelock {
        self.verdicts(around, &mut |_, _| ControlFlow::Continue(()))
            .livelock
    }

    fn verdicts(&self, around: &BuildContext<'_>, watch: &mut Watch<'_>) -> Verdicts {
        self.examined(around, watch)
    }

    fn followed(&self, around: &BuildContext<'_>) -> Option<Followed> {
        let function = self.function.build(&self.routing, around.shape).ok()?;
        let in_words = self.routing.name.clone();
        Some(Followed { function, in_words })
    }

    /// Warns of a buffer that is shorter than the credit round trip.
    fn warnings(&self, around: &BuildContext<'_>) -> Vec<Warning> {
        let Some(trip) = self.credit_round_trip_cycles(around) else {
            return Vec::new();
        };
        let words = u32::from(self.parameters.buffer_words);
        if words >= trip {
            return Vec::new();
        }
        let percent = 100 * words / trip;
        vec![Warning {
            key: "router.wormhole.buffer_words",
            text: format!(
                "{words} words are fewer than the {trip} cycles of a credit round trip: a lone worm in a \
                 virtual channel uses at most {percent} % of a link"
            ),
        }]
    }

    fn figures(&self, around: &BuildContext<'_>) -> Vec<(&'static str, String)> {
        let parameters = &self.parameters;
        let inputs = (around.shape.ports() + around.shape.locals()) as u64;
        let words = inputs * u64::from(parameters.vcs) * u64::from(parameters.buffer_words);
        let buffer = parameters.buffer_words;
        let mut figures = vec![
            ("routing", self.routing.name.clone()),
            ("buffers per node", format!("{words} words")),
        ];
        figures.extend(self.credit_round_trip_cycles(around).map(|trip| {
            let of_buffers = format!("{trip} cycles, with buffers of {buffer} words");
            ("credit round trip", of_buffers)
        }));
        figures
    }
}

/// The routing function of networks of a shape if none is given: what papers on them use.
fn usual_routing(shape: &Shape) -> &'static str {
    let first = NodeId(0);
    let mut terminals = (0..shape.terminals()).map(TerminalId);
    if shape.grid().is_some() {
        "dimension-order"
    } else if shape.level(first).is_some() {
        match terminals.all(|terminal| shape.entry(terminal) == shape.home(terminal)) {
            true => "nearest-common-ancestor",
            false => "minimal",
        }
    } else if shape.group(first).is_some() || shape.lines().is_some() {
        "minimal"
    } else {
        "up-down"
    }
}

impl RoutedWormhole {
    /// The credit round trip over the longest link, where that takes a certain number of cycles.
    fn credit_round_trip_cycles(&self, around: &BuildContext<'_>) -> Option<u32> {
        let link_cycles = around.crossing.longest_link_cycles()?;
        Some(self.parameters.credit_round_trip_cycles(link_cycles))
    }

    /// Builds the router on a topology, with nodes of a shape.
    fn build<T: Topology + Clone, N>(
        &self,
        around: &BuildContext<'_>,
        topology: &T,
    ) -> Wormhole<T, N> {
        let routing = self.function.build(&self.routing, around.shape);
        let routing =
            routing.unwrap_or_else(|error| panic!("a routing function that was checked: {error}"));
        Wormhole::new(topology.clone(), self.parameters.clone(), routing).within(around.epoch)
    }

    /// Whether its routing function is free of deadlock only if no buffer holds words of two worms: escape
    /// channels of wormholes (Duato 1993). Packets that are stored whole may follow each other.
    fn needs_empty_buffers(&self) -> bool {
        self.function.freedom == Freedom::Escape && self.parameters.switching == Switching::Wormhole
    }

    /// Leaves what no node reads as it is by default.
    fn forget_unread(&mut self, shape: &Shape) {
        let usual = WormholeParameters::default();
        let parameters = &mut self.parameters;
        if !parameters.speculative {
            parameters.speculation = usual.speculation;
        }
        if !parameters.has_matrix() {
            parameters.matrix_first = usual.matrix_first;
        }
        if !parameters.has_turns() {
            parameters.first_turn = usual.first_turn;
        }
        if !shape.grid().is_some_and(Grid::wraps) {
            self.routing.dateline = None;
        }
    }

    /// What the preset `booksim-iq` chooses for a topology: whose turn it is first and, on grids, BookSim's order of ports
    /// and its datelines.
    fn prefer_booksims(&mut self, given: &RawTable<'_>, shape: &Shape) {
        if given.text("preset") != Some("booksim-iq") {
            return;
        }
        if shape.plain_grid().is_none() {
            self.parameters.first_turn = FirstTurn::Local;
        }
        let Some(grid) = shape.grid() else {
            return;
        };
        self.parameters.port_order = PortOrder::Pairs;
        let routing = given.text("routing").unwrap_or("dimension-order");
        if grid.wraps() && routing == "dimension-order" {
            self.routing.dateline = Some(Dateline::Descending);
        }
    }

    /// Refuses an order of ports that only grids have.
    fn refuse_pairs(&self, given: &RawTable<'_>, shape: &Shape) -> Result<(), Refusal> {
        match (self.parameters.port_order, shape.grid()) {
            (PortOrder::Compass, _) | (_, Some(_)) => Ok(()),
            (PortOrder::Pairs, None) => {
                let allowed =
                    "\"compass\", the topology's order: only meshes and tori have pairs of ports";
                Err(given.conflict("port_order", allowed))
            }
        }
    }

    /// Refuses a routing function that sees the queues of all nodes where these have clocks of their own.
    fn refuse_clocks(
        &self,
        given: &RawTable<'_>,
        around: &Reading<'_>,
        built: &dyn Routing,
    ) -> Result<(), Refusal> {
        if built.sees() != Sees::Network || around.is_one_clock {
            return Ok(());
        }
        let name = &self.routing.name;
        let found = format!("{} is {name:?}", given.key("routing"));
        let allowed = format!(
            "run.engine = \"sync\", \"sync-stepped\" or \"sync-plain\": {name} sees the queues of all nodes, on one clock only"
        );
        Err(given.conflict("routing", allowed).found(found))
    }

    /// Refuses a routing function that by its own declaration may deadlock.
    fn refuse_deadlock(&self, given: &RawTable<'_>) -> Result<(), Refusal> {
        let hint = "allow_deadlock = true runs it anyway; flitwork check shows a circle";
        let at_once = self.parameters.reallocation == Reallocation::TailSent;
        let refusal = if self.function.freedom == Freedom::None {
            let name = &self.routing.name;
            let found = format!("{} is {name:?}, which may deadlock", given.key("routing"));
            let allowed = "a routing function that is free of deadlock, or allow_deadlock = true";
            given.conflict("routing", allowed).found(found)
        } else if at_once && self.needs_empty_buffers() {
            given.conflict(
                "reallocation",
                format!(
                    "\"buffer-empty\": escape channels free {} of deadlock only where no buffer holds words of two worms",
                    self.routing.name
                ),
            )
        } else {
            return Ok(());
        };
        let key = given.key("allow_deadlock");
        Err(refusal.hint(Some(hint.into())).lifted_by(key))
    }
}

/// An allocator by name, with the iterations of iSLIP.
fn allocator(given: &RawTable<'_>, key: &str, iterations: &str) -> Result<Allocator, Refusal> {
    let name = given.text(key).unwrap_or("islip");
    let named = ALLOCATORS.iter().find(|entry| entry.name == name);
    match named.map(|entry| entry.allocator) {
        Some(Allocator::Islip(_)) | None => {
            Ok(Allocator::Islip(given.get(iterations).unwrap_or(1)))
        }
        Some(allocator) => {
            let allowed = format!("only with an allocator that iterates: {name} doesn't");
            given.refuse(&[iterations], &[key], &allowed)?;
            Ok(allocator)
        }
    }
}

/// The routing function of a name that has been checked.
fn function(parts: &Parts, name: &str) -> RoutingEntry {
    parts
        .find(name)
        .unwrap_or_else(|| panic!("no routing function is named {name}"))
}

/// The mistake that the routing function found. On a graph it names the functions that are defined there.
fn misrouted(given: &RawTable<'_>, around: &Reading<'_>, error: &RoutingError) -> Refusal {
    if let RoutingError::Own { function, value } = error {
        return own_table(given, function).wrong(value, &[]);
    }
    let WrongValue {
        key,
        found,
        allowed,
    } = error.value();
    let allowed = match (error, around.shape) {
        (RoutingError::Topology(_), Shape::Graph(_)) => {
            let all = around.parts.all::<RoutingEntry>().into_iter();
            let here = all.filter(|entry| entry.needs.on_shape(around.shape).is_some());
            let here: Vec<&str> = here.map(|entry| entry.name).collect();
            format!("{} on this topology; {allowed}", listed(&here))
        }
        _ => allowed.clone(),
    };
    // The routing function and the table use the same names for all parameters but two.
    let name = match *key {
        "channels" => "vcs",
        "name" => "routing",
        name => name,
    };
    let span = given.span_of(name).or_else(|| given.span_of("routing"));
    let key = given.key(name);
    let found = format!("{key} is {found}");
    let decided_by = match error {
        RoutingError::Unread(_) => vec![given.key("routing")],
        _ => Vec::new(),
    };
    Refusal::new(MistakeKind::Conflict, key, span.or(Some(given.span())))
        .found(found)
        .allowed(allowed)
        .decided_by(decided_by)
}
