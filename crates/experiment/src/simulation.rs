//! A configuration's run as an object that stands anywhere in its time, is copied and looked into.

use crate::around::{around, around_clocks};
use crate::chosen::chosen;
use crate::overload::review;
use crate::simulate::observer;
use crate::workload::demand;
use flitwork_config::{EngineChoice, Resolved};
pub use flitwork_debug::Use;
pub use flitwork_engine::{Simulation, TimeUnit};
pub use flitwork_live::Parts;
pub use flitwork_machine::Differs;
use flitwork_machine::Stepping;
use flitwork_network::{Clocks, Demand};
use flitwork_node::AnyProbe;
use flitwork_traffic::Without;
use flitwork_types::Cycle;
use std::sync::Arc;

/// The run of a configuration before its first cycle. One for the live engine runs on the plain one, as if its nodes ran
/// in step.
///
/// What happens is what happens in [`simulate`](crate::simulate::simulate), on whichever engine; time is in ps where the
/// nodes have clocks of their own, and otherwise in cycles. It ends before [`end`].
pub fn simulation(resolved: &Resolved, usage: Use, probe: AnyProbe) -> Box<Simulation> {
    start(resolved, usage, ready_demand(resolved), probe)
}

/// The same with another demand.
pub fn start(resolved: &Resolved, usage: Use, demand: Demand, probe: AnyProbe) -> Box<Simulation> {
    let around = around(resolved);
    chosen(&around, usage, &demand, &probe)(demand, probe)
}

/// The same on other clocks than the configuration's; the number keys the order in which nodes are visited, which must
/// not matter.
pub fn start_clocked(
    resolved: &Resolved,
    (clocks, shuffle): (Clocks, u64),
    demand: Demand,
    probe: AnyProbe,
) -> Box<Simulation> {
    let words = around_clocks(resolved, &clocks).words();
    words.on(Stepping::Clocked(Box::new(clocks), shuffle))(demand, probe)
}

/// The replay of a record of a configuration's live run, in causal time; and where it is noted that the replay isn't what
/// the record says.
pub fn of_record(
    resolved: &Resolved,
    parts: Arc<Parts>,
    probe: AnyProbe,
) -> (Box<Simulation>, Differs) {
    let words = around(resolved).words();
    words.causal(demand(resolved), parts, probe)
}

/// The demand of a configuration's run. If an overloaded run is to stop early, that is found out first.
pub fn ready_demand(resolved: &Resolved) -> Demand {
    let mut ready = demand(resolved);
    // Packets can be left out.
    ready.workload = Box::new(Without::nothing(ready.workload));
    if resolved.run.stop_at_overload {
        let (ledger, review) = review(resolved);
        let observer = observer(resolved).with_ledger(ledger);
        let mut first = start(
            resolved,
            Use::Events,
            demand(resolved),
            AnyProbe::new(observer),
        );
        first.advance(time_of(resolved, review.at));
        if (review.is_enough)() {
            ready.inject_until = ready.inject_until.min(review.shut);
        }
    }
    ready
}

/// The time at which a cycle of the nominal clock begins.
pub fn time_of(resolved: &Resolved, cycle: Cycle) -> u64 {
    let cycle = u64::from(cycle.get());
    match resolved.run.engine {
        EngineChoice::Clocked => cycle.saturating_mul(resolved.clocks.period_ps.max(1)),
        _ => cycle,
    }
}

/// The time before which a run ends, whatever is still under way.
pub fn end(resolved: &Resolved) -> u64 {
    time_of(resolved, demand(resolved).end)
}
