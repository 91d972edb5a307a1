//! Each clause of the contract is broken by a router on purpose, and the contract says so.

mod bent;
mod fickle;
mod tails;

use bent::Bent;
use fickle::Fickle;
use flitwork_node::Cause;
use flitwork_router::parameters::{BuildContext, Facts, Offers, Reading, RouterParameters};
use flitwork_router::queueing::{Queueing, QueueingParameters};
use flitwork_schema::{Key, RawTable, Refusal};
use flitwork_testing::{Clause, Contract, Shown, contract};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tails::Tails;

/// What a router does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    ClaimsLessRoom,
    IsNotOffered,
    SendsOverNoLink,
    SendsUnreported,
    SendsTwice,
    FreesTheSourceEarly,
    InjectsTwice,
    DeliversLate,
    CountsAHopTooFew,
    SettlesEarly,
    LosesACredit,
    StopsAtANode,
    HeedsTheOrder,
    Sleeps,
    ShowsNoWords,
    ExplainsNothing,
}

/// A router with a fault.
#[derive(Clone, Debug, PartialEq)]
struct Broken {
    fault: Fault,
}

impl RouterParameters for Broken {
    const NAME: &'static str = "broken";
    const HELP: &'static str = "a router that breaks a clause on purpose";
    const KEYS: &'static [Key<Broken>] = &[];

    fn read(_: &RawTable<'_>, _: &Reading<'_>) -> Result<Broken, Refusal> {
        let fault = Fault::Nothing;
        Ok(Broken { fault })
    }

    fn offer(&self, around: &BuildContext<'_>, to: &mut impl Offers) {
        let (grid, fault) = (around.grid(), self.fault);
        match fault {
            Fault::IsNotOffered => {}
            Fault::HeedsTheOrder => to.words(grid, || Fickle::new(grid, around.seed)),
            _ => to.words(grid, || {
                let parameters = QueueingParameters::default();
                let router = Queueing::new(grid.clone(), parameters, around.seed);
                Bent::new(router, grid.clone(), fault)
            }),
        }
    }

    fn facts(&self) -> Facts {
        let usual = QueueingParameters::default().facts();
        match self.fault {
            Fault::HeedsTheOrder => fickle::parameters().facts(),
            Fault::ClaimsLessRoom => Facts {
                credit_words: Some(1),
                ..usual
            },
            _ => usual,
        }
    }
}

/// What the contract says of a router with a fault.
fn complaint(fault: Fault) -> String {
    let shown = match fault {
        Fault::ShowsNoWords | Fault::ExplainsNothing => Shown::Decisions,
        _ => Shown::Waits,
    };
    let contract = Contract::new()
        .parameters(Broken { fault })
        .seeds([7])
        .shows(shown);
    let why = catch_unwind(AssertUnwindSafe(|| contract.hold()));
    let why = why.expect_err("the fault is found");
    *why.downcast().expect("a message")
}

/// The message names the clause, the node, the cycle and the seed.
fn breaks(fault: Fault, clause: Clause) {
    let text = complaint(fault);
    let named = format!("router broken: the clause `{}` is broken", clause.name());
    assert!(text.contains(&named), "{fault:?}: {text}");
    let is_place = |line: &str| match clause {
        // Before any node is stepped.
        Clause::Facts | Clause::Offers => line.starts_with("before the first step, seed 7;"),
        _ => line.starts_with("node ") && line.contains(", cycle ") && line.contains(", seed 7;"),
    };
    assert!(text.lines().any(is_place), "{fault:?}: {text}");
}

/// A test for each fault, and the list of them.
macro_rules! broken {
    ($($test:ident: $fault:ident, $clause:ident;)+) => {
        const CLAUSES: &[Clause] = &[$(Clause::$clause),+];

        $(
            #[test]
            fn $test() {
                breaks(Fault::$fault, Clause::$clause);
            }
        )+
    };
}

broken! {
    a_router_that_claims_less_room_is_caught: ClaimsLessRoom, Facts;
    a_router_that_is_not_offered_is_caught: IsNotOffered, Offers;
    a_word_over_no_link_is_caught: SendsOverNoLink, Wires;
    a_word_that_is_not_reported_is_caught: SendsUnreported, Reports;
    a_word_that_is_sent_twice_is_caught: SendsTwice, Words;
    a_source_that_is_freed_early_is_caught: FreesTheSourceEarly, Source;
    an_event_that_is_reported_twice_is_caught: InjectsTwice, Events;
    a_late_delivery_is_caught: DeliversLate, Deliveries;
    a_hop_too_few_is_caught: CountsAHopTooFew, Counts;
    a_node_that_settles_early_is_caught: SettlesEarly, Settled;
    a_lost_credit_is_caught: LosesACredit, Credits;
    a_node_that_stops_is_caught: StopsAtANode, Arrival;
    a_router_that_heeds_the_order_of_visits_is_caught: HeedsTheOrder, Order;
    a_node_that_sleeps_too_long_is_caught: Sleeps, Engines;
    a_view_without_words_is_caught: ShowsNoWords, Looks;
    an_explanation_of_nothing_is_caught: ExplainsNothing, Explains;
}

#[test]
fn every_clause_is_broken_by_a_router() {
    for clause in Clause::ALL {
        assert!(CLAUSES.contains(clause), "nothing breaks {clause:?}");
    }
}

/// What finds the faults finds none where there is none.
#[test]
fn without_a_fault_the_router_obeys() {
    contract::<Broken>();
    let fault = Fault::Nothing;
    let contract = Contract::new().parameters(Broken { fault });
    contract.shows(Shown::Decisions).hold();
}

/// One credit is for a whole packet, so that a packet whose head has left misses none: what may refuse its words is the link.
#[test]
fn a_packet_whose_head_has_left_waits_for_the_link() {
    let hold = |cause| {
        let tails = Tails { cause };
        let words = [tails.chaos().packet_words];
        let contract = Contract::new().parameters(tails).words(words).seeds([7]);
        let contract = contract.shows(Shown::Decisions);
        catch_unwind(AssertUnwindSafe(|| contract.hold()))
    };
    assert!(hold(Cause::Crossing).is_ok());
    for cause in [Cause::NoCredit, Cause::Pipeline] {
        let why = hold(cause).expect_err("the cause is found to be false");
        let text: String = *why.downcast().expect("a message");
        let named = "router tails: the clause `explains` is broken";
        assert!(text.contains(named), "{cause:?}: {text}");
    }
}
