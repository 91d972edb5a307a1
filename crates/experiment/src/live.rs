//! A configuration, run live or replayed.

use crate::config::Resolved;
use crate::machine::{Driver, drive};
use flitwork_engine::Control;
use flitwork_live::{
    Lived, Options, RecordTo, ReplayError, ReplayOptions, Replayed, live, replay,
};
use flitwork_network::{Load, Network};
use flitwork_node::{Probe, Stepped};
use flitwork_topology::Grid;
use std::io::{self, Read};

/// Runs a load live on a configuration's network.
///
/// # Errors
/// As [`flitwork_live::live`].
pub fn execute_live<P: Probe + Send + 'static>(
    resolved: &Resolved,
    load: Load,
    options: &Options,
    record: Option<RecordTo>,
    probes: impl FnMut() -> P,
    control: Control<'_>,
) -> io::Result<Lived<P>> {
    struct Live<'a, 'c, F> {
        load: Load,
        options: &'a Options,
        record: Option<RecordTo>,
        probes: F,
        control: Control<'c>,
    }
    impl<P: Probe + Send + 'static, F: FnMut() -> P> Driver for Live<'_, '_, F> {
        type Outcome = io::Result<Lived<P>>;

        fn drive<R>(self, network: Network<Grid, R>) -> Self::Outcome
        where
            R: Stepped + Send + Sync + 'static,
            R::Node: 'static,
        {
            let Live {
                load,
                options,
                record,
                probes,
                control,
            } = self;
            live(network, load, options, record, probes, control)
        }
    }
    drive(
        resolved,
        Live {
            load,
            options,
            record,
            probes,
            control,
        },
    )
}

/// Replays a record on a configuration's network; `open` opens its file.
///
/// # Errors
/// As [`flitwork_live::replay`].
pub fn execute_replay<P: Probe + Send + 'static>(
    resolved: &Resolved,
    load: Load,
    options: &ReplayOptions,
    open: impl Fn() -> io::Result<Box<dyn Read + Send>>,
    probes: impl FnMut() -> P,
    control: Control<'_>,
) -> Result<Replayed<P>, ReplayError> {
    struct Replay<'a, 'c, O, F> {
        load: Load,
        options: &'a ReplayOptions,
        open: O,
        probes: F,
        control: Control<'c>,
    }
    impl<P, O, F> Driver for Replay<'_, '_, O, F>
    where
        P: Probe + Send + 'static,
        O: Fn() -> io::Result<Box<dyn Read + Send>>,
        F: FnMut() -> P,
    {
        type Outcome = Result<Replayed<P>, ReplayError>;

        fn drive<R>(self, network: Network<Grid, R>) -> Self::Outcome
        where
            R: Stepped + Send + Sync + 'static,
            R::Node: 'static,
        {
            let Replay {
                load,
                options,
                open,
                probes,
                control,
            } = self;
            replay(network, load, options, open, probes, control)
        }
    }
    drive(
        resolved,
        Replay {
            load,
            options,
            open,
            probes,
            control,
        },
    )
}
