//! `[router.chaos]` as a configuration gives it, and what is known about a Chaos router before a run.

use super::parameters::{KEYS, MAX_CYCLES};
use super::{
    Any, Chaos, ChaosParameters, Delivery, DerouteAmong, MultiqueueFreed, Plane, StallRule,
    TimestampFlow, Wide, WordFlow,
};
use crate::parameters::{
    BuildContext, Deadlock, Facts, Livelock, Offers, Reading, RouterParameters,
};
use crate::routing::{Followed, ShortestPaths};
use flitwork_schema::{
    Datum, Key, MistakeKind, RawTable, Refusal, Span, WrongValue, nearest, settings_with, shown,
};
use flitwork_topology::{Shape, Topology};
use flitwork_types::{Duplex, Port};

impl RouterParameters for ChaosParameters {
    const NAME: &'static str = "chaos";
    const HELP: &'static str = "the Chaos router";

    const KEYS: &'static [Key<ChaosParameters>] = KEYS;

    fn read(given: &RawTable<'_>, around: &Reading<'_>) -> Result<ChaosParameters, Refusal> {
        let ports = around.shape.ports();
        let mut chaos = match given.text("preset") {
            Some("chinn-1995-b") => ChaosParameters::chinn_1995_b(ports),
            Some("chaos-chip") => ChaosParameters::chaos_chip(ports),
            _ => ChaosParameters::chinn_1995(ports),
        };
        let release_lag = chaos.input_release_cycles - chaos.least_release_cycles();
        given.set(KEYS, &mut chaos);
        let words = chaos.packet_words;
        if given
            .get("frame_words")
            .is_some_and(|frame: u16| frame != words)
        {
            let allowed = format!("{words}, the packet_words: a frame holds one packet");
            return Err(given.conflict("frame_words", allowed));
        }
        // The release follows the packet length unless given: in all presets it is some cycles more than the last word
        // needs.
        if !given.has("input_release_cycles") {
            let release = chaos.least_release_cycles() + release_lag;
            chaos.input_release_cycles = release.min(MAX_CYCLES);
        }
        if given.has("scan_order") {
            let order = scan_order(given, around.shape)?;
            chaos
                .set_scan_order(order, ports)
                .map_err(|error| given.conflict("scan_order", error.allowed))?;
        }
        if !chaos.derouting {
            chaos.deroute_among = DerouteAmong::default();
        }
        let checked = chaos.check();
        checked.map_err(|error| wrong(given, &chaos, error))?;
        Ok(chaos)
    }

    /// The chip's links are half duplex.
    fn usual_duplex(given: &RawTable<'_>) -> Duplex {
        match given.text("preset") {
            Some("chaos-chip") => Duplex::Half {
                turnaround_cycles: 0,
            },
            _ => Duplex::Full,
        }
    }

    fn settings(&self, shape: &Shape) -> Vec<(&'static str, Datum)> {
        let mut all = settings_with(KEYS, self, |key| {
            let ports = self.scan_order().iter();
            let names = ports.map(|port| Datum::text(shape.port_name(*port)));
            (key == "scan_order").then(|| Datum::list(names))
        });
        all.retain(|(key, _)| *key != "deroute_among" || self.derouting);
        all
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let is_small = self.is_small(around.shape.ports());
        match around.shape {
            Shape::Grid(grid) if is_small => {
                let grid = &**grid;
                to.words(grid, || self.build::<_, Plane<WordFlow>>(grid, around));
                to.timestamps(grid, || self.build::<_, Plane<TimestampFlow>>(grid, around));
            }
            shape if Any::<WordFlow>::fits(shape.ports() + shape.locals()) => {
                to.words(shape, || self.build::<_, Any<WordFlow>>(shape, around));
                to.failing(shape, || self.build::<_, Any<WordFlow>>(shape, around));
                if shape.has_plain_terminals() {
                    to.timestamps(shape, || self.build::<_, Any<TimestampFlow>>(shape, around));
                }
            }
            shape => {
                to.words(shape, || self.build::<_, Wide<WordFlow>>(shape, around));
                to.failing(shape, || self.build::<_, Wide<WordFlow>>(shape, around));
                if shape.has_plain_terminals() {
                    to.timestamps(shape, || {
                        self.build::<_, Wide<TimestampFlow>>(shape, around)
                    });
                }
            }
        }
    }

    fn followed(&self, around: &BuildContext<'_>) -> Option<Followed> {
        Some(ShortestPaths::any(around.shape))
    }

    fn facts(&self) -> Facts {
        Facts {
            fixed_words: Some(self.packet_words),
            credit_words: Some(self.packet_words.into()),
            injects_ahead_cycles: self.least_release_cycles(),
            begins_zeroed: true,
            takes_half_duplex: true,
            takes_several_terminals: true,
            takes_faults: self.delivery != Delivery::Vanish,
            is_free_on_any_paths: true,
            memory_keys: match self.multiqueue_frames > 8 {
                true => &["multiqueue_frames"],
                false => &[],
            },
            ..Facts::USUAL
        }
    }

    fn held_words(&self, ports: u64) -> u64 {
        4 * ports + self.multiqueue_frames as u64
    }

