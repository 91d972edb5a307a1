//! Waveforms as wellen reads them.

use std::collections::BTreeMap;
use std::path::Path;
use wellen::simple::{self, Waveform};
use wellen::{TimescaleUnit, VarType};

/// A waveform's signals by their names, each with its changes in order: what it has from a time on, `None` for `z`.
pub(crate) struct Read {
    pub(crate) signals: BTreeMap<String, Vec<(u64, Option<u64>)>>,
    /// A unit of its time, in ps.
    pub(crate) unit_ps: u64,
    pub(crate) last: u64,
    pub(crate) date: String,
}

pub(crate) fn read(path: &Path) -> Read {
    let mut wave = simple::read(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let unit = wave.hierarchy().timescale().unwrap();
    let unit_ps = match unit.unit {
        TimescaleUnit::PicoSeconds => 1,
        TimescaleUnit::NanoSeconds => 1000,
        other => panic!("{other:?}"),
    };
    assert_eq!(unit.factor, 1);
    let vars: Vec<_> = {
        let hierarchy = wave.hierarchy();
        let vars = hierarchy.all_vars().map(|var| {
            let var = &hierarchy[var];
            let kind = var.var_type();
            (var.full_name(hierarchy), var.signal_ref(), kind)
        });
        vars.collect()
    };
    let ids: Vec<_> = vars.iter().map(|(_, signal, _)| *signal).collect();
    wave.load_signals(&ids);
    let mut signals = BTreeMap::new();
    for (name, signal, kind) in vars {
        if kind == VarType::Parameter {
            continue;
        }
        let before = signals.insert(name.clone(), changes(&wave, signal));
        assert!(before.is_none(), "two signals are called {name}");
    }
    Read {
        signals,
        unit_ps,
        last: *wave.time_table().last().unwrap(),
        date: wave.hierarchy().date().to_owned(),
    }
}

fn changes(wave: &Waveform, signal: wellen::SignalRef) -> Vec<(u64, Option<u64>)> {
    let signal = wave.get_signal(signal).unwrap();
    let value = |bits: String| match bits.contains(['z', 'x']) {
        true => {
            assert!(bits.bytes().all(|bit| bit == bits.as_bytes()[0]), "{bits}");
            (bits.as_bytes()[0] == b'z').then_some(None)
        }
        false => Some(Some(u64::from_str_radix(&bits, 2).unwrap())),
    };
    let changes = signal.iter_changes();
    // Before the beginning, signals are unknown.
    let known = changes.filter_map(|(place, it)| {
        let value = value(it.to_bit_string().unwrap())?;
        Some((wave.time_table()[place as usize], value))
    });
    known.collect()
}

impl Read {
    /// What a signal has at a time.
    pub(crate) fn at(&self, name: &str, time: u64) -> Option<u64> {
        let changes = self.signals.get(name)?;
        let after = changes.partition_point(|(at, _)| *at <= time);
        changes[after.checked_sub(1)?].1
    }
}
