//! A deflection router, written out.

use super::{entry, quoted, table};
use flitwork_router::deflection::{DeflectionParameters, PortChoice, Priority, Switching};

pub(super) fn write(out: &mut String, parameters: &DeflectionParameters) {
    table(out, "router.deflection");
    let switching = match parameters.switching {
        Switching::Flit => "flit",
        Switching::Worm => "worm",
    };
    entry(out, "switching", quoted(switching));
    entry(out, "priority", quoted(parameters.priority.name()));
    let choice = match parameters.port_choice {
        PortChoice::Ordered => "ordered",
        PortChoice::Random => "random",
    };
    entry(out, "port_choice", quoted(choice));
    entry(out, "eject_words", parameters.eject_words);
    entry(out, "side_buffer_flits", parameters.side_buffer_flits);
    entry(out, "redirection_cycles", parameters.redirection_cycles);
    if let Priority::Golden(golden) = parameters.priority {
        entry(out, "epoch_cycles", golden.epoch_cycles);
        entry(out, "transactions", golden.transactions);
    }
}
