//! What is typed into the line below the map: where to go, which node, which packet, where to stop.

use super::app::{App, Asked};
use super::session::{GoOn, Way};
use crate::shown::packet_of;
use flitwork_debug::language::Filter;
use flitwork_debug::search::Stopped;
use flitwork_types::{Cycle, NodeId};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

impl App<'_> {
    pub(super) fn type_in(&mut self, key: KeyEvent, go_on: GoOn<'_>) {
        let Some((_, text)) = &mut self.input else {
            return;
        };
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => self.input = None,
            KeyCode::Backspace => drop(text.pop()),
            // What terminals send for it, and the shell's keys.
            KeyCode::Char('h') if is_control => drop(text.pop()),
            KeyCode::Char('u') if is_control => text.clear(),
            KeyCode::Char('w') if is_control => {
                let word = text.trim_end().rfind(' ').map_or(0, |space| space + 1);
                text.truncate(word);
            }
            KeyCode::Char(_)
                if key
                    .modifiers
                    .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {}
            KeyCode::Char(letter) => text.push(letter),
            KeyCode::Enter => {
                if let Some((what, text)) = self.input.take() {
                    self.message = self.answer(what, text.trim(), go_on);
                }
            }
            _ => {}
        }
    }

    /// Does what was typed; returns what to say.
    fn answer(&mut self, what: Asked, text: &str, go_on: GoOn<'_>) -> String {
        let done = match what {
            Asked::Time => self.go_to(text, go_on),
            Asked::Node => self.node_of(text).map(|node| self.select(node)),
            Asked::Packet => self.find(text, go_on),
            Asked::Breakpoint => self.stop_where(text),
        };
        done.err().unwrap_or_default()
    }

    fn node_of(&self, text: &str) -> Result<NodeId, String> {
        let count = self.session.nodes.count();
        let node = text.parse().ok().filter(|node| *node < count);
        node.map(NodeId).ok_or_else(|| no_such_node(text, count))
    }

    fn find(&mut self, text: &str, go_on: GoOn<'_>) -> Result<(), String> {
        let allowed = || format!("{text}: allowed: a packet as SOURCE.SERIAL, e.g. 33.4450");
        let packet = packet_of(text).ok_or_else(allowed)?;
        let count = self.session.nodes.terminals();
        if packet.source.0 >= count {
            return Err(no_such_node(&packet.source.to_string(), count));
        }
        self.session.forget_failure();
        self.session.ask_why(packet, go_on)?;
        self.packet = Some(packet);
        let now = self.session.packets();
        let here = now.iter().find(|(known, _)| known.id == packet);
        if let Some((_, Some(node))) = here {
            self.select(*node);
        }
        Ok(())
    }

    fn stop_where(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            self.breakpoint = None;
            return Ok(());
        }
        let filter = Filter::parse(text, &self.session.columns);
        let filter = filter.map_err(|error| error.in_a_line())?;
        self.breakpoint = Some((text.to_owned(), filter));
        Ok(())
    }

    fn go_to(&mut self, text: &str, go_on: GoOn<'_>) -> Result<(), String> {
        let wrong = || format!("{text}: allowed: a time, +cycles, -cycles or NODE@CYCLE");
        let number = |text: &str| text.replace(',', "").parse::<u64>().map_err(|_| wrong());
        let stopped = |stopped: Stopped| stopped.to_string();
        for (sign, way) in [('+', Way::On), ('-', Way::Back)] {
            if let Some(cycles) = text.strip_prefix(sign) {
                let stepped = self.session.step(way, number(cycles)?, go_on);
                return stepped.map_err(stopped);
            }
        }
        let time = match text.split_once('@') {
            None => number(text)?,
            Some((node, cycle)) => {
                let node = self.node_of(node)?;
                let cycle = u32::try_from(number(cycle)?).map_err(|_| wrong())?;
                let time = self.session.time_of(node, Cycle(cycle), go_on);
                let time = time.map_err(stopped)?;
                let time =
                    time.ok_or_else(|| format!("node {node} never reaches cycle {cycle}"))?;
                self.select(node);
                time
            }
        };
        self.session.go(time, go_on).map_err(stopped)?;
        match self.session.time < time {
            true => Err(format!(
                "nothing happens any more after {}",
                self.session.time
            )),
            false => Ok(()),
        }
    }
}

/// That there is no node of this name.
fn no_such_node(text: &str, count: u32) -> String {
    format!("{text}: there is no such node; allowed: 0 to {}", count - 1)
}
