//! `flitwork trace`.

use super::parts::ExportFile;
use super::{Settings, node_at};
use clap::{Args, Subcommand};
use flitwork_studies::options::whole;
use flitwork_studies::paths::Input;
use flitwork_types::{Cycle, NodeId, PacketId};
use flitwork_view::shown::packet_of;

pub(super) const TRACE_EXAMPLES: &str = "\
RUN is a configuration, which is run again, or the record of
a live run, as `flitwork run --record` writes it.

Examples:
  flitwork trace packets RUN --sort latency --limit 10 \\
      --where 'latency > 300 && source.x < 4'
  flitwork trace packet RUN 33.4450
  flitwork trace why RUN 33.4450
  flitwork trace node RUN 27@3000
  flitwork trace events RUN --where 'node == 27' --to 100
  flitwork trace export RUN --where 'node == 27' --fst n.fst

EXPR compares columns with numbers, names in quotes and
packets, which are written SOURCE.SERIAL: == != < <= > >=,
in 3..7 (7 isn't in it), && || ! and parentheses.
`flitwork trace info RUN` lists the columns.";

#[derive(Debug, Args)]
pub(crate) struct Trace {
    #[command(subcommand)]
    pub(crate) question: Question,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Question {
    /// What the run is, how it ends, and which columns its packets and events have.
    Info(OfRun),
    /// Its packets: their sources, destinations and times.
    Packets(Packets),
    /// One packet: its path from node to node, and where its time went.
    Packet(AskPacket),
    /// Why a packet took as long as it did: each cycle with its cause.
    Why(AskWhy),
    /// What holds packets up: the delays of many packets, added up by cause, place or culprit.
    Blame(Blame),
    /// What a node holds at one of its cycles, and what it decides next.
    Node(AtNode),
    /// What happens, event by event.
    Events(Events),
    /// Write the run to a file for other programs: waveforms, a timeline, a table.
    #[command(after_long_help = EXPORT_EXAMPLES)]
    Export(Export),
    /// Where two runs diverge: the first event that differs.
    Diff(Diff),
    /// Why the network hangs: the circle of packets that wait for each other, and when it closed.
    Hang(AskHang),
}

const EXPORT_EXAMPLES: &str = "\
EXPR chooses signals for FST and VCD, packets' stays in
nodes for Perfetto, and events for Parquet. An unknown
column is answered with a list of all.

Examples:
  flitwork trace export RUN --from 1000 --to 2000 \\
      --where 'node.x < 2 && port == \"north\"' --fst run.fst
  flitwork trace export RUN --where 'latency > 300' \\
      --perfetto slow.pftrace";

/// A part of the run's time.
#[derive(Debug, Args)]
pub(crate) struct Times {
    /// From this time on: in cycles, in ps if nodes have clocks of their own, in steps for a record.
    #[arg(long, value_name = "TIME", default_value_t = 0)]
    pub(crate) from: u64,
    /// Up to but not including this time.
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The run: a configuration, a record or an index.
    pub(crate) run: Input,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) file: ExportFile,
    /// Only signals, stays or events that match this expression.
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) times: Times,
    /// With events, also write words as they leave and arrive.
    #[arg(long)]
    pub(crate) words: bool,
    /// The most changes, stays or events to write to a file.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true, default_value_t = 50_000_000)]
    pub(crate) limit: u32,
    /// Replace an existing file.
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OfRun {
    /// The run: a configuration or a record.
    pub(crate) run: Input,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Packets {
    #[command(flatten)]
    pub(crate) of: OfRun,
    /// Print JSON Lines, one object per line.
    #[arg(long, conflicts_with = "json")]
    pub(crate) jsonl: bool,
    /// Only packets that match this expression.
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    /// Sort by this column, largest first; by default in the order of delivery.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sort: Option<String>,
    /// Print at most this many.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct One {
    #[command(flatten)]
    pub(crate) of: OfRun,
    /// The packet: its source and its serial number; with @NODE, only what happens at that node.
    #[arg(value_name = "SOURCE.SERIAL", value_parser = packet)]
    pub(crate) packet: (PacketId, Option<NodeId>),
}

#[derive(Debug, Args)]
pub(crate) struct AskPacket {
    #[command(flatten)]
    pub(crate) one: One,
    /// Print JSON Lines, one object per line.
    #[arg(long, conflicts_with = "json")]
    pub(crate) jsonl: bool,
    /// Show each of its words as it leaves and arrives; by default only the word whose path is shown.
    #[arg(long)]
    pub(crate) words: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AskWhy {
    #[command(flatten)]
    pub(crate) one: One,
    /// Run again without this packet, or without each packet that could have been in the way, one at a time, and report what
    /// that saves.
    #[arg(long, value_name = "SOURCE.SERIAL|all", value_parser = left_out)]
    pub(crate) without: Option<LeftOut>,
    /// For this many of the longest waits, show what the packet to blame does meanwhile and what it waits for itself.
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) unfold: usize,
}

/// Which packets are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// Each that is in the network with the packet and can have reached its way in time, one at a time.
    Each,
    /// This one.
    One(PacketId),
}

fn left_out(text: &str) -> Result<LeftOut, String> {
    match text {
        "all" => Ok(LeftOut::Each),
        text => match packet(text) {
            Ok((packet, None)) => Ok(LeftOut::One(packet)),
            _ => Err("allowed: a packet as SOURCE.SERIAL, or all".to_owned()),
        },
    }
}

/// What to add up delays by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// By cause.
    Cause,
    /// By the node where packets are held up.
    Node,
    /// By source and destination.
    Flow,
    /// By the link over which packets leave.
    Link,
    /// By the packet to blame.
    Culprit,
}

