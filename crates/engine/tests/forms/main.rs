//! Networks whose timing has a closed form: all times and rates are those of the formulas, to the ps.

mod credits;
mod crossed;
mod fires;
mod idle_rights;
mod marked;
mod micropipelines;
mod passes;
mod patience;
mod pausible;
mod streams;
mod undecided;
