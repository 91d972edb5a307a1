//! What a configuration means: validated once, with every default filled in.

use super::clocks::{ClockParameters, Stepping};
use super::file_texts::FileTexts;
use super::tables::energy::EnergyParameters;
use super::tables::faults::FaultPlan;
use super::tables::live;
use super::tables::network::{NetworkParameters, handed_over_words};
use super::tables::run::{EngineChoice, RunParameters};
use super::text::{Settings, write};
use flitwork_live::Options;
use flitwork_machine::AnyRouter;
use flitwork_network::{Clocks, Handshake};
use flitwork_topology::{Shape, Topology};
use flitwork_traffic::TrafficParameters;

/// A run, fully described.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The network's shape and links.
    pub network: NetworkParameters,
    /// Which links fail.
    pub faults: FaultPlan,
    /// What every node does.
    pub router: AnyRouter,
    /// Who sends to whom, and when.
    pub traffic: TrafficParameters,
    /// How long, from which seed, by which engine.
    pub run: RunParameters,
    /// What makes the nodes step; only [`EngineChoice::Clocked`] reads it.
    pub clocks: ClockParameters,
    /// How nodes run concurrently; only [`EngineChoice::Live`] reads it.
    pub live: Options,
    /// What the router's work costs; it changes nothing but the joules in the results.
    pub energy: EnergyParameters,
    /// The texts of files that it names, as they were read: of all but traces, which are read while they are followed.
    pub texts: FileTexts,
}

impl Resolved {
    /// Words of the longest packet.
    pub fn packet_words(&self) -> u16 {
        self.router
            .fixed_words()
            .unwrap_or_else(|| self.traffic.longest_words())
    }

    /// The names of files that it reads, as configured: those of the network, of the router and of the traffic.
    pub fn files(&mut self) -> impl Iterator<Item = &mut String> {
        let network = self.network.files().chain(self.router.files());
        network.chain(self.traffic.files())
    }

    /// Gives these files other names.
    pub fn rename_files(&mut self, mut new: impl FnMut(&str) -> String) {
        let network = self.network.files().chain(self.router.files());
        for file in network.chain(self.traffic.files()) {
            let name = new(file);
            self.texts.rename(file, &name);
            *file = name;
        }
    }

    /// Words per packet, as a record of a live run predicts them; the most that there may be if packets have
    /// many lengths.
    pub fn predicted_words(&self) -> u16 {
        self.router.fixed_words().unwrap_or(u16::MAX)
    }

    /// The clocks of the nodes and the timing of the links, drawn from the seed.
    pub fn clocks(&self) -> Clocks {
        self.network.clocks(&self.clocks, self.run.seed)
    }

    /// The most that a step of any self-timed node may take by its delays, in ps, as long as arbiters decide at once;
    /// `None` if no node is self-timed.
    pub fn longest_step_ps(&self) -> Option<u64> {
        let is_self_timed = matches!(self.clocks.stepping, Stepping::SelfTimed(_));
        if self.run.engine != EngineChoice::Clocked || !is_self_timed {
            return None;
        }
        let pace = self.clocks.pace(&self.network.shape, self.run.seed);
        pace.map(|pace| pace.longest_ps)
    }

    /// The same on the clocked engine with these clocks and synchronizers. A link's latency is
    /// that in cycles of the nominal clock, and its capacity is the default for these clocks.
    pub fn clocked(mut self, clocks: ClockParameters, synchronizer_edges: u32) -> Resolved {
        let drawn_from = (&clocks, self.run.seed);
        self.network
            .rewire(drawn_from, self.router.credit_words(), synchronizer_edges);
        self.run.engine = EngineChoice::Clocked;
        self.clocks = clocks;
        self
    }

    /// The same on the clocked engine with links over which words are handed over, and the capacity that they need.
    #[must_use]
    pub fn handing_over(mut self, handshake: Handshake) -> Resolved {
        self.network.links.handshake = Some(handshake);
        let (words, _) = handed_over_words(self.router.credit_words(), &self.clocks());
        self.network.links.capacity_words = words;
        self
    }

