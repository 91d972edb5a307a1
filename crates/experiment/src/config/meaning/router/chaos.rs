//! `[router.chaos]`.

use super::set;
use crate::config::check::nearest;
use crate::config::error::{ConfigError, Fault};
use crate::config::keys::MAX_ROUTER_CYCLES;
use crate::config::meaning::{conflict, or};
use crate::config::source::{Source, shown};
use crate::config::written::{Leaving, Pointer, Policy, Preset, WrittenChaos};
use flitwork_router::chaos::{
    ChaosError, ChaosParameters, Delivery, InitialPointer, MultiqueuePolicy,
};
use flitwork_topology::{Grid, Topology};
use flitwork_types::Port;
use std::ops::Range;
use toml::Spanned;

pub(super) fn mean(
    source: &Source<'_>,
    grid: &Grid,
    table: &Spanned<WrittenChaos>,
) -> Result<ChaosParameters, ConfigError> {
    let written = table.get_ref();
    let mut chaos = match or(&written.preset, Preset::Chinn1995) {
        Preset::Chinn1995 => ChaosParameters::chinn_1995(grid.ports()),
        Preset::ChaosChip => ChaosParameters::chaos_chip(grid.ports()),
    };
    set(&mut chaos.packet_words, &written.packet_words);
    set(
        &mut chaos.decision_latency_cycles,
        &written.decision_latency_cycles,
    );
    // Frames follow the packet, and so does the release, unless they are given: both presets have
    // frames of one packet, and a release of latency + words.
    chaos.frame_words = or(&written.frame_words, chaos.packet_words);
    let release = chaos.decision_latency_cycles + u32::from(chaos.packet_words);
    let release = release.min(MAX_ROUTER_CYCLES as u32);
    chaos.input_release_cycles = or(&written.input_release_cycles, release);
    set(&mut chaos.multiqueue_frames, &written.multiqueue_frames);
    set(
        &mut chaos.stall_threshold_cycles,
        &written.stall_threshold_cycles,
    );
    set(&mut chaos.initial_pointer, &written.initial_pointer);
    set(&mut chaos.multiqueue_policy, &written.multiqueue_policy);
    set(&mut chaos.derouting, &written.derouting);
    set(&mut chaos.bypass, &written.bypass);
    set(&mut chaos.cut_through, &written.cut_through);
    set(&mut chaos.delivery, &written.delivery);
    if let Some(order) = &written.scan_order {
        let ports = scan_order(source, grid, order)?;
        let set = chaos.set_scan_order(ports, grid.ports());
        set.map_err(|error| {
            conflict(
                source,
                &order.span(),
                "router.chaos.scan_order",
                error.allowed,
            )
        })?;
    }
    let checked = chaos.check();
    checked.map_err(|error| refused(source, table, &chaos, &error))?;
    Ok(chaos)
}

impl From<Pointer> for InitialPointer {
    fn from(written: Pointer) -> InitialPointer {
        match written {
            Pointer::Fixed => InitialPointer::Fixed,
            Pointer::Random => InitialPointer::Random,
        }
    }
}

impl From<Policy> for MultiqueuePolicy {
    fn from(written: Policy) -> MultiqueuePolicy {
        match written {
            Policy::OldestFirst => MultiqueuePolicy::OldestFirst,
            Policy::NewestFirst => MultiqueuePolicy::NewestFirst,
            Policy::Random => MultiqueuePolicy::Random,
        }
    }
}

impl From<Leaving> for Delivery {
    fn from(written: Leaving) -> Delivery {
        match written {
            Leaving::Frame => Delivery::Frame,
            Leaving::Vanish => Delivery::Vanish,
        }
    }
}

/// The ports of a scan order: each link port once.
fn scan_order(
    source: &Source<'_>,
    grid: &Grid,
    order: &Spanned<Vec<Spanned<String>>>,
) -> Result<Vec<Port>, ConfigError> {
    const KEY: &str = "router.chaos.scan_order";
    let names: Vec<String> = (0..grid.ports())
        .map(|port| grid.port_name(Port(port as u8)))
        .collect();
    let allowed = format!("each link port once: {}", names.join(", "));
    let error = |span: &Range<usize>, found: String| {
        source
            .error(Fault::Conflict, span, found)
            .about(KEY)
            .allowed_is(allowed.as_str())
    };
    let mut ports = Vec::new();
    for (index, given) in order.get_ref().iter().enumerate() {
        let Some(port) = names.iter().position(|name| name == given.get_ref()) else {
            let near = nearest(given.get_ref(), names.iter().map(String::as_str));
            let found = format!(
                "{KEY}[{index}] is {:?}, no link port",
                shown(given.get_ref())
            );
            return Err(error(&given.span(), found)
                .hinted(near.map(|name| format!("did you mean {name:?}?"))));
        };
        let port = Port(port as u8);
        if ports.contains(&port) {
            let found = format!("{KEY} names {:?} twice", given.get_ref());
            return Err(error(&given.span(), found));
        }
        ports.push(port);
    }
    let absent = |port: &usize| !ports.contains(&Port(*port as u8));
    let absent: Vec<&str> = (0..names.len())
        .filter(absent)
        .map(|port| names[port].as_str())
        .collect();
    if absent.is_empty() {
        return Ok(ports);
    }
    Err(error(
        &order.span(),
        format!("{KEY} lacks {}", absent.join(", ")),
    ))
}

/// The mistake that the router's own check found.
fn refused(
    source: &Source<'_>,
    table: &Spanned<WrittenChaos>,
    chaos: &ChaosParameters,
    error: &ChaosError,
) -> ConfigError {
    let written = table.get_ref();
    let words = written.packet_words.as_ref().map(Spanned::span);
    let latency = written.decision_latency_cycles.as_ref().map(Spanned::span);
    let release = written.input_release_cycles.as_ref().map(Spanned::span);
    let key = format!("router.chaos.{}", error.key);
    let least = u64::from(chaos.least_release_cycles());
    let given = format!("{key} is {}", error.found);
    let (span, found, allowed) = match error.key {
        // A packet takes so long to leave that no release is late enough.
        "input_release_cycles" if least > MAX_ROUTER_CYCLES => (
            latency.or(words),
            format!("{key} would be at least {least}, decision_latency_cycles + packet_words - 1"),
            format!("at most {MAX_ROUTER_CYCLES}"),
        ),
        "input_release_cycles" => {
            let reason = "a frame isn't free before its last word has left, decision_latency_cycles + packet_words - 1";
            (
                release,
                given,
                format!("{least} to {MAX_ROUTER_CYCLES}: {reason}"),
            )
        }
        "frame_words" => {
            let frame = written.frame_words.as_ref().map(Spanned::span);
            (frame.or(words), given, error.allowed.clone())
        }
        _ => (words, given, error.allowed.clone()),
    };
    let span = span.unwrap_or_else(|| table.span());
    source
        .error(Fault::Conflict, &span, found)
        .about(&key)
        .allowed_is(allowed)
}
