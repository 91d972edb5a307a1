//! Studies of our own: tables over a parameter, made by one command each.

mod async_exp2;
mod async_load;
mod clocking;
mod greedy_steps;
mod multiqueue;
mod steps;

pub use async_exp2::{
    AsyncExp2, AsyncExp2Row, AsyncExp2Run, async_exp2, async_exp2_figure, async_exp2_text,
};
pub use async_load::{
    AsyncLoad, AsyncLoadRow, LoadFigure, async_load, async_load_figures, async_load_text,
};
pub use clocking::{Clocking, Refused};
pub use greedy_steps::{
    GreedySteps, GreedyStepsRow, greedy_steps, greedy_steps_figure, greedy_steps_text,
};
pub use multiqueue::{Multiqueue, MultiqueueRow, multiqueue, multiqueue_text};
pub use steps::Step;
