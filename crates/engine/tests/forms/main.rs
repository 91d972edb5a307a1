//! Networks whose timing has a closed form: all times and rates are those of the formulas, to the ps.

mod fires;
mod marked;
mod micropipelines;
mod passes;
mod pausible;
mod streams;
mod undecided;
