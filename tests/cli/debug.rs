//! `flitwork debug` in a pseudo-terminal: keys go in, and what comes out is drawn by a terminal emulator.

use crate::harness::{Folder, Patience, end, interrupt};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// A program in a terminal.
struct Terminal {
    child: Child,
    keys: File,
    screen: Arc<Mutex<vt100::Parser>>,
}

impl Terminal {
    fn start(folder: &Folder, args: &[&str], (rows, columns): (u16, u16)) -> Terminal {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&controller, size).unwrap();
        let terminal = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name.to_str().unwrap());
        let terminal = terminal.unwrap();
        let side = || Stdio::from(terminal.try_clone().unwrap());
        let mut command = folder.command(args);
        command.env("TERM", "xterm-256color");
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn();
        let keys = File::from(controller);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let (mut output, drawn) = (keys.try_clone().unwrap(), screen.clone());
        // It ends when nobody has the other side open any more.
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                drawn.lock().unwrap().process(&bytes[..count]);
            }
        });
        Terminal {
            child: child.unwrap(),
            keys,
            screen,
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits until the screen shows a text.
    fn shows(&mut self, text: &str) {
        let mut patience = Patience::new();
        while !self.text().contains(text) {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {}", self.text());
            assert!(patience.waits(), "never shows {text:?}:\n{}", self.text());
        }
    }

    /// Presses q until it ends: once to leave what is open, and once more.
    fn quits(&mut self) -> Option<i32> {
        let mut patience = Patience::new();
        while self.child.try_wait().unwrap().is_none() {
            // What stays unread is never too much.
            self.press("q");
            assert!(patience.waits(), "doesn't quit:\n{}", self.text());
        }
        self.ends()
    }

    /// How it ends; the terminal must be as it was before.
    fn ends(&mut self) -> Option<i32> {
        let code = end(&mut self.child);
        // What it wrote last may not be drawn yet.
        let mut patience = Patience::new();
        while !self.is_as_before() {
            assert!(
                patience.waits(),
                "the screen or the cursor isn't given back"
            );
        }
        code
    }

    fn is_as_before(&self) -> bool {
        let screen = self.screen.lock().unwrap();
        !screen.screen().alternate_screen() && !screen.screen().hide_cursor()
    }
}

#[test]
fn without_a_terminal_it_is_refused() {
    let folder = Folder::new();
    folder.refuses(
        &["debug", "small.toml"],
        &["there is no terminal", "flitwork trace"],
    );
    folder.refuses(&["debug", "missing.toml"], &["missing.toml"]);
}

#[test]
fn a_run_is_stepped_both_ways() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, &["debug", "small.toml"], (30, 100));
    terminal.shows("small.toml");
    terminal.shows("cycle 0 of");
    // To a cycle, a cycle on, two back, and as many on.
    terminal.press("g100\r");
    terminal.shows("cycle 100 of");
    terminal.press("s");
    terminal.shows("cycle 101 of");
    terminal.press("2S");
    terminal.shows("cycle 99 of");
    terminal.press("2s");
    terminal.shows("cycle 101 of");
    terminal.press("n5\r");
    terminal.shows("node 5 (1, 1)");
    terminal.press("\u{1b}[C");
    terminal.shows("node 6 (2, 1)");
    terminal.press("?");
    terminal.shows("a cycle back");
    assert_eq!(terminal.quits(), Some(0));
}

#[test]
fn after_a_hang_it_stands_at_the_end() {
    let folder = Folder::new();
    let hang = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/deadlock.toml");
    let mut terminal = Terminal::start(&folder, &["debug", hang], (40, 120));
    terminal.shows(", where it hangs");
    terminal.shows("the network hangs: nothing can ever move again");
    assert_eq!(terminal.quits(), Some(0));
}

/// What is typed while the run is still on its way to its end is done then.
#[test]
fn keys_are_typed_ahead() {
    let folder = Folder::new();
    let long = ["debug", "small.toml", "--set", "run.measure_cycles=300000"];
    let mut terminal = Terminal::start(&folder, &long, (30, 100));
    // The first screen stays, however soon the run ends.
    terminal.shows("small.toml --set");
    terminal.press("g100\rs");
    terminal.shows("cycle 101 of");
    assert_eq!(terminal.quits(), Some(0));
}

/// On the way to the end of a long run, Esc stops it and a signal ends the program in order.
#[test]
fn a_long_way_is_given_up() {
    let folder = Folder::new();
    let long = [
        "debug",
        "small.toml",
        "--set",
        "run.measure_cycles=200000000",
    ];
    let mut terminal = Terminal::start(&folder, &long, (30, 100));
    terminal.shows("running to its end");
    terminal.press("\u{1b}");
    terminal.shows("stopped before its end was known");
    // Nothing but letters are keys.
    terminal.press("\u{11}");
    terminal.shows("no such key");
    // A word taken back, a letter taken back.
    terminal.press("g7 77\u{17}\u{8}100\r");
    terminal.shows("cycle 7100 of");
    terminal.press("g99\u{15}100\r");
    terminal.shows("cycle 100 of");
    assert_eq!(terminal.quits(), Some(0));
    let mut terminal = Terminal::start(&folder, &long, (30, 100));
    terminal.shows("running to its end");
    interrupt(&terminal.child);
    assert_eq!(terminal.ends(), Some(130));
}

/// Whatever the terminal's size: it draws what fits, and quits.
#[test]
fn small_terminals_do_no_harm() {
    let folder = Folder::new();
    for size in [(2, 2), (3, 10), (5, 20), (24, 80), (200, 400)] {
        let mut terminal = Terminal::start(&folder, &["debug", "small.toml"], size);
        terminal.press("sS?\t\tg5\r");
        assert_eq!(terminal.quits(), Some(0), "{size:?}");
    }
}

/// The key, and the signal.
#[test]
fn an_interruption_gives_the_terminal_back() {
    let folder = Folder::new();
    let mut terminal = Terminal::start(&folder, &["debug", "small.toml"], (24, 80));
    terminal.shows("? shows the keys");
    terminal.press("\u{3}");
    assert_eq!(terminal.ends(), Some(0));
    let mut terminal = Terminal::start(&folder, &["debug", "small.toml"], (24, 80));
    terminal.shows("? shows the keys");
    interrupt(&terminal.child);
    assert_eq!(terminal.ends(), Some(130));
}
