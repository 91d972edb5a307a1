//! Routers of any kind, as values of a configuration and as entries of a table.

use crate::drive::{Collector, FastDriven, Wanted, WordDriven};
use flitwork_network::Faults;
use flitwork_router::parameters::{
    BuildContext, Deadlock, Epoch, Facts, Livelock, Longest, PlanBytes, Reading, RouterParameters,
    Verdicts, Warning,
};
use flitwork_router::routing::{Followed, Watch};
use flitwork_router::scheduled::Route;
use flitwork_router::{Visitor, each_router};
use flitwork_schema::{Datum, Entry, Parts, RawTable, Refusal};
use flitwork_topology::Shape;
use flitwork_types::Duplex;
use std::any::Any;
use std::sync::Arc;

flitwork_schema::erased! {
    /// The parameters of a router of any kind. It answers every question about itself.
    pub struct AnyRouter: RouterParameters;

    /// What a configuration calls it.
    fn name(&self) -> &'static str;
    /// Whether its table has a key of that name.
    fn has_key(&self, name: &str) -> bool;
    /// [`RouterParameters::settings`].
    fn settings(&self, shape: &Shape) -> Vec<(&'static str, Datum)>;
    /// [`RouterParameters::take_packets`].
    ///
    /// # Errors
    /// The same.
    fn take_packets(&self, given: &RawTable<'_>, longest: &Longest) -> Result<(), Refusal>;
    /// [`RouterParameters::facts`].
    fn facts(&self) -> Facts;
    /// [`RouterParameters::held_words`].
    fn held_words(&self, ports: u64) -> u64;
    /// [`RouterParameters::packets`].
    fn packets(&self) -> Option<Vec<Route>>;
    /// [`RouterParameters::scaled_down`].
    fn scaled_down(&self) -> AnyRouter;
    /// [`RouterParameters::plan_bytes`].
    fn plan_bytes(&self, hops: u64) -> PlanBytes;
    /// [`RouterParameters::deadlock`].
    fn deadlock(&self, around: &BuildContext<'_>) -> Deadlock;
    /// [`RouterParameters::livelock`].
    fn livelock(&self, around: &BuildContext<'_>) -> Livelock;
    /// [`RouterParameters::verdicts`].
    fn verdicts(&self, around: &BuildContext<'_>, watch: &mut Watch<'_>) -> Verdicts;
    /// [`RouterParameters::followed`].
    fn followed(&self, around: &BuildContext<'_>) -> Option<Followed>;
    /// [`RouterParameters::files`].
    fn files(&mut self) -> Vec<&mut String>;
    /// [`RouterParameters::content`].
    fn content(&self, take: &mut dyn FnMut(&[u8]));
    /// [`RouterParameters::warnings`].
    fn warnings(&self, around: &BuildContext<'_>) -> Vec<Warning>;
    /// [`RouterParameters::figures`].
    fn figures(&self, around: &BuildContext<'_>) -> Vec<(&'static str, String)>;
    #[doc(hidden)]
    fn offer(&self, around: &BuildContext<'_>, to: &mut Collector);
}

impl AnyRouter {
    /// The value of a built-in router's parameters; `None` for those of others. It uses the engines that are compiled
    /// for the table, where `From` compiles the router's for the crate that calls it.
    pub fn built_in(parameters: &dyn Any) -> Option<AnyRouter> {
        struct Find<'a>(&'a dyn Any, Option<AnyRouter>);
        impl Visitor for Find<'_> {
            fn router<P: RouterParameters>(&mut self) {
                if let Some(parameters) = self.0.downcast_ref::<P>() {
                    self.1 = Some(AnyRouter::from(parameters.clone()));
                }
            }
        }
        let mut find = Find(parameters, None);
        each_router(&mut find);
        find.1
    }

    /// The length of every packet in words, if the router allows only one.
    pub fn fixed_words(&self) -> Option<u16> {
        self.facts().fixed_words
    }

    fn network(&self, around: &BuildContext<'_>, wanted: Wanted) -> Collector {
        let mut collector = Collector::new(wanted, around);
        self.offer(around, &mut collector);
        collector
    }

    /// A network of it, driven word by word, as every router can be.
    pub fn by_words(&self, around: &BuildContext<'_>) -> Box<dyn WordDriven> {
        let network = self.network(around, Wanted::Words);
        let words = network.words;
        words.unwrap_or_else(|| panic!("{self:?} isn't offered word by word"))
    }

    /// The same over links that may fail, for a router that [takes that](Facts::takes_faults).
    ///
    /// # Panics
    /// If it doesn't.
    pub fn by_words_failing(
        &self,
        around: &BuildContext<'_>,
        faults: &Arc<Faults>,
    ) -> Box<dyn WordDriven> {
        let mut collector = Collector::new(Wanted::Failing, around);
        collector.faults = Some(faults.clone());
        let intact = BuildContext {
            shape: faults.intact(),
            ..*around
        };
        self.offer(&intact, &mut collector);
        for epoch in faults.epochs() {
            let around = BuildContext {
                shape: &epoch.shape,
                epoch: Some(Epoch {
                    since: epoch.since,
                    until: epoch.until,
                }),
                ..*around
            };
            self.offer(&around, &mut collector);
        }
        let network = collector.words;
        network.unwrap_or_else(|| panic!("{self:?} isn't offered over links that fail"))
    }

    /// The same by time stamps, if it can be driven by them.
    pub fn by_timestamps(&self, around: &BuildContext<'_>) -> Option<FastDriven> {
        self.network(around, Wanted::Timestamps).fast
    }

    /// The same by mail, if it posts ahead and the engine takes the network.
    pub fn by_mail(&self, around: &BuildContext<'_>) -> Option<FastDriven> {
        self.network(around, Wanted::Mail).fast
    }

    /// The words that a node may send over a link before a credit has to come back; `None` if none ever does.
    pub fn credit_words(&self) -> Option<u32> {
        self.facts().credit_words
    }
}

/// A kind of router in the table of routers.
#[derive(Clone, Copy, Debug)]
pub struct RouterEntry {
    name: &'static str,
    help: &'static str,
    /// The keys of its table.
    pub keys: fn(&Parts) -> Vec<Entry>,
    /// Whether the two directions of a link have a wire each by default, by what a configuration gives.
    pub usual_duplex: fn(&RawTable<'_>) -> Duplex,
    /// The parameters that a configuration gives.
    pub read: fn(&RawTable<'_>, &Reading<'_>) -> Result<AnyRouter, Refusal>,
}

impl RouterEntry {
    /// The entry of a kind of router.
    pub const fn of<P: RouterParameters>() -> RouterEntry {
        RouterEntry {
            name: P::NAME,
            help: P::HELP,
            keys: P::keys,
            usual_duplex: P::usual_duplex,
            read: |given, around| P::read(given, around).map(AnyRouter::from),
        }
    }
}

flitwork_schema::part!(RouterEntry { name, help }: "router", built_in());

fn built_in() -> Vec<RouterEntry> {
    struct All(Vec<RouterEntry>);
    impl Visitor for All {
        fn router<P: RouterParameters>(&mut self) {
            self.0.push(RouterEntry::of::<P>());
        }
    }
    let mut all = All(Vec::new());
    each_router(&mut all);
    all.0
}
