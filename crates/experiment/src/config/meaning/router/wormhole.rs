//! `[router.wormhole]`.

use super::set;
use crate::config::error::{ConfigError, Fault};
use crate::config::meaning::{conflict, or};
use crate::config::resolved::{RoutedWormhole, TrafficWords};
use crate::config::source::Source;
use crate::config::written::{
    Field, WormholePreset, WrittenAxisOrder, WrittenDateline, WrittenReallocation,
    WrittenSwitching, WrittenWormhole,
};
use flitwork_router::allocate::{ALLOCATORS, Allocator};
use flitwork_router::routing::{
    AxisOrder, Dateline, Freedom, ROUTINGS, RoutingError, RoutingParameters, build_routing,
};
use flitwork_router::wormhole::{Reallocation, Switching, WormholeError, WormholeParameters};
use flitwork_topology::{Grid, Topology};
use std::ops::Range;
use toml::Spanned;

const TABLE: &str = "router.wormhole";

pub(super) fn mean(
    source: &Source<'_>,
    grid: &Grid,
    seed: u64,
    table: &Spanned<WrittenWormhole>,
) -> Result<RoutedWormhole, ConfigError> {
    let written = table.get_ref();
    let mut parameters = match or(&written.preset, WormholePreset::FourStage) {
        WormholePreset::BooksimIq => WormholeParameters::booksim_iq(),
        WormholePreset::OneCycle => WormholeParameters::one_cycle(),
        WormholePreset::FourStage => WormholeParameters::default(),
    };
    set(&mut parameters.vcs, &written.vcs);
    set(&mut parameters.buffer_words, &written.buffer_words);
    set(&mut parameters.switching, &written.switching);
    set(&mut parameters.route_cycles, &written.route_cycles);
    let vc_allocation = &written.vc_allocation_cycles;
    set(&mut parameters.vc_allocation_cycles, vc_allocation);
    let switch_allocation = &written.switch_allocation_cycles;
    set(&mut parameters.switch_allocation_cycles, switch_allocation);
    set(&mut parameters.traversal_cycles, &written.traversal_cycles);
    set(&mut parameters.credit_cycles, &written.credit_cycles);
    set(&mut parameters.injection_cycles, &written.injection_cycles);
    set(&mut parameters.speculative, &written.speculative);
    let vc = (
        "vc_iterations",
        &written.vc_allocator,
        &written.vc_iterations,
    );
    parameters.vc_allocator = allocator(source, vc)?;
    let switch = (
        "switch_iterations",
        &written.switch_allocator,
        &written.switch_iterations,
    );
    parameters.switch_allocator = allocator(source, switch)?;
    let checked = parameters.check(grid.ports() + 1);
    checked.map_err(|error| refused(source, table, &error))?;
    let routing = routing(written, parameters.vcs, seed);
    let allow_deadlock = or(&written.allow_deadlock, false);
    if let Err(error) = build_routing(&routing, grid) {
        return Err(misrouted(source, table, &error));
    }
    parameters.reallocation = match &written.reallocation {
        Some(given) => (*given.get_ref()).into(),
        None if needs_empty_buffers(&routing, parameters.switching) => Reallocation::BufferEmpty,
        None => Reallocation::TailSent,
    };
    let wormhole = RoutedWormhole {
        parameters,
        routing,
        allow_deadlock,
    };
    if !allow_deadlock {
        refuse_deadlock(source, table, &wormhole)?;
    }
    Ok(wormhole)
}

/// An allocator by its name; `iterations` are those of iSLIP.
fn allocator(
    source: &Source<'_>,
    (key, name, iterations): (&str, &Field<String>, &Field<u8>),
) -> Result<Allocator, ConfigError> {
    let name = name
        .as_ref()
        .map_or("islip", |name| name.get_ref().as_str());
    let named = ALLOCATORS.iter().find(|entry| entry.name == name);
    match (named.map(|entry| entry.allocator), iterations) {
        (Some(Allocator::Islip(_)) | None, iterations) => Ok(Allocator::Islip(or(iterations, 1))),
        (Some(allocator), None) => Ok(allocator),
        (Some(_), Some(given)) => {
            let allowed = format!("nothing: the allocator {name} doesn't iterate");
            let key = format!("{TABLE}.{key}");
            Err(conflict(source, &given.span(), &key, allowed))
        }
    }
}

fn routing(written: &WrittenWormhole, vcs: u8, seed: u64) -> RoutingParameters {
    let name = written.routing.as_ref().map(Spanned::get_ref);
    let given = |dateline: &Spanned<WrittenDateline>| match dateline.get_ref() {
        WrittenDateline::Wrapping => Dateline::Wrapping,
        WrittenDateline::Crossed => Dateline::Crossed,
    };
    let order = |order: &Spanned<WrittenAxisOrder>| match order.get_ref() {
        WrittenAxisOrder::XFirst => AxisOrder::XFirst,
        WrittenAxisOrder::XLast => AxisOrder::XLast,
    };
    RoutingParameters {
        name: name.map_or("dimension-order", String::as_str).into(),
        channels: vcs,
        seed,
        dateline: written.dateline.as_ref().map(given),
        axis_order: written.axis_order.as_ref().map(order),
        misroutes: written.misroutes.as_ref().map(|count| *count.get_ref()),
    }
}

