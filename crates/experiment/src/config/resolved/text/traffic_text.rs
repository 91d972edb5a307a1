//! The traffic, written out.

use super::{
    Process, Resolved, TraceFormat, TraceMap, TraceParameters, entry, nodes, quoted, table,
};
use flitwork_traffic::{BatchParameters, LengthLaw, ModulatedParameters, PatternParameters};
use flitwork_traffic::{PhasesParameters, RegionRange};

pub(super) fn write(out: &mut String, resolved: &Resolved) {
    let traffic = &resolved.traffic;
    let process = &traffic.process;
    let own_lengths = matches!(
        process,
        Process::Batch(_) | Process::Schedule { .. } | Process::Trace(_)
    );
    table(out, "traffic");
    match (process, &traffic.lengths) {
        (Process::Trace(trace), _) => {
            if let Some(words) = trace.fixed_words {
                entry(out, "packet_words", words);
            }
        }
        (Process::Schedule { .. }, _) => {}
        (_, LengthLaw::Fixed { words }) if resolved.router.fixed_words().is_none() => {
            entry(out, "packet_words", words);
        }
        _ => {}
    }
    entry(out, "process", quoted(process.name()));
    write_numbers(out, process);
    if !matches!(
        process,
        Process::Phases(_)
            | Process::Schedule { .. }
            | Process::Trace(_)
            | Process::KK { .. }
            | Process::HH { .. }
    ) {
        write_pattern(out, &traffic.pattern);
    }
    if let Some(file) = &traffic.permutation_file {
        entry(out, "file", quoted(file));
    }
    if !own_lengths {
        write_lengths(out, &traffic.lengths);
    }
    write_tables(out, process);
}

fn number(value: f64) -> String {
    format!("{value:?}")
}

/// What stands directly in `[traffic]`.
fn write_numbers(out: &mut String, process: &Process) {
    match process {
        Process::Bernoulli { load } => entry(out, "load", number(*load)),
        Process::OnOff(bursts) => entry(out, "load", number(bursts.load)),
        Process::Modulated(chain) => {
            if let Some(load) = chain.load {
                entry(out, "load", number(load));
            }
        }
        Process::Phases(phases) => {
            if let Some(cycles) = phases.repeat_cycles {
                entry(out, "repeat_cycles", cycles);
            }
        }
        Process::Once { packets } => entry(out, "k", packets),
        Process::KK { k } => entry(out, "k", k),
        Process::HH { h, packets } => {
            entry(out, "k", h);
            if let Some(packets) = packets {
                entry(out, "packets", packets);
            }
        }
        Process::Batch(_) | Process::Schedule { .. } | Process::Trace(_) => {}
    }
}

/// The process's own tables.
fn write_tables(out: &mut String, process: &Process) {
    match process {
        Process::OnOff(bursts) => {
            table(out, "traffic.on-off");
            entry(out, "peak_load", number(bursts.peak_load));
            entry(out, "burst_cycles", number(bursts.burst_cycles));
        }
        Process::Modulated(chain) => write_chain(out, chain),
        Process::Phases(phases) => write_phases(out, phases),
        Process::Batch(batch) => write_batch(out, batch),
        Process::Trace(trace) => write_trace(out, trace),
        Process::Bernoulli { .. }
        | Process::Once { .. }
        | Process::Schedule { .. }
        | Process::KK { .. }
        | Process::HH { .. } => {}
    }
}

fn write_pattern(out: &mut String, pattern: &PatternParameters) {
    entry(out, "pattern", quoted(&pattern.pattern));
    if let Some(hot) = &pattern.hot_nodes {
        entry(out, "hot_nodes", nodes(hot));
    }
    if let Some(fraction) = pattern.hot_fraction {
        entry(out, "hot_fraction", number(fraction));
    }
    if let Some(destination) = pattern.destination {
        entry(out, "destination", destination);
    }
    if let Some(sources) = &pattern.sources {
        entry(out, "sources", nodes(sources));
    }
}

fn write_lengths(out: &mut String, law: &LengthLaw) {
    if matches!(law, LengthLaw::Fixed { .. }) {
        return;
    }
    table(out, "traffic.lengths");
    match law {
        LengthLaw::Fixed { .. } => {}
        LengthLaw::Uniform {
            least_words,
            most_words,
        } => {
            entry(out, "law", quoted("uniform"));
            entry(out, "least_words", least_words);
            entry(out, "most_words", most_words);
        }
        LengthLaw::Geometric {
            mean_words,
            most_words,
        } => {
            entry(out, "law", quoted("geometric"));
            entry(out, "mean_words", number(*mean_words));
            entry(out, "most_words", most_words);
        }
        LengthLaw::Weighted { lengths } => {
            let words: Vec<u16> = lengths.iter().map(|(words, _)| *words).collect();
            let weights: Vec<f64> = lengths.iter().map(|(_, weight)| *weight).collect();
            entry(out, "law", quoted("weighted"));
            entry(out, "words", format!("{words:?}"));
            entry(out, "weights", format!("{weights:?}"));
        }
    }
}

fn write_chain(out: &mut String, chain: &ModulatedParameters) {
    table(out, "traffic.modulated");
    if let Some(transitions) = &chain.transitions {
        entry(out, "transitions", format!("{transitions:?}"));
    }
    for state in &chain.states {
        table(out, "[traffic.modulated.states]");
        entry(out, "load", number(state.load));
        entry(out, "mean_cycles", number(state.mean_cycles));
    }
}

fn write_phases(out: &mut String, phases: &PhasesParameters) {
    for phase in &phases.phases {
        table(out, "[traffic.phases]");
        entry(out, "from_cycle", phase.from_cycle);
        entry(out, "load", number(phase.load));
        write_pattern(out, &phase.pattern);
    }
}

fn write_batch(out: &mut String, batch: &BatchParameters) {
    table(out, "traffic.batch");
    entry(out, "requests", batch.requests);
    if let Some(outstanding) = batch.outstanding {
        entry(out, "outstanding", outstanding);
    }
    entry(out, "request_words", batch.request_words);
    entry(out, "replies", batch.reply.is_some());
    if let Some(reply) = batch.reply {
        entry(out, "reply_words", reply.words);
        entry(out, "service_cycles", reply.service_cycles);
    }
}

fn write_trace(out: &mut String, trace: &TraceParameters) {
    table(out, "traffic.trace");
    entry(out, "file", quoted(&trace.file));
    match &trace.format {
        TraceFormat::Csv { nodes } => {
            entry(out, "format", quoted("csv"));
            entry(out, "nodes", nodes);
        }
        TraceFormat::Netrace {
            link_bytes,
            regions,
            ..
        } => {
            entry(out, "format", quoted("netrace"));
            entry(out, "link_bytes", link_bytes);
            if let Some(RegionRange { first, last }) = regions {
                entry(out, "first_region", first);
                entry(out, "last_region", last);
            }
        }
    }
    match &trace.map {
        TraceMap::InOrder => entry(out, "map", quoted("in-order")),
        TraceMap::Block { columns } => {
            entry(out, "map", quoted("block"));
            entry(out, "columns", columns);
        }
        TraceMap::Given(places) => {
            entry(out, "map", quoted("given"));
            entry(out, "places", nodes(places));
        }
    }
    entry(out, "dependencies", trace.dependencies);
    entry(out, "window_packets", trace.window_packets);
    entry(out, "read_first", trace.summary.is_some());
}
