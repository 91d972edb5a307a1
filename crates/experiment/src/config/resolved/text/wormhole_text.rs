//! A wormhole router, written out.

use super::{RoutedWormhole, entry, quoted, table};
use flitwork_router::allocate::{ALLOCATORS, Allocator};
use flitwork_router::routing::{AxisOrder, Dateline};
use flitwork_router::wormhole::{Reallocation, Switching};

pub(super) fn write(out: &mut String, wormhole: &RoutedWormhole) {
    let RoutedWormhole {
        parameters,
        routing,
        allow_deadlock,
    } = wormhole;
    table(out, "router.wormhole");
    entry(out, "vcs", parameters.vcs);
    entry(out, "buffer_words", parameters.buffer_words);
    entry(out, "routing", quoted(&routing.name));
    if let Some(dateline) = routing.dateline {
        let name = match dateline {
            Dateline::Wrapping => "wrapping",
            Dateline::Crossed => "crossed",
        };
        entry(out, "dateline", quoted(name));
    }
    if let Some(order) = routing.axis_order {
        let name = match order {
            AxisOrder::XFirst => "x-first",
            AxisOrder::XLast => "x-last",
        };
        entry(out, "axis_order", quoted(name));
    }
    if let Some(misroutes) = routing.misroutes {
        entry(out, "misroutes", misroutes);
    }
    let switching = match parameters.switching {
        Switching::Wormhole => "wormhole",
        Switching::CutThrough => "cut-through",
        Switching::StoreAndForward => "store-and-forward",
    };
    entry(out, "switching", quoted(switching));
    let reallocation = match parameters.reallocation {
        Reallocation::TailSent => "tail-sent",
        Reallocation::BufferEmpty => "buffer-empty",
    };
    entry(out, "reallocation", quoted(reallocation));
    let stages = [
        ("route_cycles", parameters.route_cycles),
        ("vc_allocation_cycles", parameters.vc_allocation_cycles),
        (
            "switch_allocation_cycles",
            parameters.switch_allocation_cycles,
        ),
        ("traversal_cycles", parameters.traversal_cycles),
        ("credit_cycles", parameters.credit_cycles),
        ("injection_cycles", parameters.injection_cycles),
    ];
    for (key, cycles) in stages {
        entry(out, key, cycles);
    }
    entry(out, "speculative", parameters.speculative);
    write_allocator(out, "vc", parameters.vc_allocator);
    write_allocator(out, "switch", parameters.switch_allocator);
    entry(out, "allow_deadlock", allow_deadlock);
}

fn write_allocator(out: &mut String, of: &str, allocator: Allocator) {
    let kind = std::mem::discriminant(&allocator);
    let same = |named: &Allocator| std::mem::discriminant(named) == kind;
    let named = ALLOCATORS.iter().find(|entry| same(&entry.allocator));
    let name = named.map_or("islip", |entry| entry.name);
    entry(out, &format!("{of}_allocator"), quoted(name));
    if let Allocator::Islip(iterations) = allocator {
        entry(out, &format!("{of}_iterations"), iterations);
    }
}
