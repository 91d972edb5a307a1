//! What a replay gave, as it is printed.

use super::told::{Cut, Found, Node, Packet, Told, Until};
use crate::args::Replay;
use crate::exit::{Code, DIFFERS, Exit, FINE, INTERRUPTED, complain, print, print_found};
use crate::program::program;
use crate::show::say_failure;
use flitwork_config::Resolved;
use flitwork_experiment::live::replay::{CutEnd, NodeTold, Replayed, ReplayedAlone, Verdict, Wait};
use flitwork_experiment::simulate::Simulated;
use flitwork_report::Sourced;
use flitwork_results::Results;
use flitwork_types::{Cycle, NodeId};
use std::fmt::Write as _;

/// What a replay gave.
pub(super) struct Outcome {
    /// What the run gives; where nodes were replayed alone, nothing.
    simulated: Option<Simulated>,
    /// What nodes did: all, or those that were replayed.
    nodes: Vec<(NodeId, NodeTold)>,
    waits: Vec<Wait>,
    verdict: Verdict,
}

impl Outcome {
    pub(super) fn whole(replayed: Replayed) -> Outcome {
        let nodes = (0..).map(NodeId).zip(replayed.nodes);
        Outcome {
            waits: replayed.simulated.waits.clone(),
            simulated: Some(replayed.simulated),
            nodes: nodes.collect(),
            verdict: replayed.verdict,
        }
    }

    pub(super) fn alone(replayed: ReplayedAlone) -> Outcome {
        Outcome {
            simulated: None,
            nodes: replayed.nodes,
            waits: replayed.waits,
            verdict: replayed.verdict,
        }
    }

    /// Why nothing was replayed at all, where that is so.
    pub(super) fn nothing(&self) -> Option<String> {
        let end = self.verdict.cut.filter(|end| end.digest.is_none())?;
        Some(format!(
            "{}\n  nothing of it can be replayed: it stops before its first mark, at which all nodes have \
             handed over what they have (whole blocks hold up to {} cycles)",
            end.cut, end.most_cycles
        ))
    }

    /// Prints the results.
    pub(super) fn show(&self, asked: &Replay, resolved: &Resolved) -> Result<(), Exit> {
        let results = self.simulated.as_ref();
        let results = results.map(|simulated| Results::new(resolved, simulated));
        if asked.json {
            let found = &Found {
                results: results.as_ref(),
                replay: self.told(asked),
            };
            let provenance = &program().ran(resolved.to_toml(), resolved.run.seed);
            print_found(&Sourced { provenance, found }, true, String::new)?;
        } else {
            let results = results.as_ref().filter(|_| !asked.trace);
            let figures = results.map(flitwork_results::text).unwrap_or_default();
            print(&(figures + &self.text(asked)))?;
        }
        if let Some(results) = &results {
            say_failure(resolved, results);
        }
        Ok(())
    }

    /// What is said of the nodes that were asked for, and of the packets in the one where it ends.
    fn text(&self, asked: &Replay) -> String {
        let mut text = String::new();
        for (node, told) in self.asked_nodes(asked) {
            let _ = writeln!(text, "node {node}: {told}");
        }
        for wait in self.waits_until(asked) {
            let _ = writeln!(
                text,
                "packet {}.{} to node {}: {}",
                wait.packet.source, wait.packet.serial, wait.destination, wait.place
            );
        }
        text
    }

    fn asked_nodes(&self, asked: &Replay) -> impl Iterator<Item = &(NodeId, NodeTold)> {
        let wanted = |(node, _): &&(NodeId, NodeTold)| asked.node.contains(node);
        self.nodes.iter().filter(wanted)
    }

    fn waits_until(&self, asked: &Replay) -> impl Iterator<Item = &Wait> {
        let here = |wait: &&Wait| asked.until.is_some_and(|(node, _)| node == wait.node);
        self.waits.iter().filter(here)
    }

