//! A run in a terminal: its network as a heat map, the inside of a node, its packets; stepped both ways in time.
//!
//! ```text
//!   keys ──▶ App ──▶ Session ──▶ Timeline
//!             │         │
//!             └──▶ draw ◀┘──▶ screen
//! ```

mod app;
mod colours;
mod describe;
mod draw;
mod map;
mod panes;
mod session;
#[cfg(test)]
mod tests;
mod typed;

use crate::run::Run;
use app::App;
use colours::Colours;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use session::Session;
use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::time::Duration;

/// Why a run can't be debugged in a terminal.
#[derive(Debug, thiserror::Error)]
pub enum NoTerminal {
    /// There is none.
    #[error(
        "there is no terminal: the input or the output is a pipe or a file\n  allowed: a terminal, or the questions of \
         `flitwork trace`, which print their answers"
    )]
    None,
    /// It fails.
    #[error("the terminal: {0}")]
    Fails(#[from] io::Error),
}

/// Debugs a run in the terminal, until the user quits or `is_interrupted` says so. Copies of the run take at most about
/// `copies_bytes`.
///
/// # Errors
/// [`NoTerminal`] if the input or the output is none, or it fails.
pub fn debug(
    run: &Run,
    copies_bytes: usize,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<(), NoTerminal> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(NoTerminal::None);
    }
    let mut terminal = ratatui::try_init()?;
    let done = keys(&mut terminal, run, copies_bytes, is_interrupted);
    ratatui::try_restore()?;
    done
}

/// Gives the terminal back as it was, if [`debug`] has it.
pub fn restore() {
    ratatui::restore();
}

/// How often it is asked whether the program is to end, while no key is pressed.
const PATIENCE: Duration = Duration::from_millis(100);

fn keys(
    terminal: &mut DefaultTerminal,
    run: &Run,
    copies_bytes: usize,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<(), NoTerminal> {
    let colours = Colours::of_environment();
    let mut ahead = Ahead::default();
    let mut app = App::new(Session::new(run, copies_bytes));
    app.message = "running to its end; Esc stops".to_owned();
    show(terminal, &mut app, colours)?;
    app.begin(&mut || !is_interrupted() && ahead.goes_on());
    show(terminal, &mut app, colours)?;
    while !app.is_over && !is_interrupted() {
        let Some(event) = ahead.next()? else {
            continue;
        };
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                app.press(key, &mut || !is_interrupted() && ahead.goes_on());
            }
            _ => {}
        }
        show(terminal, &mut app, colours)?;
    }
    Ok(())
}

fn show(terminal: &mut DefaultTerminal, app: &mut App<'_>, colours: Colours) -> io::Result<()> {
    terminal.draw(|frame| draw::draw(app, frame, colours))?;
    Ok(())
}

/// How many events may wait; further ones are lost.
const MOST_AHEAD: usize = 4096;

/// What was typed ahead, while something took long.
#[derive(Debug, Default)]
struct Ahead(VecDeque<Event>);

impl Ahead {
    /// Whether what takes long is to go on: Esc and Ctrl-C stop it, and nothing that was typed before them counts. Other
    /// keys wait until it is done.
    fn goes_on(&mut self) -> bool {
        while event::poll(Duration::ZERO).unwrap_or(false) {
            match event::read() {
                Ok(event) if stops(&event) => {
                    self.0.clear();
                    return false;
                }
                Ok(event) if self.0.len() < MOST_AHEAD => self.0.push_back(event),
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// What was typed first, if anything was within the [`PATIENCE`].
    fn next(&mut self) -> io::Result<Option<Event>> {
        let event = match self.0.pop_front() {
            Some(event) => event,
            None if event::poll(PATIENCE)? => event::read()?,
            None => return Ok(None),
        };
        Ok(Some(entered(event)))
    }
}

/// Enter where it was pressed before the terminal handed over single keys: until then it ends a line.
fn entered(mut event: Event) -> Event {
    if let Event::Key(key) = &mut event
        && key.code == KeyCode::Char('j')
        && key.modifiers == KeyModifiers::CONTROL
    {
        (key.code, key.modifiers) = (KeyCode::Enter, KeyModifiers::NONE);
    }
    event
}

fn stops(event: &Event) -> bool {
    let Event::Key(key) = event else { return false };
    match key.code {
        KeyCode::Esc => true,
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}