/// Whether a routing function is free of deadlock only where no buffer holds words of two worms: escape
/// channels of wormholes (Duato 1993). Packets that are stored whole may follow each other.
fn needs_empty_buffers(routing: &RoutingParameters, switching: Switching) -> bool {
    freedom(routing) == Freedom::Escape && switching == Switching::Wormhole
}

fn freedom(routing: &RoutingParameters) -> Freedom {
    let named = ROUTINGS.iter().find(|entry| entry.name == routing.name);
    named.map_or(Freedom::None, |entry| entry.freedom)
}

/// Refuses what may deadlock by its own declaration.
fn refuse_deadlock(
    source: &Source<'_>,
    table: &Spanned<WrittenWormhole>,
    wormhole: &RoutedWormhole,
) -> Result<(), ConfigError> {
    let RoutedWormhole {
        parameters,
        routing,
        ..
    } = wormhole;
    let written = table.get_ref();
    let hint = "allow_deadlock = true runs it all the same; flitwork check names a circle";
    let at_once = parameters.reallocation == Reallocation::TailSent;
    if freedom(routing) == Freedom::None {
        let span = span_of(written, "routing").unwrap_or_else(|| table.span());
        let key = format!("{TABLE}.routing");
        let allowed = "a routing function that is free of deadlock, or allow_deadlock = true";
        let found = format!("{key} is {:?}, which may deadlock", routing.name);
        let error = source.error(Fault::Conflict, &span, found);
        return Err(error
            .about(&key)
            .allowed_is(allowed)
            .hinted(Some(hint.into())));
    }
    if at_once && needs_empty_buffers(routing, parameters.switching) {
        let key = format!("{TABLE}.reallocation");
        let span = span_of(written, "reallocation").unwrap_or_else(|| table.span());
        let allowed = format!(
            "\"buffer-empty\": escape channels free {} of deadlock only where no buffer holds words of two worms",
            routing.name
        );
        return Err(conflict(source, &span, &key, allowed).hinted(Some(hint.into())));
    }
    Ok(())
}

/// Refuses packets that a buffer can't hold whole where it has to.
pub(super) fn hold_words(
    source: &Source<'_>,
    wormhole: &RoutedWormhole,
    table: &Spanned<WrittenWormhole>,
    words: &TrafficWords,
) -> Result<(), ConfigError> {
    let WormholeParameters {
        buffer_words,
        switching,
        ..
    } = wormhole.parameters;
    if switching == Switching::Wormhole || words.most <= buffer_words {
        return Ok(());
    }
    let own = span_of(table.get_ref(), "buffer_words");
    let span = own.or(words.span.clone()).unwrap_or_else(|| table.span());
    let found = format!(
        "{TABLE}.buffer_words is {buffer_words}, and packets have up to {} words",
        words.most
    );
    let error = source.error(Fault::Conflict, &span, found);
    Err(error
        .about("router.wormhole.buffer_words")
        .allowed_is(format!(
            "{} or more: with this switching a buffer holds a whole packet",
            words.most
        )))
}

fn span_of(written: &WrittenWormhole, key: &str) -> Option<Range<usize>> {
    fn span<T>(field: &Field<T>) -> Option<Range<usize>> {
        field.as_ref().map(Spanned::span)
    }
    match key {
        "vcs" => span(&written.vcs),
        "buffer_words" => span(&written.buffer_words),
        "routing" => span(&written.routing),
        "dateline" => span(&written.dateline),
        "axis_order" => span(&written.axis_order),
        "misroutes" => span(&written.misroutes),
        "reallocation" => span(&written.reallocation),
        "vc_allocation_cycles" => span(&written.vc_allocation_cycles),
        _ => None,
    }
}

/// The mistake that the router's own check found.
fn refused(
    source: &Source<'_>,
    table: &Spanned<WrittenWormhole>,
    error: &WormholeError,
) -> ConfigError {
    let span = span_of(table.get_ref(), error.key).unwrap_or_else(|| table.span());
    let key = format!("{TABLE}.{}", error.key);
    source
        .error(Fault::Conflict, &span, format!("{key} is {}", error.found))
        .about(&key)
        .allowed_is(&*error.allowed)
}

/// The mistake that the routing function found.
fn misrouted(
    source: &Source<'_>,
    table: &Spanned<WrittenWormhole>,
    error: &RoutingError,
) -> ConfigError {
    let written = table.get_ref();
    // The routing function's own names for its parameters are the table's, but for two.
    let name = match error.key() {
        "channels" => "vcs",
        "name" => "routing",
        name => name,
    };
    let span = span_of(written, name).or_else(|| span_of(written, "routing"));
    let span = span.unwrap_or_else(|| table.span());
    let key = format!("{TABLE}.{name}");
    source
        .error(
            Fault::Conflict,
            &span,
            format!("{key} is {}", error.found()),
        )
        .about(&key)
        .allowed_is(error.allowed())
}

impl From<WrittenSwitching> for Switching {
    fn from(written: WrittenSwitching) -> Switching {
        match written {
            WrittenSwitching::Wormhole => Switching::Wormhole,
            WrittenSwitching::CutThrough => Switching::CutThrough,
            WrittenSwitching::StoreAndForward => Switching::StoreAndForward,
        }
    }
}

impl From<WrittenReallocation> for Reallocation {
    fn from(written: WrittenReallocation) -> Reallocation {
        match written {
            WrittenReallocation::TailSent => Reallocation::TailSent,
            WrittenReallocation::BufferEmpty => Reallocation::BufferEmpty,
        }
    }
}
