//! Routers of whatever kind, as values of a configuration and as lines of a table.

use super::drive::Collector;
use flitwork_router::parameters::{
    Deadlock, Facts, Livelock, Longest, Reading, RouterParameters, Surroundings, Warning,
};
use flitwork_router::scheduled::Route;
use flitwork_router::{Visitor, each_router};
use flitwork_schema::{Datum, Entry, Given, Part, Refusal, entries};
use flitwork_topology::Shape;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The parameters of a router of whatever kind: what is known of it is asked of it.
#[derive(Clone)]
pub struct AnyRouter(Arc<dyn ErasedRouter>);

/// [`RouterParameters`] without their type.
pub trait ErasedRouter: fmt::Debug + Send + Sync {
    /// What a configuration calls it.
    fn name(&self) -> &'static str;

    /// Whether its table has a key of that name.
    fn has_key(&self, name: &str) -> bool;

    /// [`RouterParameters::written`].
    fn written(&self, shape: &Shape) -> Vec<(&'static str, Datum)>;

    /// [`RouterParameters::take_packets`].
    ///
    /// # Errors
    /// The same.
    fn take_packets(&self, given: &Given<'_>, longest: &Longest) -> Result<(), Refusal>;

    /// [`RouterParameters::facts`].
    fn facts(&self) -> Facts;

    /// [`RouterParameters::held_words`].
    fn held_words(&self, ports: u64) -> u64;

    /// [`RouterParameters::packets`].
    fn packets(&self) -> Option<Vec<Route>>;

    /// [`RouterParameters::small`].
    fn small(&self) -> AnyRouter;

    /// [`RouterParameters::deadlock`].
    fn deadlock(&self, around: &Surroundings<'_>) -> Deadlock;

    /// [`RouterParameters::livelock`].
    fn livelock(&self, around: &Surroundings<'_>) -> Livelock;

    /// [`RouterParameters::warnings`].
    fn warnings(&self, around: &Surroundings<'_>) -> Vec<Warning>;

    /// [`RouterParameters::figures`].
    fn figures(&self, around: &Surroundings<'_>) -> Vec<(&'static str, String)>;

    /// [`RouterParameters::offer`].
    #[doc(hidden)]
    fn offer(&self, around: &Surroundings<'_>, to: &mut Collector);

    /// The parameters, whatever their type.
    #[doc(hidden)]
    fn as_any(&self) -> &dyn Any;

    /// Whether the other is the same router with the same parameters.
    #[doc(hidden)]
    fn is_same(&self, other: &dyn ErasedRouter) -> bool;
}

impl<P: RouterParameters> ErasedRouter for P {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn has_key(&self, name: &str) -> bool {
        P::KEYS.iter().any(|key| key.name == name)
    }

    fn written(&self, shape: &Shape) -> Vec<(&'static str, Datum)> {
        RouterParameters::written(self, shape)
    }

    fn take_packets(&self, given: &Given<'_>, longest: &Longest) -> Result<(), Refusal> {
        RouterParameters::take_packets(self, given, longest)
    }

    fn facts(&self) -> Facts {
        RouterParameters::facts(self)
    }

    fn held_words(&self, ports: u64) -> u64 {
        RouterParameters::held_words(self, ports)
    }

    fn packets(&self) -> Option<Vec<Route>> {
        RouterParameters::packets(self)
    }

    fn small(&self) -> AnyRouter {
        AnyRouter::from(RouterParameters::small(self))
    }

    fn deadlock(&self, around: &Surroundings<'_>) -> Deadlock {
        RouterParameters::deadlock(self, around)
    }

    fn livelock(&self, around: &Surroundings<'_>) -> Livelock {
        RouterParameters::livelock(self, around)
    }

    fn warnings(&self, around: &Surroundings<'_>) -> Vec<Warning> {
        RouterParameters::warnings(self, around)
    }

    fn figures(&self, around: &Surroundings<'_>) -> Vec<(&'static str, String)> {
        RouterParameters::figures(self, around)
    }

    fn offer(&self, around: &Surroundings<'_>, to: &mut Collector) {
        RouterParameters::offer(self, around, to);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_same(&self, other: &dyn ErasedRouter) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }
}

impl<P: RouterParameters> From<P> for AnyRouter {
    fn from(parameters: P) -> AnyRouter {
        AnyRouter(Arc::new(parameters))
    }
}

impl Deref for AnyRouter {
    type Target = dyn ErasedRouter;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl AnyRouter {
    /// The parameters, where they are those of a kind of router.
    pub fn of<P: RouterParameters>(&self) -> Option<&P> {
        self.as_any().downcast_ref()
    }

    /// Whether it is a router of that kind.
    pub fn is<P: RouterParameters>(&self) -> bool {
        self.of::<P>().is_some()
    }

    /// The length of every packet, in words, where the router has but one.
    pub fn fixed_words(&self) -> Option<u16> {
        self.facts().fixed_words
    }

    /// The words that a node may have sent over a link before the far end takes any.
    pub fn words_ahead(&self) -> u32 {
        self.facts().words_ahead
    }
}

impl PartialEq for AnyRouter {
    fn eq(&self, other: &AnyRouter) -> bool {
        self.0.is_same(&*other.0)
    }
}

impl fmt::Debug for AnyRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A kind of router in the table of routers.
#[derive(Clone, Copy, Debug)]
pub struct RouterEntry {
    name: &'static str,
    help: &'static str,
    /// The keys of its table.
    pub keys: fn() -> Vec<Entry>,
    /// The parameters that a configuration gives.
    pub read: fn(&Given<'_>, &Reading<'_>) -> Result<AnyRouter, Refusal>,
}

impl RouterEntry {
    /// The line of a kind of router.
    pub const fn of<P: RouterParameters>() -> RouterEntry {
        RouterEntry {
            name: P::NAME,
            help: P::HELP,
            keys: || entries(P::KEYS),
            read: |given, around| P::read(given, around).map(AnyRouter::from),
        }
    }
}

impl Part for RouterEntry {
    const KIND: &'static str = "router";

    fn name(&self) -> &'static str {
        self.name
    }

    fn help(&self) -> &'static str {
        self.help
    }

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
}
