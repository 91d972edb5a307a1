//! The result of a replay, and how it is printed.

use super::json::{self, Cut, Found, Replay as ReplayJson, Until};
use crate::args::Replay;
use crate::exit::{Code, DIFFERS, Exit, FINE, INTERRUPTED, complain, print, print_found};
use crate::program::provenance;
use crate::show::say_failure;
use flitwork_config::Resolved;
use flitwork_experiment::live::replay::{CutEnd, Replayed, ReplayedNode, Wait};
use flitwork_results::Results;
use flitwork_types::{Cycle, NodeId};
use std::fmt::Write as _;

/// The result of a replay, and what was asked of it.
pub(super) struct Outcome<'a> {
    pub(super) replayed: Replayed,
    pub(super) args: &'a Replay,
}

impl Outcome<'_> {
    /// If nothing could be replayed, why.
    pub(super) fn nothing(&self) -> Option<String> {
        let end = self
            .replayed
            .verdict
            .cut
            .filter(|end| end.digest.is_none())?;
        Some(format!(
            "{}\n  none of it can be replayed: it stops before its first mark, the point up to which all nodes have \
             handed over their arrivals (whole blocks hold up to {} cycles)",
            end.cut, end.most_cycles
        ))
    }

    /// Prints the results.
    pub(super) fn show(&self, resolved: &Resolved) -> Result<(), Exit> {
        let results = self.replayed.simulated.as_ref();
        let results = results.map(|simulated| Results::new(resolved, simulated));
        if self.args.json {
            let found = &Found {
                results: results.as_ref(),
                replay: self.json(),
            };
            print_found(&provenance(resolved).with(found), true, String::new)?;
        } else {
            let results = results.as_ref().filter(|_| !self.args.trace);
            let figures = results.map(flitwork_results::text).unwrap_or_default();
            print(&(figures + &self.text()))?;
        }
        if let Some(results) = &results {
            say_failure(resolved, results);
        }
        Ok(())
    }

    /// The lines about the selected nodes, and about the packets in the node where the replay stops.
    fn text(&self) -> String {
        let mut text = String::new();
        for (node, did) in self.selected_nodes() {
            let _ = writeln!(text, "node {node}: {did}");
        }
        for wait in self.waits_until() {
            let _ = writeln!(
                text,
                "packet {}.{} to node {}: {}",
                wait.packet.source, wait.packet.serial, wait.destination, wait.place
            );
        }
        text
    }

    fn selected_nodes(&self) -> impl Iterator<Item = &(NodeId, ReplayedNode)> {
        let wanted = |(node, _): &&(NodeId, ReplayedNode)| self.args.node.contains(node);
        self.replayed.nodes.iter().filter(wanted)
    }

    fn waits_until(&self) -> impl Iterator<Item = &Wait> {
        let here = |wait: &&Wait| self.args.until.is_some_and(|(node, _)| node == wait.node);
        self.replayed.waits.iter().filter(here)
    }

    /// The same for JSON.
    fn json(&self) -> ReplayJson {
        let verdict = &self.replayed.verdict;
        let first = verdict.difference.as_ref().or(verdict.impossible.as_ref());
        let (least, most) = self.cycles();
        ReplayJson {
            verdict: self.verdict_word(),
            difference: first.map(ToString::to_string),
            cut: verdict.cut.map(|end| Cut {
                whole_bytes: end.cut.offset,
                least_cycles: least.get(),
                most_cycles: most.get(),
                recorded_cycles: end.most_cycles.get(),
            }),
            nodes: json::nodes(self.selected_nodes()),
            until: self.args.until.map(|(node, cycle)| Until {
                node: node.0,
                cycle: cycle.get(),
                reached: self.missed().is_none(),
                packets: json::packets(self.waits_until()),
            }),
        }
    }

    fn verdict_word(&self) -> &'static str {
        let verdict = &self.replayed.verdict;
        match () {
            () if verdict.fault.is_some() => "broken off",
            () if verdict.difference.is_some() => "differs",
            () if verdict.interrupted => "interrupted",
            () if !self.args.what_if => "agrees",
            () if verdict.impossible.is_some() => "impossible",
            () => "possible",
        }
    }

    /// The fewest and the most cycles that a node was replayed.
    fn cycles(&self) -> (Cycle, Cycle) {
        let cycles = || self.replayed.nodes.iter().map(|(_, did)| did.cycles);
        let (least, most) = (cycles().min(), cycles().max());
        (least.unwrap_or(Cycle::ZERO), most.unwrap_or(Cycle::ZERO))
    }

    /// If the node of `--until` never reached the cycle given there: the node, how many cycles it ran, and that
    /// cycle.
    fn missed(&self) -> Option<(NodeId, Cycle, Cycle)> {
        let (at, cycle) = self.args.until?;
        let (_, did) = self.replayed.nodes.iter().find(|(node, _)| *node == at)?;
        (did.cycles < cycle).then_some((at, did.cycles, cycle))
    }

    /// Reports how the replay compares with its record.
    pub(super) fn say(&self) -> Result<Code, Exit> {
        let verdict = &self.replayed.verdict;
        if let Some(impossible) = &verdict.impossible {
            complain(&format!(
                "the first arrival that isn't possible: {impossible}"
            ));
        }
        if let Some(fault) = &verdict.fault {
            return Err(Exit::Failure(format!("the replay was aborted: {fault}")));
        }
        if let Some(difference) = &verdict.difference {
            complain(&format!("the replay differs from its record: {difference}"));
            return Ok(Code(DIFFERS));
        }
        if verdict.interrupted {
            complain(match self.args.what_if {
                true => "interrupted",
                false => "interrupted: the replay agrees with its record so far",
            });
            return Ok(Code(INTERRUPTED));
        }
        let missed = self.missed();
        if let Some((node, ran, cycle)) = missed {
            complain(&format!(
                "node {node} runs for {ran} cycles and never reaches cycle {cycle}"
            ));
        }
        match &verdict.cut {
            Some(cut) => complain(&self.say_cut(cut)),
            None if self.args.until.is_some() && missed.is_none() => {
                complain(match self.args.what_if {
                    true => "replayed up to the cycle of --until",
                    false => "the replay agrees with its record up to the cycle of --until",
                });
            }
            None => self.say_whole(),
        }
        Ok(Code(FINE))
    }

    /// How much of a record that stops early was replayed, and whether it agrees so far.
    fn say_cut(&self, end: &CutEnd) -> String {
        let (least, most) = self.cycles();
        let cycles = match least == most {
            true => most.to_string(),
            false => format!("{least} to {most}"),
        };
        let agrees = match &self.replayed.simulated {
            _ if self.args.what_if => String::new(),
            Some(simulated) => format!(
                "; so far the replay agrees with its record: digest {}",
                simulated.digest
            ),
            None => "; so far the replay agrees with its record".to_owned(),
        };
        format!(
            "{}\n{cycles} of at least {} cycles were replayed, up to the record's last mark{agrees}",
            end.cut, end.most_cycles
        )
    }

    fn say_whole(&self) {
        let nodes = self.replayed.nodes.len();
        match &self.replayed.simulated {
            Some(simulated) if !self.args.what_if => complain(&format!(
                "the replay agrees with its record: digest {}",
                simulated.digest
            )),
            Some(_) if self.replayed.verdict.impossible.is_none() => {
                complain("every arrival of the record was possible");
            }
            Some(_) => {}
            None if nodes == 1 => complain("replayed alone, the node agrees with its record"),
            None => complain(&format!(
                "replayed alone, the {nodes} nodes agree with their record"
            )),
        }
    }
}
