//! FST and VCD against `look` and against the words that leave.

use super::asked::{Asked, export, export_while, unit_ps};
use super::reading::{Read, read};
use crate::clocked::many_clocks;
use crate::common::live_runs::{options, recorded};
use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::EngineChoice;
use flitwork_debug::rows::Nodes;
use flitwork_debug::{TimeUnit, Timeline, Wanted, What, first_probe};
use flitwork_engine::Simulation;
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, of_record, start, start_clocked};
use flitwork_export::{ExportError, Progress};
use flitwork_live::Runtime;
use flitwork_node::{AnyProbe, PassingWord, Place, Value, View};
use flitwork_topology::{Grid, Shape, Topology};
use flitwork_types::{NodeId, PacketId, Port};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The names of waveforms, put together here once more.
struct Names<'a>(&'a Grid);

impl Names<'_> {
    fn node(&self, node: NodeId) -> String {
        let wide = |number: u32, most: u32| format!("{number:0w$}", w = most.to_string().len());
        let last = NodeId(self.0.nodes() - 1);
        let mut name = format!("a_run.n{}", wide(node.0, last.0));
        let mosts = self.0.coordinates(last);
        for (axis, (at, most)) in self.0.coordinates(node).into_iter().zip(mosts).enumerate() {
            let letter = ["x", "y", "z"]
                .get(axis)
                .map_or(format!("d{}", axis + 1), ToString::to_string);
            name += &format!("_{letter}{}", wide(at, most));
        }
        name
    }

    fn port(&self, port: Port) -> String {
        self.0.port_name(port).replace('+', "p").replace('-', "m")
    }

    fn place(&self, place: Place) -> String {
        match place {
            Place::Input(port) if port == self.0.local() => "injection_frame".into(),
            Place::Input(port) => format!("input_frame_{}", self.port(port)),
            Place::Queue => "multiqueue".into(),
            Place::Output(port) => format!("output_frame_{}", self.port(port)),
            Place::InputChannel(port, lane) => format!("input_{}_channel_{lane}", self.port(port)),
            Place::OutputChannel(port, lane) => {
                format!("output_{}_channel_{lane}", self.port(port))
            }
            Place::SideBuffer => "side_buffer".into(),
            Place::Assembly => "assembly".into(),
        }
    }

    /// What a waveform must show of a node.
    fn shown(&self, node: NodeId, view: &View) -> BTreeMap<String, u64> {
        let mut shown = BTreeMap::new();
        let node = self.node(node);
        for buffer in &view.buffers {
            let scope = format!("{node}.{}", self.place(buffer.place));
            shown.insert(format!("{scope}.packets"), buffer.held.len() as u64);
            let words = buffer.held.iter().map(|part| u64::from(part.words)).sum();
            shown.insert(format!("{scope}.words"), words);
            for (place, part) in buffer.held.iter().enumerate() {
                let of = format!("{scope}.packet{place}");
                shown.insert(format!("{of}_source"), part.packet.source.0.into());
                shown.insert(format!("{of}_serial"), part.packet.serial.into());
                shown.insert(format!("{of}_first"), part.first.into());
                shown.insert(format!("{of}_words"), part.words.into());
            }
        }
        for credit in &view.credits {
            let name = format!(
                "{node}.room_behind.{}_channel_{}",
                self.port(credit.port),
                credit.channel
            );
            shown.insert(name, credit.room.into());
        }
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for register in &view.registers {
            let name = register.name.replace(' ', "_").replace('\'', "");
            let scope = register
                .at
                .map_or(node.clone(), |at| format!("{node}.{}", self.place(at)));
            let name = format!("{scope}.{name}");
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            let name = match *count {
                1 => name,
                more => format!("{name}_{}", more - 1),
            };
            self.show_register(&name, register.value, &mut shown);
        }
        shown
    }

    fn show_register(&self, name: &str, value: Value, shown: &mut BTreeMap<String, u64>) {
        let mut show = |piece: &str, value: u64| {
            shown.insert(format!("{name}{piece}"), value);
        };
        match value {
            Value::Number(number) => show("", number),
            Value::Cycles(cycles) => show("", cycles.into()),
            Value::Port(port) => show("", port.0.into()),
            Value::Ports(ports) => show("", ports.0),
            Value::Flag(flag) => show("", flag.into()),
            Value::Packet(PacketId { source, serial }) => {
                show("_source", source.0.into());
                show("_serial", serial.into());
            }
            Value::Place(place) => {
                let (kind, port, channel) = match place {
                    Place::Input(port) => (0, Some(port), None),
                    Place::Queue => (1, None, None),
                    Place::Output(port) => (2, Some(port), None),
                    Place::InputChannel(port, lane) => (3, Some(port), Some(lane)),
                    Place::OutputChannel(port, lane) => (4, Some(port), Some(lane)),
                    Place::SideBuffer => (5, None, None),
                    Place::Assembly => (6, None, None),
                };
                show("_kind", kind);
                port.into_iter()
                    .for_each(|port| show("_port", port.0.into()));
                channel
                    .into_iter()
                    .for_each(|lane| show("_channel", lane.into()));
            }
        }
    }
}

