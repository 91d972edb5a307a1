//! What is routed.

use crate::context::Failed;
use crate::statics;
use flitwork_topology::{Shape, Topology};
use flitwork_traffic::{
    AnyPattern, Lengths, ReflectionParameters, Reversal, ShiftParameters, SwapParameters, at_once,
    k_k,
};
use flitwork_types::NodeId;

/// A problem of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Workload {
    /// Every coordinate by n/2.
    LargeShift,
    /// Every coordinate i to n - 1 - i.
    PointReflection,
    /// k random permutations.
    Random,
    /// Every coordinate by L.
    Shift,
    /// Blocks of 2L with their halves exchanged.
    Blocks,
    /// What Figure 6 shows.
    Figure6,
}

impl Workload {
    pub(super) const ALL: &[Workload] = &[
        Workload::LargeShift,
        Workload::PointReflection,
        Workload::Random,
        Workload::Shift,
        Workload::Blocks,
        Workload::Figure6,
    ];

    /// What users call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Workload::LargeShift => "k-ls",
            Workload::PointReflection => "k-pr",
            Workload::Random => "random",
            Workload::Shift => "shift",
            Workload::Blocks => "blocks",
            Workload::Figure6 => "figure-6",
        }
    }

    pub(super) fn help(self) -> &'static str {
        match self {
            Workload::LargeShift => "The large shift: n/2 nodes on, in every dimension",
            Workload::PointReflection => "The point reflection: to n - 1 - i, in every dimension",
            Workload::Random => "k random permutations",
            Workload::Shift => "L nodes on, in every dimension",
            Workload::Blocks => "Blocks of 2L nodes whose halves are exchanged, in every dimension",
            Workload::Figure6 => {
                "What Figure 6 shows: columns reflected about a row, and a shift by L"
            }
        }
    }

    /// The same, with L where it has one: n/8 unless given.
    pub(super) fn with_locality(self, l: u32) -> String {
        match self.is_local() {
            true => format!("{} with L = {l} (--l; n/8 unless given)", self.name()),
            false => self.name().into(),
        }
    }

    /// Whether it has a locality L of its own.
    pub(super) fn is_local(self) -> bool {
        matches!(self, Workload::Shift | Workload::Blocks | Workload::Figure6)
    }

    /// The pattern of `[traffic]`; none of random problems.
    fn pattern(self, l: u32) -> Option<AnyPattern> {
        Some(match self {
            Workload::LargeShift => ShiftParameters { shift: None }.into(),
            Workload::PointReflection => Reversal.into(),
            Workload::Random => return None,
            Workload::Shift => ShiftParameters { shift: Some(l) }.into(),
            Workload::Blocks => SwapParameters { locality: Some(l) }.into(),
            Workload::Figure6 => ReflectionParameters { locality: Some(l) }.into(),
        })
    }

    /// Its packets: so many from each node.
    pub(super) fn packets(
        self,
        shape: &Shape,
        (per_node, l): (u32, u32),
        seed: u64,
    ) -> Result<Vec<(NodeId, NodeId)>, Failed> {
        let side = shape.grid().map_or(0, |grid| grid.sides()[0]);
        if self == Workload::LargeShift && !side.is_multiple_of(2) {
            let why = format!(
                "k-ls leads n/2 nodes on, and the side is {side}; allowed: even sides, or --workload shift --l L"
            );
            return Err(Failed::option("--n", why));
        }
        let refused = |error: &dyn std::fmt::Display| {
            Failed::option("--workload", format!("{}: {error}", self.with_locality(l)))
        };
        let (terminals, lengths) = (shape.terminals(), Lengths::fixed(1));
        let packets = match self.pattern(l) {
            None => k_k(per_node, &lengths, seed, terminals),
            Some(pattern) => {
                let built = pattern
                    .build(shape, seed)
                    .map_err(|error| refused(&error))?;
                at_once(per_node, &*built, &lengths, seed, terminals)
            }
        };
        let packets = packets.map_err(|error| Failed::option("--k", error))?;
        let packets = packets.iter().map(|(from, to, _)| (*from, *to));
        Ok(statics::between_nodes(&packets.collect::<Vec<_>>()))
    }

    /// `[traffic]` and `[run]` of what `flitwork route` reads.
    pub(super) fn to_toml(self, per_node: u32, l: u32, seed: u64) -> String {
        let lines = match self.pattern(l) {
            None => format!("process = \"k-k\"\nk = {per_node}\n"),
            Some(pattern) => {
                let settings = pattern.settings().into_iter();
                let settings = settings.map(|(key, datum)| format!("{key} = {datum}\n"));
                format!(
                    "process = \"once\"\npattern = \"{}\"\nk = {per_node}\n{}",
                    pattern.name(),
                    settings.collect::<String>()
                )
            }
        };
        format!("[traffic]\n{lines}[run]\nseed = {seed}\n")
    }
}