    /// The same as JSON has it.
    fn told(&self, asked: &Replay) -> Told {
        let verdict = &self.verdict;
        let first = verdict.difference.as_ref().or(verdict.impossible.as_ref());
        let (least, most) = self.cycles();
        Told {
            verdict: self.verdict_word(asked),
            difference: first.map(ToString::to_string),
            cut: verdict.cut.map(|end| Cut {
                whole_bytes: end.cut.offset,
                least_cycles: least.get(),
                most_cycles: most.get(),
                recorded_cycles: end.most_cycles.get(),
            }),
            nodes: self.asked_nodes(asked).map(Node::of).collect(),
            until: asked.until.map(|(node, cycle)| Until {
                node: node.0,
                cycle: cycle.get(),
                reached: self.missed(asked).is_none(),
                packets: self.waits_until(asked).map(Packet::of).collect(),
            }),
        }
    }

    fn verdict_word(&self, asked: &Replay) -> &'static str {
        let verdict = &self.verdict;
        match () {
            () if verdict.fault.is_some() => "broken off",
            () if verdict.difference.is_some() => "differs",
            () if verdict.interrupted => "interrupted",
            () if !asked.what_if => "agrees",
            () if verdict.impossible.is_some() => "impossible",
            () => "possible",
        }
    }

    /// The fewest and the most cycles that a node was replayed.
    fn cycles(&self) -> (Cycle, Cycle) {
        let cycles = || self.nodes.iter().map(|(_, told)| told.cycles);
        let (least, most) = (cycles().min(), cycles().max());
        (least.unwrap_or(Cycle::ZERO), most.unwrap_or(Cycle::ZERO))
    }

    /// The node where the replay was to end, how many cycles it ran, and the cycle that was asked for, where
    /// it never began that.
    fn missed(&self, asked: &Replay) -> Option<(NodeId, Cycle, Cycle)> {
        let (asked, cycle) = asked.until?;
        let (_, told) = self.nodes.iter().find(|(node, _)| *node == asked)?;
        (told.cycles < cycle).then_some((asked, told.cycles, cycle))
    }

    /// Says how the replay compares with its record.
    pub(super) fn say(&self, asked: &Replay) -> Result<Code, Exit> {
        let verdict = &self.verdict;
        if let Some(impossible) = &verdict.impossible {
            complain(&format!(
                "the first arrival that isn't possible: {impossible}"
            ));
        }
        if let Some(fault) = &verdict.fault {
            return Err(Exit::Failure(format!("the replay was broken off: {fault}")));
        }
        if let Some(difference) = &verdict.difference {
            complain(&format!("the replay differs from its record: {difference}"));
            return Ok(Code(DIFFERS));
        }
        if verdict.interrupted {
            complain(match asked.what_if {
                true => "interrupted",
                false => "interrupted: the replay agrees with its record so far",
            });
            return Ok(Code(INTERRUPTED));
        }
        let missed = self.missed(asked);
        if let Some((node, ran, cycle)) = missed {
            complain(&format!(
                "node {node} runs {ran} cycles and never begins cycle {cycle}"
            ));
        }
        match &verdict.cut {
            Some(cut) => complain(&self.say_cut(asked, cut)),
            None if asked.until.is_some() && missed.is_none() => complain(match asked.what_if {
                true => "replayed as far as was asked",
                false => "the replay agrees with its record as far as was asked",
            }),
            None => self.say_whole(asked),
        }
        Ok(Code(FINE))
    }

    /// Of a record that stops early: how much of it was replayed, and what that says.
    fn say_cut(&self, asked: &Replay, end: &CutEnd) -> String {
        let (least, most) = self.cycles();
        let cycles = match least == most {
            true => most.to_string(),
            false => format!("{least} to {most}"),
        };
        let agrees = match &self.simulated {
            _ if asked.what_if => String::new(),
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

    fn say_whole(&self, asked: &Replay) {
        let nodes = self.nodes.len();
        match &self.simulated {
            Some(simulated) if !asked.what_if => complain(&format!(
                "the replay agrees with its record: digest {}",
                simulated.digest
            )),
            Some(_) if self.verdict.impossible.is_none() => {
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