/// At these times, the waveform shows what the run does, and nothing else.
fn shows_the_run(
    wave: &Read,
    grid: &Grid,
    make: &dyn Fn(AnyProbe) -> Box<Simulation>,
    times: &[u64],
) -> Result<(), TestCaseError> {
    let names = Names(grid);
    for time in times {
        let mut straight = make(AnyProbe::new(()));
        straight.advance(*time);
        let mut expected = BTreeMap::new();
        for node in (0..grid.nodes()).map(NodeId) {
            expected.extend(names.shown(node, &straight.look(node).unwrap()));
        }
        let held = wave.signals.keys().filter(|name| !name.contains(".link_"));
        let held = held.filter_map(|name| Some((name.clone(), wave.at(name, *time)?)));
        let held: BTreeMap<String, u64> = held.collect();
        for (name, value) in &expected {
            prop_assert_eq!(held.get(name), Some(value), "{} at {}", name, time);
        }
        for name in held.keys() {
            prop_assert!(expected.contains_key(name), "{} at {}", name, time);
        }
    }
    Ok(())
}

/// Each word that leaves is on its link; and where all nodes step in each cycle, no other is.
fn shows_the_words(
    wave: &Read,
    grid: &Grid,
    timeline: &mut Timeline,
    (from, to): (u64, u64),
) -> Result<(), TestCaseError> {
    let words = Wanted {
        words: true,
        ..Wanted::NOTHING
    };
    let (happened, _) = timeline.copy_at(from, words).advance(to);
    let names = Names(grid);
    let mut left = 0;
    for it in &happened {
        let What::Word(PassingWord {
            port,
            packet,
            index,
            channel,
        }) = it.what
        else {
            continue;
        };
        left += 1;
        let link = format!("{}.link_{}.word", names.node(it.node), names.port(port));
        for (piece, value) in [
            ("source", packet.source.0),
            ("serial", packet.serial),
            ("index", index.into()),
            ("channel", channel.into()),
        ] {
            let found = wave.at(&format!("{link}_{piece}"), it.time);
            prop_assert_eq!(
                found,
                Some(value.into()),
                "{} {} at {}",
                link,
                piece,
                it.time
            );
        }
    }
    if timeline.unit() == TimeUnit::Cycles {
        let links = wave
            .signals
            .keys()
            .filter(|name| name.ends_with(".word_index"));
        let shown = links.map(|name| (from..to).filter(|at| wave.at(name, *at).is_some()).count());
        prop_assert_eq!(shown.sum::<usize>(), left);
    }
    Ok(())
}

/// Exports in both formats and compares.
fn compare(
    make: &dyn Fn(AnyProbe) -> Box<Simulation>,
    (grid, cycle_time): (&Grid, u64),
    times: (u64, u64),
    samples: &[f64],
) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let nodes = Nodes::new(&Shape::from(grid.clone()));
    let mut timeline = Timeline::new(make(first_probe()), 1 << 22, cycle_time);
    let mut all = Vec::new();
    for format in ["fst", "vcd"] {
        let path = folder.path().join(format);
        let done = export(&mut timeline, &nodes, &Asked::of(format, times), &path).unwrap();
        prop_assert!(done.is_whole);
        let wave = read(&path);
        prop_assert_eq!(wave.unit_ps, unit_ps(timeline.unit()));
        let until = done.until;
        prop_assert!((times.0..=times.1).contains(&until), "{:?}", done);
        let at = samples
            .iter()
            .map(|part| times.0 + ((until - times.0) as f64 * part) as u64);
        let at: Vec<u64> = at.filter(|at| *at < until).chain([times.0]).collect();
        shows_the_run(&wave, grid, make, &at)?;
        shows_the_words(&wave, grid, &mut timeline, (times.0, until))?;
        all.push(wave);
    }
    prop_assert_eq!(&all[0].signals, &all[1].signals);
    Ok(())
}

fn samples() -> BoxedStrategy<Vec<f64>> {
    prop::collection::vec(0.0..1.0f64, 6).boxed()
}