    fn deadlock(&self, around: &BuildContext<'_>) -> Deadlock {
        if !self.derouting {
            return Deadlock::Unknown(
                "not known to be free of deadlock: with derouting off, full multiqueues may wait for each other \
                 in a circle if the traffic makes packets turn in one"
                    .into(),
            );
        }
        if self.multiqueue_freed_at == MultiqueueFreed::Tail {
            return Deadlock::Unknown(
                "not known to be free of deadlock: with multiqueue_freed_at = \"tail\" a packet may leave a full \
                 multiqueue before the one that its neighbour waits for finds room there"
                    .into(),
            );
        }
        let exchange = around.crossing.exchange(self.leaving());
        Deadlock::Free(format!(
            "free of deadlock: {exchange}; and a full multiqueue makes room by derouting (Konstantinidou and \
             Snyder 1991)"
        ))
    }

    fn livelock(&self, around: &BuildContext<'_>) -> Livelock {
        if !self.derouting {
            return Livelock::None("every hop brings a packet closer".into());
        }
        match self.draws_among_several(around.shape.ports(), around.shape.locals()) {
            true => Livelock::ProbabilityZero(
                "which packet of a full multiqueue is derouted is drawn at random (Konstantinidou and Snyder 1990)"
                    .into(),
            ),
            false => Livelock::Unknown(
                "only one packet of a full multiqueue may be ready, which leaves nothing to draw".into(),
            ),
        }
    }
}

impl ChaosParameters {
    /// Whether the small shape of a node is large enough for this many links.
    pub fn is_small(&self, links: usize) -> bool {
        links <= 4 && self.multiqueue_frames <= 5
    }

    /// The router on a network, under the stall rule that the timing of its links requires.
    pub fn build<T: Topology + Clone, N>(
        &self,
        topology: &T,
        around: &BuildContext<'_>,
    ) -> Chaos<T, N> {
        let exchange = around.crossing.exchange(self.leaving());
        let rule = match exchange.is_sure() {
            true => StallRule::BehindOpenOutput,
            false => StallRule::BehindWaitingOutput,
        };
        Chaos::new(topology.clone(), self.clone(), around.seed)
            .with_stall_rule(rule)
            .with_half_duplex(around.duplex.is_half())
    }

    /// Whether there are at least two packets of every full multiqueue, so that the one to deroute is drawn.
    /// Those that arrived within the last decision's latency and lag aren't ready; at most one of them
    /// arrived per cycle, and one over each link, since an input frame isn't free again earlier. Those that only
    /// wait for their tails to leave have each an output frame of their own.
    fn draws_among_several(&self, links: usize, locals: usize) -> bool {
        let late = self.decision_latency_cycles + self.lag_cycles() - 1;
        let late = match self.deroute_among {
            DerouteAmong::Ready => usize::try_from(late).map_or(links, |late| late.min(links)),
            DerouteAmong::All => 0,
        };
        let leaving = match self.multiqueue_freed_at {
            MultiqueueFreed::Decision => 0,
            MultiqueueFreed::Tail => links + locals,
        };
        self.multiqueue_frames >= late + leaving + 2
    }
}

/// The ports of a scan order: each link port once.
fn scan_order(given: &RawTable<'_>, topology: &dyn Topology) -> Result<Vec<Port>, Refusal> {
    const KEY: &str = "scan_order";
    let names: Vec<String> = (0..topology.ports())
        .map(|port| topology.port_name(Port(port as u8)))
        .collect();
    let allowed = format!("each link port once: {}", names.join(", "));
    let key = given.key(KEY);
    let error = |span: Option<Span>, found: String| {
        Refusal::new(MistakeKind::Conflict, &*key, span)
            .found(found)
            .allowed(&*allowed)
    };
    let mut ports = Vec::new();
    for (index, value) in given.list(KEY).iter().enumerate() {
        let (name, span) = (value.datum.as_text().unwrap_or_default(), &value.span);
        let Some(port) = names.iter().position(|other| other == name) else {
            let near = nearest(name, names.iter().map(String::as_str));
            let found = format!("{key}[{index}] is {:?}, no link port", shown(name));
            return Err(error(Some(span.clone()), found)
                .hint(near.map(|name| format!("did you mean {name:?}?"))));
        };
        let port = Port(port as u8);
        if ports.contains(&port) {
            return Err(error(
                Some(span.clone()),
                format!("{key} names {name:?} twice"),
            ));
        }
        ports.push(port);
    }
    let absent = |port: &usize| !ports.contains(&Port(*port as u8));
    let absent: Vec<&str> = (0..names.len())
        .filter(absent)
        .map(|port| names[port].as_str())
        .collect();
    match absent.is_empty() {
        true => Ok(ports),
        false => {
            let found = format!("{key} lacks {}", absent.join(", "));
            Err(error(given.span_of(KEY), found))
        }
    }
}

/// The mistake that the router's own check found, as something that its user can correct.
fn wrong(given: &RawTable<'_>, chaos: &ChaosParameters, error: WrongValue) -> Refusal {
    let least = u64::from(chaos.least_release_cycles());
    match error.key {
        // A packet takes so long to leave that no allowed release is late enough.
        "input_release_cycles" if least > u64::from(MAX_CYCLES) => {
            let latency = given.span_of("decision_latency_cycles");
            let words = latency.or(given.span_of("packet_words"));
            let key = given.key(error.key);
            let found = format!(
                "{key} would be at least {least}, decision_latency_cycles + packet_words - 1"
            );
            Refusal::new(MistakeKind::Conflict, key, words.or(Some(given.span())))
                .found(found)
                .allowed(format!("at most {MAX_CYCLES}"))
        }
        "input_release_cycles" => given.wrong(&error, &[]).allowed(format!(
            "{least} to {MAX_CYCLES}: a frame isn't free before its last word has left, \
             decision_latency_cycles + packet_words - 1"
        )),
        _ => given.wrong(&error, &["packet_words"]),
    }
}
