//! A run that is being asked, and what every question needs.

use crate::args::{OfRun, Settings, overrides};
use crate::asking::{Asking, Stop};
use crate::exit::{Code, Exit, FINE, Interruption, complain};
use crate::progress;
use crate::run::{refused, warn_of_unread};
use flitwork_config::Override;
use flitwork_debug::language::{Columns, Filter};
use flitwork_debug::rows::{Nodes, PacketRow};
use flitwork_debug::{Journey, NoJourney, Timeline, Why, first_probe, follow_while, why_while};
use flitwork_experiment::memory;
use flitwork_experiment::recall::{RecallError, Recalled};
use flitwork_experiment::simulation::{Differs, Use};
use flitwork_types::{NodeId, PacketId};
use flitwork_view::lookup::{followed_from, no_node, no_packet, no_terminal};
use std::path::Path;
use std::sync::PoisonError;

/// Memory for copies of a run, unless `--memory` says otherwise, in bytes.
pub(crate) const COPIES_BYTES: u64 = 512_000_000;

pub(crate) struct Session<'a> {
    pub(crate) recalled: Recalled,
    pub(crate) nodes: Nodes,
    asking: &'a Asking<'a>,
    name: String,
    /// Its name and what is changed in it.
    title: String,
}

impl<'a> Session<'a> {
    pub(super) fn of(asked: &OfRun, asking: &'a Asking<'a>) -> Result<Session<'a>, Exit> {
        Session::open(&asked.run, &asked.settings, asking)
    }

    pub(crate) fn open(
        run: &Path,
        settings: &Settings,
        asking: &'a Asking<'a>,
    ) -> Result<Session<'a>, Exit> {
        Session::open_with(run, settings.overrides()?, asking)
    }

    fn open_with(
        run: &Path,
        changes: Vec<Override>,
        asking: &'a Asking<'a>,
    ) -> Result<Session<'a>, Exit> {
        let recalled =
            Recalled::open(asking.catalogue, run, &changes).map_err(|error| match error {
                RecallError::Config(error) => refused(&error),
                RecallError::Host(error) => Exit::failure(error),
                error => Exit::bad_input(error),
            })?;
        warn_of_unread(recalled.unread_warning().map(str::to_owned));
        memory::admit(&recalled.resolved, 1.0).map_err(Exit::bad_input)?;
        let name = run.display().to_string();
        if let Some(offset) = recalled.index().and_then(|index| index.cut) {
            complain(&format!(
                "warning: {name}: intact up to byte {offset} and cut off there: its run is repeated, but not compared with it"
            ));
        }
        let changes = changes.iter().map(|change| format!(" {change}"));
        Ok(Session {
            title: name.clone() + &changes.collect::<String>(),
            nodes: Nodes::new(&recalled.resolved.network.shape),
            recalled,
            asking,
            name,
        })
    }

    /// A run and another one with further changes, on networks of the same size.
    pub(crate) fn both(
        [run, other]: [&Path; 2],
        settings: &Settings,
        further: &[String],
        asking: &'a Asking<'a>,
    ) -> Result<[Session<'a>; 2], Exit> {
        let one = Session::open(run, settings, asking)?;
        let mut changes = settings.overrides()?;
        changes.extend(overrides(further)?);
        let other = Session::open_with(other, changes, asking)?;
        let (nodes, others) = (one.nodes.count(), other.nodes.count());
        match nodes == others {
            true => Ok([one, other]),
            false => Err(one.wrong(format!(
                "{nodes} nodes, and the other has {others}; allowed: runs of networks of the same size"
            ))),
        }
    }

    /// Its title and the run itself.
    pub(crate) fn into_parts(self) -> (String, Recalled) {
        (self.title, self.recalled)
    }

    /// Its name and what is changed in it.
    pub(super) fn title(&self) -> &str {
        &self.title
    }

    pub(super) fn interruption(&self) -> &Interruption {
        self.asking.interruption
    }

    /// A message about the run.
    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> Exit {
        Exit::bad_input(format!("{}: {what}", self.name))
    }

    /// Its time, forwards and backwards, and where a replay notes that it isn't what its record says.
    pub(super) fn timeline(&self, usage: Use) -> Result<(Timeline, Differs), Stop> {
        self.verify()?;
        let (simulation, differs) = self.recalled.simulation(usage, first_probe());
        let bytes = self.asking.copies_bytes.unwrap_or(COPIES_BYTES) as usize;
        let timeline = Timeline::new(simulation, bytes, self.recalled.cycle_time());
        Ok((timeline, differs))
    }

    /// Compares the run, made again, with its index, if it has one.
    pub(crate) fn verify(&self) -> Result<(), Stop> {
        let flow = &mut || self.interruption().flow();
        if let Some(differs) = self.recalled.verify(flow) {
            let (first, end) = differs.cycles;
            let node = differs
                .node
                .map(|node| format!(" at node {}", self.nodes.name(node)));
            return Err(Stop::differs(&format!(
                "{}: the repeated run differs: first{} in cycles {first} to {}",
                self.name,
                node.unwrap_or_default(),
                end - 1
            )));
        }
        Ok(())
    }

    /// The end of a command that has used a timeline: 4 where a replay isn't what its record says.
    pub(super) fn agree(&self, differs: &Differs) -> Result<Code, Stop> {
        match replay_differs(&self.name, differs) {
            Some(how) => Err(Stop::differs(&how)),
            None => Ok(Code(FINE)),
        }
    }

    /// The rows of all its packets, and whether they are all: the user may have interrupted the run.
    pub(super) fn packets(&self) -> Result<(Vec<PacketRow>, bool), Exit> {
        let bar = progress::of_run(&self.recalled.resolved);
        let rows = self.recalled.packets(&mut |now| {
            bar.show(now);
            self.interruption().flow_of(now)
        });
        bar.end();
        Ok((
            rows.map_err(Exit::failure)?,
            !self.interruption().is_requested(),
        ))
    }

    /// The rows of all its packets, for what can't be said of some of them.
    pub(super) fn all_packets(&self) -> Result<Vec<PacketRow>, Stop> {
        match self.packets()? {
            (rows, true) => Ok(rows),
            (_, false) => Err(Stop::Interrupted),
        }
    }

    /// The row of one packet.
    pub(super) fn packet(&self, packet: PacketId) -> Result<PacketRow, Stop> {
        if packet.source.0 >= self.nodes.terminals() {
            let none = no_terminal(packet.source, &self.nodes);
            return Err(self.wrong(none).into());
        }
        let rows = self.all_packets()?;
        let found = rows.iter().find(|row| row.packet() == Some(packet));
        let wrong = || self.wrong(no_packet(packet, &rows)).into();
        found.copied().ok_or_else(wrong)
    }

    pub(super) fn no_node(&self, node: NodeId) -> Exit {
        self.wrong(no_node(node, &self.nodes))
    }

    /// A packet's way.
    pub(super) fn journey(
        &self,
        timeline: &mut Timeline,
        row: &PacketRow,
        packet: PacketId,
    ) -> Result<Journey, Stop> {
        let from = match self.recalled.is_record() {
            true => 0,
            false => followed_from(row.injected, self.recalled.cycle_time()),
        };
        let end = self.recalled.end();
        let go_on = &mut || self.interruption().flow().is_continue();
        follow_while(timeline, packet, (from, end), go_on).map_err(|error| match error {
            NoJourney::Stopped(_) => Stop::Interrupted,
            error => self.wrong(error).into(),
        })
    }

    /// Why a packet took as long as it did.
    pub(super) fn why(&self, timeline: &mut Timeline, journey: Journey) -> Result<Why, Stop> {
        let go_on = &mut || self.interruption().flow().is_continue();
        Ok(why_while(timeline, journey, self.recalled.end(), go_on)?)
    }
}

/// How the replay of a record turned out to be another run than the record says, if it did so far.
pub(crate) fn replay_differs(name: &str, differs: &Differs) -> Option<String> {
    let found = differs.lock().unwrap_or_else(PoisonError::into_inner);
    let found = found.as_ref()?;
    Some(format!(
        "{name}: the replay differs from the record: {found}"
    ))
}

/// The condition that an option gives; all rows without one.
pub(super) fn filter(text: Option<&String>, columns: &Columns) -> Result<Filter, Exit> {
    match text {
        None => Ok(Filter::all()),
        Some(text) => Filter::parse(text, columns)
            .map_err(|error| Exit::bad_input(format!("--where\n{error}"))),
    }
}