#[derive(Debug, Args)]
pub(crate) struct Blame {
    #[command(flatten)]
    pub(crate) of: OfRun,
    /// Only packets that match this expression.
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    /// What to add up delays by.
    #[arg(long, value_enum, default_value_t = By::Cause)]
    pub(crate) by: By,
    /// How many packets to explain: those with the greatest latency.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = count, allow_negative_numbers = true)]
    pub(crate) limit: u32,
    /// Show the critical path of the last delivery: what it waited for, and what that waited for, back to the start.
    #[arg(long, conflicts_with_all = ["filter", "limit"])]
    pub(crate) critical: bool,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum What {
    /// Events: what each node does in each of its cycles.
    Events,
    /// What became of each packet: for runs of different routers under the same traffic.
    Packets,
}

#[derive(Debug, Args)]
pub(crate) struct Diff {
    /// One run, A: a configuration, a record or an index.
    #[arg(value_name = "A")]
    pub(crate) run: Input,
    /// The other run, B.
    #[arg(value_name = "B")]
    pub(crate) other: Input,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Override a key of B alone. May be repeated.
    #[arg(long = "set-b", value_name = "KEY=VALUE")]
    pub(crate) set_b: Vec<String>,
    /// What is compared.
    #[arg(long, value_enum, default_value_t = What::Events)]
    pub(crate) by: What,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AskHang {
    #[command(flatten)]
    pub(crate) of: OfRun,
    /// Also list the packets in the network at the end that were derouted more often than this, with their paths.
    #[arg(long, value_name = "N")]
    pub(crate) deroutes_over: Option<u16>,
}

#[derive(Debug, Args)]
pub(crate) struct AtNode {
    #[command(flatten)]
    pub(crate) of: OfRun,
    /// The node, and its own cycle: it is shown as it is just before that cycle.
    #[arg(value_name = "NODE@CYCLE", value_parser = node_at)]
    pub(crate) at: (NodeId, Cycle),
}

#[derive(Debug, Args)]
pub(crate) struct Events {
    #[command(flatten)]
    pub(crate) of: OfRun,
    /// Print JSON Lines, one object per line.
    #[arg(long, conflicts_with = "json")]
    pub(crate) jsonl: bool,
    /// Only events that match this expression.
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    #[command(flatten)]
    pub(crate) times: Times,
    /// Also list words as they leave and arrive.
    #[arg(long)]
    pub(crate) words: bool,
    /// Print at most this many.
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) limit: Option<u32>,
}

fn count(text: &str) -> Result<u32, String> {
    whole(text, 1..=u32::MAX)
}

/// SOURCE.SERIAL, or SOURCE.SERIAL@NODE.
fn packet(text: &str) -> Result<(PacketId, Option<NodeId>), String> {
    const ALLOWED: &str = "allowed: SOURCE.SERIAL, e.g. 33.4450, or SOURCE.SERIAL@NODE";
    let (packet, node) = match text.split_once('@') {
        Some((packet, node)) => {
            let node = node.parse().map_err(|_| ALLOWED.to_owned())?;
            (packet, Some(NodeId(node)))
        }
        None => (text, None),
    };
    let packet = packet_of(packet).ok_or_else(|| ALLOWED.to_owned())?;
    Ok((packet, node))
}
