//! Keys pressed one after another, and what the screen then shows.

use super::app::App;
use super::colours::Colours;
use super::draw::draw;
use super::session::Session;
use crate::run::{Repeats, Run, Use};
use flitwork_debug::rows::PacketRow;
use flitwork_engine::{EventDriven, Simulation, TimeUnit};
use flitwork_network::{Demand, Network};
use flitwork_node::AnyProbe;
use flitwork_router::greedy_hp::GreedyHp;
use flitwork_topology::{Grid, Shape};
use flitwork_traffic::Once;
use flitwork_types::{Cycle, NodeId, TerminalId};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;

/// Two packets on a mesh of 4 x 4: one from corner to corner, and one along the first row.
struct TwoPackets;

impl TwoPackets {
    /// As a run of 100 cycles.
    fn run() -> Run {
        Run {
            name: "two.toml".to_owned(),
            about: Vec::new(),
            configuration: String::new(),
            seed: 1,
            shape: Shape::from(Grid::mesh(&[4, 4]).unwrap()),
            words_travel_alone: false,
            unit: TimeUnit::Cycles,
            end: 100,
            cycle_time: 1,
            is_record: false,
            repeats: Box::new(TwoPackets),
        }
    }
}

impl Repeats for TwoPackets {
    fn begin(&self, _: Use, probe: AnyProbe) -> Box<Simulation> {
        let mesh = Grid::mesh(&[4, 4]).unwrap();
        let network = Arc::new(Network::new(mesh.clone(), GreedyHp::new(mesh, 1), 1));
        let packets = Once::new(&[
            (TerminalId(0), TerminalId(15)),
            (TerminalId(3), TerminalId(0)),
        ]);
        let demand = Demand::until(Box::new(packets), Cycle(100));
        Box::new(EventDriven::new(network, demand, probe))
    }

    fn packets(&self, _: &mut dyn FnMut(u64) -> bool) -> Result<Option<Vec<PacketRow>>, String> {
        Ok(Some(Vec::new()))
    }

    fn differs(&self) -> Option<String> {
        None
    }
}

/// An app that has begun.
fn app(run: &Run) -> App<'_> {
    let mut app = App::new(Session::new(run, 1 << 20));
    app.begin(&mut || true);
    app
}

fn press(app: &mut App<'_>, keys: &str) {
    for letter in keys.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '→' => KeyCode::Right,
            '←' => KeyCode::Left,
            '↓' => KeyCode::Down,
            '↑' => KeyCode::Up,
            '⇤' => KeyCode::Home,
            '⇥' => KeyCode::End,
            letter => KeyCode::Char(letter),
        };
        app.press(KeyEvent::new(code, KeyModifiers::NONE), &mut || true);
    }
}

fn screen(app: &mut App<'_>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| draw(app, frame, Colours::None))
        .unwrap();
    let buffer = terminal.backend().buffer().clone();
    let rows = buffer.content().chunks(usize::from(width));
    let rows = rows.map(|row| {
        let text: String = row.iter().map(|cell| cell.symbol()).collect();
        text.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn time_goes_both_ways() {
    let run = TwoPackets::run();
    let mut app = app(&run);
    assert_eq!(app.session.time, 0);
    press(&mut app, "s");
    assert_eq!(app.session.time, 1);
    press(&mut app, "3s");
    assert_eq!(app.session.time, 4);
    press(&mut app, "2S");
    assert_eq!(app.session.time, 2);
    press(&mut app, "g+2\n");
    assert_eq!(app.session.time, 4);
    // The longer way is six hops of a cycle.
    press(&mut app, "⇥");
    assert!((6..=10).contains(&app.session.time), "{}", app.session.time);
    press(&mut app, "⇤S");
    assert_eq!(app.session.time, 0);
    press(&mut app, "g7x\n");
    assert!(app.message.starts_with("7x: allowed:"), "{}", app.message);
    press(&mut app, "g3@2\n");
    assert_eq!((app.session.time, app.node), (2, NodeId(3)));
}

#[test]
fn the_same_events_are_found_on_the_way_on_and_back() {
    let run = TwoPackets::run();
    let mut app = app(&run);
    press(&mut app, "f0.0\n");
    assert_eq!(app.message, "");
    let mut on = vec![(app.session.time, app.node)];
    for _ in 0..100 {
        press(&mut app, "p");
        let here = (app.session.time, app.node);
        if on.last() == Some(&here) {
            break;
        }
        on.push(here);
    }
    assert_eq!(on.last().map(|(_, node)| *node), Some(NodeId(15)));
    let mut back = vec![(app.session.time, app.node)];
    while app.session.time > 0 && back.len() < 100 {
        press(&mut app, "P");
        back.push((app.session.time, app.node));
    }
    back.reverse();
    let times = |all: &[(u64, NodeId)]| all.iter().map(|(time, _)| *time).collect::<Vec<_>>();
    assert_eq!(times(&on), times(&back));
}

#[test]
fn a_breakpoint_stops_where_its_condition_holds() {
    let run = TwoPackets::run();
    let mut app = app(&run);
    press(&mut app, "c");
    assert!(app.message.contains("no breakpoint"), "{}", app.message);
    press(&mut app, "bkind == 'delivered' && node == 0\n");
    press(&mut app, "c");
    assert_eq!(app.message, "node 0 (0, 0): 3.0 is delivered");
    let time = app.session.time;
    press(&mut app, "c");
    assert_eq!(app.message, "it has no later event");
    press(&mut app, "⇥C");
    assert_eq!(app.session.time, time);
    press(&mut app, "b");
    press(&mut app, "x\n");
    assert!(app.message.contains("expected"), "{}", app.message);
    // What is wrong leaves the old one.
    assert!(app.breakpoint.is_some());
}

#[test]
fn a_node_is_chosen_and_shown_inside() {
    let run = TwoPackets::run();
    let mut app = app(&run);
    press(&mut app, "→↓←↑↑→");
    assert_eq!(app.node, NodeId(1));
    press(&mut app, "n16\n");
    assert_eq!(app.message, "16: there is no such node; allowed: 0 to 15");
    press(&mut app, "n3\ns");
    let shown = screen(&mut app, 120, 30);
    assert!(shown.contains("node 3 (3, 0)"), "{shown}");
    // Words of this router are never held: what arrives leaves in the same step.
    press(&mut app, "o");
    assert_eq!(app.message, "the node holds no packet");
    press(&mut app, "f3.0\nw");
    let shown = screen(&mut app, 120, 30);
    assert!(shown.contains("packet 3.0: 3 cycles"), "{shown}");
    press(&mut app, "\t\t\t");
    let shown = screen(&mut app, 120, 30);
    assert!(shown.contains("2 packets in the network"), "{shown}");
    press(&mut app, "j\n");
    assert!(app.packet.is_some());
}

#[test]
fn every_size_of_terminal_is_drawn() {
    let run = TwoPackets::run();
    let mut app = app(&run);
    press(&mut app, "2s");
    for keys in ["", "\t", "\t", "\t", "?", "?m", "m", "b"] {
        press(&mut app, keys);
        for (width, height) in [(1, 1), (2, 5), (20, 8), (79, 24), (80, 24), (300, 100)] {
            screen(&mut app, width, height);
        }
    }
}

#[test]
fn what_takes_long_is_stopped() {
    let run = TwoPackets::run();
    let mut app = app(&run);
    press(&mut app, "b");
    press(&mut app, "node == 99\n");
    let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::NONE);
    app.press(key, &mut || false);
    assert_eq!(app.message, "stopped");
    assert_eq!(app.session.time, 0);
}
