//! What the keys do.

use super::describe::describe;
use super::map::Plane;
use super::session::{GoOn, Session, Way};
use crate::shown::named;
use flitwork_debug::language::Filter;
use flitwork_debug::search::Stopped;
use flitwork_debug::{Ended, Happening, TimeUnit, Wanted};
use flitwork_types::{NodeId, PacketId};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What the map shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    /// What nodes hold.
    Held,
    /// Deroutes of the last cycles.
    Deroutes,
    /// Words over links in the last cycles.
    Words,
}

/// What is shown beside the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    /// What the node holds and decides.
    Node,
    /// What happens in it.
    Events,
    /// The packets in the network.
    Packets,
    /// Why the packet takes so long.
    Why,
}

impl Pane {
    pub(super) const ALL: [(Pane, &'static str); 4] = [
        (Pane::Node, "node"),
        (Pane::Events, "events"),
        (Pane::Packets, "packets"),
        (Pane::Why, "why"),
    ];

    fn beside(self, by: usize) -> Pane {
        let place = Pane::ALL.iter().position(|(pane, _)| *pane == self);
        let place = (place.unwrap_or(0) + by) % Pane::ALL.len();
        Pane::ALL[place].0
    }
}

/// What is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Time,
    Node,
    Packet,
    Breakpoint,
}

impl Asked {
    pub(super) fn prompt(self) -> &'static str {
        match self {
            Asked::Time => "go to a time, +cycles, -cycles or NODE@CYCLE: ",
            Asked::Node => "node: ",
            Asked::Packet => "packet, as SOURCE.SERIAL: ",
            Asked::Breakpoint => "stop where (empty: nowhere): ",
        }
    }
}

const NO_SUCH_KEY: &str = "no such key; ? lists the keys";

/// The cycles of which deroutes and words are counted, at first.
const WINDOW_CYCLES: u64 = 64;
/// At most so many.
const MOST_WINDOW_CYCLES: u64 = 1 << 16;

pub(super) struct App<'a> {
    pub(super) session: Session<'a>,
    pub(super) plane: Plane,
    pub(super) node: NodeId,
    pub(super) packet: Option<PacketId>,
    pub(super) metric: Metric,
    /// The cycles of which deroutes and words are counted.
    pub(super) window: u64,
    pub(super) pane: Pane,
    /// The first line of the pane that is shown.
    pub(super) scroll: u16,
    /// The packet of the list that the next key picks.
    pub(super) picked: usize,
    pub(super) breakpoint: Option<(String, Filter)>,
    pub(super) input: Option<(Asked, String)>,
    pub(super) message: String,
    /// Digits before a key: how often.
    pub(super) times: Option<u64>,
    pub(super) help: bool,
    pub(super) is_over: bool,
}

impl<'a> App<'a> {
    pub(super) fn new(session: Session<'a>) -> App<'a> {
        let node = NodeId(0);
        App {
            plane: Plane::of(&session.nodes, node),
            session,
            node,
            packet: None,
            metric: Metric::Held,
            window: WINDOW_CYCLES,
            pane: Pane::Node,
            scroll: 0,
            picked: 0,
            breakpoint: None,
            input: None,
            message: String::new(),
            times: None,
            help: false,
            is_over: false,
        }
    }

    /// Runs to the end. Where the network hangs one begins there, and otherwise at the beginning.
    pub(super) fn begin(&mut self, go_on: GoOn<'_>) {
        let has_come = self.session.go_to_end(go_on);
        let ended = self.session.ended();
        if let (Ok(()), Some(Ended::Stuck)) = (has_come, ended) {
            self.message = "the network hangs: nothing can ever move again".to_owned();
            self.look_at_a_packet();
            return;
        }
        // A copy is kept there.
        let back = self.session.go(0, &mut || true);
        self.message = match (has_come, back) {
            (Ok(()), Ok(())) => "? shows the keys".to_owned(),
            _ => "stopped before its end was known; ? shows the keys".to_owned(),
        };
    }

    /// Goes to the packet that was made first of those in the network.
    fn look_at_a_packet(&mut self) {
        let packets = self.session.packets();
        let waiting = packets
            .iter()
            .find_map(|(packet, node)| Some((packet.id, (*node)?)));
        if let Some((packet, node)) = waiting {
            self.packet = Some(packet);
            self.select(node);
        }
    }

    pub(super) fn select(&mut self, node: NodeId) {
        self.node = node;
        self.scroll = 0;
        if self.plane.place(node).is_none() {
            self.plane = Plane::of(&self.session.nodes, node);
        }
    }

    /// What a key does. What takes long is given up when `go_on` says so.
    pub(super) fn press(&mut self, key: KeyEvent, go_on: GoOn<'_>) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && key.code == KeyCode::Char('c') {
            self.is_over = true;
        } else if self.input.is_some() {
            self.type_in(key, go_on);
        } else if self.help {
            self.help = false;
        } else {
            self.command(key, go_on);
        }
        self.prepare(go_on);
    }