    /// The full configuration with all defaults. Reading it gives the same configuration, with the same directory if it
    /// names files. What isn't read, such as the clocks and the timing of links on other engines than the clocked one,
    /// isn't written: it is as by default.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        for (name, settings) in self.tables() {
            match name {
                "router" => {
                    let name = format!("router.{}", self.router.name());
                    write(&mut out, &name, &settings);
                }
                name => write(&mut out, name, &settings),
            }
        }
        out
    }

    /// The network for which its router is built while all links work.
    pub fn intact(&self) -> &Shape {
        self.faults.intact(&self.network.shape)
    }

    fn tables(&self) -> Vec<(&'static str, Settings)> {
        let shape = &self.network.shape;
        let known = Known {
            network: Some(&self.network),
            faults: Some(&self.faults),
            nodes: Some(shape.nodes()),
            router: Some((&self.router, self.router.settings(shape))),
            traffic: Some(&self.traffic),
            run: Some(&self.run),
            clocks: Some(&self.clocks),
            live: Some(&self.live),
            energy: self.energy,
        };
        let tables = known.tables().into_iter();
        tables
            .filter_map(|(name, settings)| Some((name, settings?)))
            .collect()
    }
}

/// What is known of a run: all of it, or the parts without a mistake.
pub(crate) struct Known<'a> {
    pub(crate) network: Option<&'a NetworkParameters>,
    pub(crate) faults: Option<&'a FaultPlan>,
    pub(crate) nodes: Option<u32>,
    /// The router, and its settings.
    pub(crate) router: Option<(&'a AnyRouter, Settings)>,
    pub(crate) traffic: Option<&'a TrafficParameters>,
    pub(crate) run: Option<&'a RunParameters>,
    pub(crate) clocks: Option<&'a ClockParameters>,
    pub(crate) live: Option<&'a Options>,
    pub(crate) energy: EnergyParameters,
}

impl Known<'_> {
    /// What is read of each table, if that is known; those of `router` are of the table in it. A list of tables has no name in
    /// it. A table that isn't there isn't read.
    pub(crate) fn tables(&self) -> Vec<(&'static str, Option<Settings>)> {
        let engine = self.run.map(|run| run.engine);
        let router = self.router.as_ref();
        let network = self.network.zip(engine);
        let traffic = self.traffic.zip(router);
        let run = self.run.zip(self.traffic);
        let mut all = vec![
            (
                "network",
                network.and_then(|(it, engine)| {
                    Some(it.settings(match engine {
                        EngineChoice::Clocked => Some(self.clocks?.period_ps),
                        _ => None,
                    }))
                }),
            ),
            ("router", router.map(|(_, settings)| settings.clone())),
            (
                "traffic",
                traffic.map(|(it, (router, _))| it.settings(router.fixed_words())),
            ),
            (
                "run",
                run.map(|(run, it)| run.settings(it.process.is_open_loop())),
            ),
        ];
        let clocks = || Some(self.clocks?.settings(self.nodes?));
        let live = || Some(live::settings(self.live?));
        match engine {
            None => all.extend([("clocks", None), ("live", None)]),
            Some(EngineChoice::Clocked) => all.push(("clocks", clocks())),
            Some(EngineChoice::Live) => all.push(("live", live())),
            Some(EngineChoice::Sync | EngineChoice::SyncStepped | EngineChoice::SyncPlain) => {}
        }
        match self.faults {
            None => all.push(("faults", None)),
            Some(plan) if !plan.tables.is_empty() => {
                all.insert(1, ("faults", Some(vec![("", plan.settings())])));
            }
            Some(_) => {}
        }
        if self.energy.any() {
            all.push(("energy", Some(self.energy.settings())));
        }
        all
    }
}
