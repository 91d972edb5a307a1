//! Deflection routers: what they tell is held to the rules by a checker that knows nothing of their code, on
//! every engine.

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