    /// Asks what the pane shows, if it takes long.
    fn prepare(&mut self, go_on: GoOn<'_>) {
        if let (Pane::Why, Some(packet)) = (self.pane, self.packet) {
            // The pane says if it fails.
            let _ = self.session.ask_why(packet, go_on);
        }
    }

    fn command(&mut self, key: KeyEvent, go_on: GoOn<'_>) {
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            self.message = NO_SUCH_KEY.to_owned();
            return;
        }
        let key = key.code;
        if let KeyCode::Char(digit @ '0'..='9') = key {
            let digit = u64::from(digit) - u64::from('0');
            let times = self.times.unwrap_or(0).saturating_mul(10);
            self.times = Some(times.saturating_add(digit));
            return;
        }
        let times = self.times.take().unwrap_or(1).max(1);
        self.message.clear();
        let moved = match key {
            KeyCode::Char('s' | ' ') => self.session.step(Way::On, times, go_on),
            KeyCode::Char('S') => self.session.step(Way::Back, times, go_on),
            KeyCode::Home => self.session.go(0, go_on),
            KeyCode::End => self.session.go_to_end(go_on),
            KeyCode::Char(letter @ ('d' | 'D' | 'e' | 'E' | 'p' | 'P' | 'c' | 'C')) => {
                self.seek(letter, times, go_on)
            }
            other => {
                self.choose(other);
                Ok(())
            }
        };
        if let Err(stopped) = moved {
            self.message = stopped.to_string();
        }
    }

    /// Goes to the next or the last place of a kind: small letters on, capitals back.
    fn seek(&mut self, letter: char, times: u64, go_on: GoOn<'_>) -> Result<(), Stopped> {
        let way = match letter.is_lowercase() {
            true => Way::On,
            false => Way::Back,
        };
        for _ in 0..times {
            let found = match letter.to_ascii_lowercase() {
                'd' => {
                    let found = self.session.seek_decision(way, self.node, go_on)?;
                    found.map(|_| "the next step of the node decides".to_owned())
                }
                other => {
                    let found = match other {
                        'e' => self.seek_event(way, go_on)?,
                        'p' => self.seek_packet(way, go_on)?,
                        _ => self.seek_breakpoint(way, go_on)?,
                    };
                    found.map(|it| describe(&self.session.nodes, &it))
                }
            };
            match found {
                Some(found) => self.message = found,
                None => {
                    if self.message.is_empty() {
                        self.message = match way {
                            Way::On => "it has no later event".to_owned(),
                            Way::Back => "it has no earlier event".to_owned(),
                        };
                    }
                    break;
                }
            }
        }
        Ok(())
    }

    fn seek_event(&mut self, way: Way, go_on: GoOn<'_>) -> Result<Option<Happening>, Stopped> {
        let node = self.node;
        let is_it = |it: &Happening, _: &_| it.node == node;
        self.session.seek(way, Wanted::EVENTS, go_on, is_it)
    }

    fn seek_packet(&mut self, way: Way, go_on: GoOn<'_>) -> Result<Option<Happening>, Stopped> {
        let Some(packet) = self.packet else {
            self.message = "no packet is selected: f finds one, o takes one in the node".to_owned();
            return Ok(None);
        };
        let wanted = Wanted {
            only: Some(packet),
            ..Wanted::EVENTS
        };
        let found = self.session.seek(way, wanted, go_on, |_, _| true)?;
        if let Some(found) = found {
            self.select(found.node);
        }
        Ok(found)
    }

    fn seek_breakpoint(&mut self, way: Way, go_on: GoOn<'_>) -> Result<Option<Happening>, Stopped> {
        let Some((_, filter)) = &self.breakpoint else {
            self.message = "there is no breakpoint: b sets one".to_owned();
            return Ok(None);
        };
        self.session.seek_where(way, filter, go_on)
    }

    /// Keys that move in space and not in time.
    fn choose(&mut self, key: KeyCode) {
        match key {
            KeyCode::Left => self.select(self.plane.beside(self.node, (-1, 0))),
            KeyCode::Right => self.select(self.plane.beside(self.node, (1, 0))),
            KeyCode::Up => self.select(self.plane.beside(self.node, (0, -1))),
            KeyCode::Down => self.select(self.plane.beside(self.node, (0, 1))),
            KeyCode::Char('z') => self.next_plane(1),
            KeyCode::Char('Z') => self.next_plane(-1),
            KeyCode::Tab => self.turn_to(self.pane.beside(1)),
            KeyCode::BackTab => self.turn_to(self.pane.beside(Pane::ALL.len() - 1)),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(10),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            KeyCode::Char('m') => {
                self.metric = match self.metric {
                    Metric::Held => Metric::Deroutes,
                    Metric::Deroutes => Metric::Words,
                    Metric::Words => Metric::Held,
                }
            }
            KeyCode::Char('[') => self.window = (self.window / 2).max(1),
            KeyCode::Char(']') => self.window = (self.window * 2).min(MOST_WINDOW_CYCLES),
            KeyCode::Char('j') => self.picked = self.picked.saturating_add(1),
            KeyCode::Char('k') => self.picked = self.picked.saturating_sub(1),
            KeyCode::Enter => self.pick(),
            KeyCode::Char('o') => self.next_packet_of_node(),
            KeyCode::Char('w') => {
                self.session.forget_failure();
                self.turn_to(Pane::Why);
            }
            KeyCode::Char('g') => self.ask(Asked::Time),
            KeyCode::Char('n') => self.ask(Asked::Node),
            KeyCode::Char('f') => self.ask(Asked::Packet),
            KeyCode::Char('b') => {
                let old = self.breakpoint.as_ref().map(|(text, _)| text.clone());
                self.input = Some((Asked::Breakpoint, old.unwrap_or_default()));
            }
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('q') => self.is_over = true,
            KeyCode::Esc => {}
            _ => self.message = NO_SUCH_KEY.to_owned(),
        }
    }

    fn turn_to(&mut self, pane: Pane) {
        self.pane = pane;
        self.scroll = 0;
    }

    fn ask(&mut self, what: Asked) {
        self.input = Some((what, String::new()));
    }

    /// The same place in the next plane of a grid of three axes.
    fn next_plane(&mut self, by: i64) {
        let nodes = &self.session.nodes;
        let at = |node: NodeId, axis: usize| nodes.coordinate(node, axis);
        let wanted = at(self.node, 2).map(|z| z + by);
        let is_it = |node: &NodeId| {
            wanted.is_some()
                && at(*node, 2) == wanted
                && [0, 1]
                    .iter()
                    .all(|axis| at(*node, *axis) == at(self.node, *axis))
        };
        if let Some(node) = (0..nodes.count()).map(NodeId).find(is_it) {
            self.select(node);
        }
    }

    /// Takes the packet of the list that is marked.
    fn pick(&mut self) {
        if self.pane != Pane::Packets {
            return;
        }
        let packets = self.session.packets();
        if let Some((packet, node)) = packets.get(self.picked.min(packets.len().saturating_sub(1)))
        {
            self.packet = Some(packet.id);
            if let Some(node) = *node {
                self.select(node);
            }
        }
    }

    /// Takes the next packet that the node holds.
    fn next_packet_of_node(&mut self) {
        let Some(inside) = self.session.inside(self.node) else {
            return;
        };
        let parts = inside.view.buffers.iter().flat_map(|buffer| &buffer.held);
        let mut held: Vec<PacketId> = parts.map(|part| part.packet).collect();
        held.dedup();
        let now = held.iter().position(|it| Some(*it) == self.packet);
        let next = now.map_or(0, |place| (place + 1) % held.len().max(1));
        match held.get(next) {
            Some(packet) => self.packet = Some(*packet),
            None => self.message = "the node holds no packet".to_owned(),
        }
    }

    /// Where it stands, in a few words.
    pub(super) fn stands(&self) -> String {
        let unit = match self.session.unit() {
            TimeUnit::Cycles => "cycle",
            TimeUnit::Picoseconds => "ps",
            TimeUnit::Steps => "step",
        };
        let end = match self.session.ended() {
            Some(Ended::Stuck) => ", where it hangs".to_owned(),
            Some(_) | None => format!(" of {}", self.session.end()),
        };
        let packet = self
            .packet
            .map(|packet| format!("  packet {}", named(packet)));
        format!(
            "{unit} {}{end}  node {}{}",
            self.session.time,
            self.session.nodes.name(self.node),
            packet.unwrap_or_default()
        )
    }
}
