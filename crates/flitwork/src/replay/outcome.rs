//! The result of a replay, and how it is printed.

use super::json::{Cut, Found, Node, Packet, Replay as ReplayJson, Until};
use crate::args::Replay;
use crate::exit::{Code, DIFFERS, Exit, FINE, INTERRUPTED, complain, print, print_found};
use crate::program::program;
use crate::show::say_failure;
use flitwork_config::Resolved;
use flitwork_experiment::live::replay::{
    CutEnd, NodeTold, Replayed, ReplayedSubset, Verdict, Wait,
};
use flitwork_experiment::simulate::Simulated;
use flitwork_report::Sourced;
use flitwork_results::Results;
use flitwork_types::{Cycle, NodeId};
use std::fmt::Write as _;

/// The result of a replay.
pub(super) struct Outcome {
    /// The run's results; none if nodes were replayed alone.
    simulated: Option<Simulated>,
    /// What each replayed node did.
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

    pub(super) fn of_subset(replayed: ReplayedSubset) -> Outcome {
        Outcome {
            simulated: None,
            nodes: replayed.nodes,
            waits: replayed.waits,
            verdict: replayed.verdict,
        }
    }

    /// If nothing could be replayed, why.
    pub(super) fn nothing(&self) -> Option<String> {
        let end = self.verdict.cut.filter(|end| end.digest.is_none())?;
        Some(format!(
            "{}\n  none of it can be replayed: it stops before its first mark, the point up to which all nodes have \
             handed over their arrivals (whole blocks hold up to {} cycles)",
            end.cut, end.most_cycles
        ))
    }

    /// Prints the results.
    pub(super) fn show(&self, args: &Replay, resolved: &Resolved) -> Result<(), Exit> {
        let results = self.simulated.as_ref();
        let results = results.map(|simulated| Results::new(resolved, simulated));
        if args.json {
            let found = &Found {
                results: results.as_ref(),
                replay: self.json(args),
            };
            let provenance = &program().ran(resolved.to_toml(), resolved.run.seed);
            print_found(&Sourced { provenance, found }, true, String::new)?;
        } else {
            let results = results.as_ref().filter(|_| !args.trace);
            let figures = results.map(flitwork_results::text).unwrap_or_default();
            print(&(figures + &self.text(args)))?;
        }
        if let Some(results) = &results {
            say_failure(resolved, results);
        }
        Ok(())
    }

    /// The lines about the selected nodes, and about the packets in the node where the replay stops.
    fn text(&self, args: &Replay) -> String {
        let mut text = String::new();
        for (node, told) in self.selected_nodes(args) {
            let _ = writeln!(text, "node {node}: {told}");
        }
        for wait in self.waits_until(args) {
            let _ = writeln!(
                text,
                "packet {}.{} to node {}: {}",
                wait.packet.source, wait.packet.serial, wait.destination, wait.place
            );
        }
        text
    }

    fn selected_nodes(&self, args: &Replay) -> impl Iterator<Item = &(NodeId, NodeTold)> {
        let wanted = |(node, _): &&(NodeId, NodeTold)| args.node.contains(node);
        self.nodes.iter().filter(wanted)
    }

    fn waits_until(&self, args: &Replay) -> impl Iterator<Item = &Wait> {
        let here = |wait: &&Wait| args.until.is_some_and(|(node, _)| node == wait.node);
        self.waits.iter().filter(here)
    }

    /// The same for JSON.
    fn json(&self, args: &Replay) -> ReplayJson {
        let verdict = &self.verdict;
        let first = verdict.difference.as_ref().or(verdict.impossible.as_ref());
        let (least, most) = self.cycles();
        ReplayJson {
            verdict: self.verdict_word(args),
            difference: first.map(ToString::to_string),
            cut: verdict.cut.map(|end| Cut {
                whole_bytes: end.cut.offset,
                least_cycles: least.get(),
                most_cycles: most.get(),
                recorded_cycles: end.most_cycles.get(),
            }),
            nodes: self.selected_nodes(args).map(Node::of).collect(),
            until: args.until.map(|(node, cycle)| Until {
                node: node.0,
                cycle: cycle.get(),
                reached: self.missed(args).is_none(),
                packets: self.waits_until(args).map(Packet::of).collect(),
            }),
        }
    }

    fn verdict_word(&self, args: &Replay) -> &'static str {
        let verdict = &self.verdict;
        match () {
            () if verdict.fault.is_some() => "broken off",
            () if verdict.difference.is_some() => "differs",
            () if verdict.interrupted => "interrupted",
            () if !args.what_if => "agrees",
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

    /// If the node of `--until` never reached the cycle given there: the node, how many cycles it ran, and that
    /// cycle.
    fn missed(&self, args: &Replay) -> Option<(NodeId, Cycle, Cycle)> {
        let (args, cycle) = args.until?;
        let (_, told) = self.nodes.iter().find(|(node, _)| *node == args)?;
        (told.cycles < cycle).then_some((args, told.cycles, cycle))
    }

    /// Reports how the replay compares with its record.
    pub(super) fn say(&self, args: &Replay) -> Result<Code, Exit> {
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
            complain(match args.what_if {
                true => "interrupted",
                false => "interrupted: the replay agrees with its record so far",
            });
            return Ok(Code(INTERRUPTED));
        }
        let missed = self.missed(args);
        if let Some((node, ran, cycle)) = missed {
            complain(&format!(
                "node {node} runs for {ran} cycles and never reaches cycle {cycle}"
            ));
        }
        match &verdict.cut {
            Some(cut) => complain(&self.say_cut(args, cut)),
            None if args.until.is_some() && missed.is_none() => complain(match args.what_if {
                true => "replayed up to the cycle of --until",
                false => "the replay agrees with its record up to the cycle of --until",
            }),
            None => self.say_whole(args),
        }
        Ok(Code(FINE))
    }

    /// How much of a record that stops early was replayed, and whether it agrees so far.
    fn say_cut(&self, args: &Replay, end: &CutEnd) -> String {
        let (least, most) = self.cycles();
        let cycles = match least == most {
            true => most.to_string(),
            false => format!("{least} to {most}"),
        };
        let agrees = match &self.simulated {
            _ if args.what_if => String::new(),
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

    fn say_whole(&self, args: &Replay) {
        let nodes = self.nodes.len();
        match &self.simulated {
            Some(simulated) if !args.what_if => complain(&format!(
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
