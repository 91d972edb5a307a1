//! Whole networks, run within the test process: one binary, since each binary links the whole simulator.
//!
//! ```sh
//! cargo test --test networks identity::    # the tests of one file
//! ```

#[path = "adversary.rs"]
mod adversary;
#[path = "agreement.rs"]
mod agreement;
#[path = "agreement/packets.rs"]
mod agreement_of_packets;
#[path = "any_configuration.rs"]
mod any_configuration;
#[path = "back_annotated.rs"]
mod back_annotated;
#[path = "beside.rs"]
mod beside;
#[path = "bufferless.rs"]
mod bufferless;
#[path = "changing_clocks.rs"]
mod changing_clocks;
#[path = "clocked.rs"]
mod clocked;
#[path = "closed_forms.rs"]
mod closed_forms;
mod common;
#[path = "contract.rs"]
mod contract;
#[path = "cuts.rs"]
mod cuts;
#[path = "deadlines.rs"]
mod deadlines;
#[path = "deadlock.rs"]
mod deadlock;
#[path = "debugging.rs"]
mod debugging;
#[path = "deflection.rs"]
mod deflection;
#[path = "embed.rs"]
mod embed;
#[path = "exact_latency.rs"]
mod exact_latency;
#[path = "examples.rs"]
mod examples;
#[path = "exhaustive.rs"]
mod exhaustive;
#[path = "experiments.rs"]
mod experiments;
#[path = "exports.rs"]
mod exports;
#[path = "failing.rs"]
mod failing;
#[path = "figures.rs"]
mod figures;
#[path = "forks.rs"]
mod forks;
#[path = "fuzz_records.rs"]
mod fuzz_records;
#[path = "half_duplex.rs"]
mod half_duplex;
#[path = "identity.rs"]
mod identity;
#[path = "independent.rs"]
mod independent;
#[path = "last_words.rs"]
mod last_words;
#[path = "late_words.rs"]
mod late_words;
#[path = "live.rs"]
mod live;
#[path = "lone_packet.rs"]
mod lone_packet;
#[path = "looks.rs"]
mod looks;
#[path = "metastability.rs"]
mod metastability;
#[path = "overload.rs"]
mod overload;
#[path = "own_format.rs"]
mod own_format;
#[path = "own_parts.rs"]
mod own_parts;
#[path = "own_routing.rs"]
mod own_routing;
#[path = "own_study.rs"]
mod own_study;
#[path = "own_traffic.rs"]
mod own_traffic;
#[path = "queueing.rs"]
mod queueing;
#[path = "read_keys.rs"]
mod read_keys;
#[path = "recorded_ports.rs"]
mod recorded_ports;
#[path = "scheduled.rs"]
mod scheduled;
#[path = "slow_links.rs"]
mod slow_links;
#[path = "soak.rs"]
mod soak;
#[path = "steadiness.rs"]
mod steadiness;
#[path = "switches.rs"]
mod switches;
#[path = "tables.rs"]
mod tables;
#[path = "timeline.rs"]
mod timeline;
#[path = "timing.rs"]
mod timing;
#[path = "traces.rs"]
mod traces;
#[path = "verdicts.rs"]
mod verdicts;
#[path = "wide_nodes.rs"]
mod wide_nodes;