properties! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn waveforms_show_what_look_shows(
        resolved in machines().boxed(),
        (from, length) in (prop_oneof![Just(0u64), 1u64..200], 1u64..300),
        samples in samples(),
    ) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let end: u64 = demand(&resolved).end.get().into();
        let times = (from.min(end - 1), (from + length).min(end));
        let make = |probe| start(&resolved, Use::Views, demand(&resolved), probe);
        compare(&make, (resolved.network.grid(), 1), times, &samples)?;
    }

    #[test]
    fn waveforms_in_ps_show_what_look_shows(
        (resolved, clocks) in many_clocks().boxed(),
        (from, length) in (prop_oneof![Just(0u64), 1u64..100], 1u64..100),
        part in 0.0..1.0f64,
        samples in samples(),
    ) {
        let period = clocks.nominal_ps;
        let end = u64::from(demand(&resolved).end.get()) * period;
        let from = (from * period + (part * period as f64) as u64).min(end - 1);
        let times = (from, (from + length * period).min(end));
        let make = |probe| start_clocked(&resolved, (clocks.clone(), 1), demand(&resolved), probe);
        compare(&make, (resolved.network.grid(), period), times, &samples)?;
    }

    #[test]
    fn waveforms_of_records_show_what_look_shows(
        resolved in machines().boxed(),
        (workers, slack) in (1usize..4, prop::option::of(0u32..9)),
        (from, length) in (0u64..200, 1u64..200),
        samples in samples(),
    ) {
        let mut resolved = resolved;
        resolved.run.drain_cycles = 20_000;
        resolved.run.deadline_cycles = 20_000;
        let (_, parts) = recorded(&resolved, &options(Runtime::Threads, slack, workers, 4));
        let make = |probe| of_record(&resolved, parts.clone(), probe).0;
        compare(&make, (resolved.network.grid(), 1), (from, from + length), &samples)?;
    }

    /// A condition leaves signals out, and changes no other; and a limit is kept to the last change.
    #[test]
    fn conditions_choose_signals(resolved in machines().boxed(), number in 0u32..9) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let folder = tempfile::tempdir().unwrap();
        let grid = resolved.network.grid();
        let node = NodeId(number % grid.nodes());
        let simulation = start(&resolved, Use::Views, demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        let nodes = Nodes::new(&Shape::from(grid.clone()));
        let path = folder.path().join("wave");
        let mut of = |filter: &str, limit| {
            let asked = Asked { filter, limit, ..Asked::of("fst", (0, 120)) };
            export(&mut timeline, &nodes, &asked, &path).map(|done| (done, read(&path)))
        };
        let (_, all) = of("", u64::MAX).unwrap();
        let filter = format!("node == {node} && (kind == 'packets' || kind == 'link' && port == 'local')");
        let (done, some) = of(&filter, u64::MAX).unwrap();
        let begin = Names(grid).node(node);
        let is_chosen = |name: &&String| {
            let ours = name.starts_with(&format!("{begin}."));
            ours && (name.ends_with(".packets") || name.contains(".link_local."))
        };
        let chosen: Vec<&String> = all.signals.keys().filter(is_chosen).collect();
        prop_assert_eq!(some.signals.keys().collect::<Vec<_>>(), chosen);
        for (name, changes) in &some.signals {
            prop_assert_eq!(changes, &all.signals[name]);
        }
        prop_assert!(of(&filter, done.count).is_ok());
        let refused = of(&filter, done.count - 1).map(|(done, _)| done);
        prop_assert!(matches!(refused, Err(ExportError::TooMany { .. })), "{:?}", refused);
    }

    /// Stopped, it holds what lies before the time to which it has come: the same as if that had been asked for.
    #[test]
    fn what_is_stopped_is_a_whole_file_of_less(
        resolved in machines().boxed(),
        calls in 0u32..4,
        format in prop_oneof![Just("fst"), Just("vcd")],
    ) {
        let mut resolved = resolved;
        resolved.run.engine = EngineChoice::Sync;
        let folder = tempfile::tempdir().unwrap();
        let simulation = start(&resolved, Use::Views, demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 22, 1);
        let nodes = Nodes::new(&resolved.network.shape);
        let path = folder.path().join("wave");
        let mut left = calls;
        let go_on = &mut |_: Progress| {
            left = left.saturating_sub(1);
            left > 0
        };
        let asked = Asked::of(format, (0, 1000));
        let done = export_while(&mut timeline, &nodes, &asked, &path, go_on).unwrap();
        let cut = read(&path);
        let again = Asked::of(format, (0, done.until.max(1)));
        let whole = export(&mut timeline, &nodes, &again, &path).unwrap();
        let whole_file = read(&path);
        if format == "fst" {
            prop_assert_eq!(cut.date.starts_with("interrupted"), !done.is_whole);
        }
        if done.until > 0 {
            prop_assert_eq!(done.until, whole.until);
            // The last step's contents lie at the end, which isn't in the other.
            let before = |read: &Read| -> Vec<_> {
                let all = read.signals.iter();
                let all = all.flat_map(|(name, it)| it.iter().map(move |it| (name.clone(), *it)));
                all.filter(|(_, (at, _))| *at < done.until).collect()
            };
            let first = before(&cut).into_iter().filter(|(_, (_, value))| value.is_some());
            let other = before(&whole_file).into_iter().filter(|(_, (_, value))| value.is_some());
            prop_assert_eq!(first.collect::<Vec<_>>(), other.collect::<Vec<_>>());
        }
    }
}
