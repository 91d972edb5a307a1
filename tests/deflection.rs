//! Deflection routers on every engine: a checker that knows nothing about their code verifies their events
//! against the rules.

#[path = "deflection/checker.rs"]
mod checker;
#[path = "deflection/clocks.rs"]
mod clocks;
#[path = "deflection/engines.rs"]
mod engines;
#[path = "deflection/fixture.rs"]
mod fixture;
#[path = "deflection/hand_made.rs"]
mod hand_made;
#[path = "deflection/livelock.rs"]
mod livelock;
