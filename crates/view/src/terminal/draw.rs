//! The screen.
//!
//! ```text
//!   chaos-mesh.toml   cycle 34108 of 60000   node 63 (15, 3)   packet 63.315
//!   ┌ packets held, 0 to 5 ──────┐┌ node  events  packets  why ─────────────┐
//!   │ heat map                   ││ what is turned to                       │
//!   └────────────────────────────┘└─────────────────────────────────────────┘
//!   stops where kind == 'moved' && deroute
//!   message, or what is being typed                                    ? keys
//! ```

use super::app::{App, Metric, Pane};
use super::colours::Colours;
use super::panes;
use flitwork_types::NodeId;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

/// Below this width there is room for one of the two halves only.
const NARROW: u16 = 80;

const KEYS: &str = "\
s, space   a cycle on            S   a cycle back
d   to the node's next decision  D   to the one before
e   to the node's next event     E   to the one before
p   to the packet's next event   P   to the one before
c   on to the breakpoint         C   back to it
      digits before these repeat them, as in 100s
g   go to a time, or to NODE@CYCLE
Home, End   to the beginning, to the end

arrows   choose a node           n   by its number
z Z      the next plane of a grid of three axes
f   find a packet                o   one that the node holds
b   stop where a condition holds, as in `trace events`
Tab      the next pane           PgUp PgDn   scroll it
j k Enter   choose from the list of packets
w   why the packet takes so long
m   what the map shows           [ ]   over how many cycles
Esc stops what takes long        q   quit";

pub(super) fn draw(app: &mut App<'_>, frame: &mut Frame<'_>, colours: Colours) {
    let lines = [
        Constraint::Length(1),
        Constraint::Min(3),
        Constraint::Length(1),
        Constraint::Length(1),
    ];
    let [title, middle, breakpoint, bottom] = Layout::vertical(lines).areas(frame.area());
    let name = Span::from(format!(" {}  ", app.session.run.name)).bold();
    let stands = Span::from(app.stands());
    frame.render_widget(Line::from(vec![name, stands]).reversed(), title);
    let halves = |share| {
        [
            Constraint::Percentage(share),
            Constraint::Percentage(100 - share),
        ]
    };
    let [map, pane] = match frame.area().width < NARROW {
        true => Layout::vertical(halves(40)).areas(middle),
        false => Layout::horizontal(halves(45)).areas(middle),
    };
    draw_map(app, frame, map, colours);
    draw_pane(app, frame, pane);
    let stops = app
        .breakpoint
        .as_ref()
        .map(|(text, _)| format!(" stops where {text}"));
    frame.render_widget(Line::from(stops.unwrap_or_default()), breakpoint);
    draw_bottom(app, frame, bottom);
    if app.help {
        draw_help(frame);
    }
}

fn draw_bottom(app: &App<'_>, frame: &mut Frame<'_>, area: Rect) {
    if let Some((asked, text)) = &app.input {
        let typed = format!("{}{text}", asked.prompt());
        // The end of what is typed is seen, whatever its length.
        let width = usize::from(area.width.saturating_sub(1));
        let letters: Vec<char> = typed.chars().collect();
        let shown: String = letters[letters.len().saturating_sub(width)..]
            .iter()
            .collect();
        let cursor = area.x + (shown.chars().count() as u16).min(area.width.saturating_sub(1));
        frame.render_widget(Line::from(shown).bold(), area);
        frame.set_cursor_position((cursor, area.y));
        return;
    }
    let times = app.times.map(|times| format!(" {times}…"));
    let message = times.unwrap_or_else(|| format!(" {}", app.message));
    frame.render_widget(Line::from(message), area);
    let keys = Line::from("? keys  q quit ").right_aligned();
    if area.width >= NARROW {
        frame.render_widget(keys, area);
    }
}

fn draw_help(frame: &mut Frame<'_>) {
    let all = frame.area();
    let (width, height) = (66.min(all.width), 22.min(all.height));
    let area = Rect {
        x: (all.width - width) / 2,
        y: (all.height - height) / 2,
        width,
        height,
    };
    frame.render_widget(Clear, area);
    let block = Block::bordered().title(" keys ");
    frame.render_widget(Paragraph::new(KEYS).block(block), area);
}

fn draw_pane(app: &mut App<'_>, frame: &mut Frame<'_>, area: Rect) {
    let names = Pane::ALL
        .iter()
        .map(|(pane, name)| match *pane == app.pane {
            true => Span::from(format!(" {name} ")).reversed(),
            false => Span::from(format!(" {name} ")),
        });
    let block = Block::bordered().title(Line::from(names.collect::<Vec<_>>()));
    let inner = block.inner(area);
    let lines = panes::lines(app);
    let (lines, marked) = match app.pane {
        Pane::Node | Pane::Why => (wrapped(lines, inner.width), None),
        // A line each, so that what is marked is found.
        Pane::Events | Pane::Packets => {
            let marked = lines.iter().position(is_marked).unwrap_or(0);
            (lines, Some(marked as u16))
        }
    };
    let most = (lines.len() as u16).saturating_sub(inner.height);
    app.scroll = app.scroll.min(most);
    // The present, or what is marked, is always to be seen.
    let first = marked.map_or(app.scroll, |marked| {
        marked.saturating_sub(inner.height / 2).min(most)
    });
    frame.render_widget(Paragraph::new(lines).block(block).scroll((first, 0)), area);
}

/// Lines that are longer than the pane is wide go on in the next, a little to the right.
fn wrapped(lines: Vec<Line<'static>>, width: u16) -> Vec<Line<'static>> {
    const INDENT: &str = "    ";
    let width = usize::from(width);
    // A pane that is narrower holds no words.
    if width < 4 * INDENT.len() {
        return lines;
    }
    let wrap = |line: Line<'static>| {
        let text: String = line
            .spans
            .iter()
            .map(|span| span.content.as_ref())
            .collect();
        if line.width() <= width {
            return vec![line];
        }
        let style = line
            .spans
            .first()
            .map_or(line.style, |span| line.style.patch(span.style));
        let options = textwrap::Options::new(width).subsequent_indent(INDENT);
        let parts = textwrap::wrap(&text, options).into_iter();
        parts
            .map(|part| Line::styled(part.into_owned(), style))
            .collect()
    };
    lines.into_iter().flat_map(wrap).collect()
}

fn is_marked(line: &Line<'_>) -> bool {
    line.style.add_modifier.contains(Modifier::REVERSED)
}

fn draw_map(app: &mut App<'_>, frame: &mut Frame<'_>, area: Rect, colours: Colours) {
    let metric = app.metric;
    let window = match metric {
        Metric::Held => 0,
        Metric::Deroutes | Metric::Words => app.window,
    };
    let held = match app.session.run.words_travel_alone {
        true => "words held",
        false => "packets held",
    };
    let count = |node: NodeId, heat: &flitwork_debug::heat::Heat| -> u32 {
        let place = node.index();
        match metric {
            Metric::Held => heat.held[place],
            Metric::Deroutes => heat.deroutes[place],
            Metric::Words => heat.words[place * heat.ports..][..heat.ports].iter().sum(),
        }
    };
    let Some(heat) = app.session.heat(window).cloned() else {
        return;
    };
    let fit = app
        .plane
        .fit(area.width.saturating_sub(2), area.height.saturating_sub(2));
    let hottest = |cell| {
        fit.nodes(&app.plane, cell)
            .map(|node| count(node, &heat))
            .max()
    };
    let cells = (0..fit.rows).flat_map(|row| (0..fit.columns).map(move |column| (column, row)));
    let cells: Vec<((u32, u32), u32)> = cells
        .filter_map(|cell| Some((cell, hottest(cell)?)))
        .collect();
    let most = cells.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let what = match metric {
        Metric::Held => held.to_owned(),
        Metric::Deroutes => format!("deroutes in {window} cycles"),
        Metric::Words => format!("words sent in {window} cycles"),
    };
    let squares = match fit.square {
        1 => String::new(),
        square => format!(", most of {square} x {square} nodes"),
    };
    let block = Block::bordered().title(format!(" {what}, 0 to {most}{squares} "));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let map = Map {
        app,
        fit,
        cells: &cells,
        most,
        colours,
    };
    frame.render_widget(map, inner);
}

struct Map<'a, 'b> {
    app: &'a App<'b>,
    fit: super::map::Fit,
    cells: &'a [((u32, u32), u32)],
    most: u32,
    colours: Colours,
}

impl Widget for Map<'_, '_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let chosen = self.app.plane.place(self.app.node);
        let chosen = chosen.map(|(x, y)| (x / self.fit.square, y / self.fit.square));
        for ((column, row), count) in self.cells {
            let heat = f64::from(*count) / f64::from(self.most.max(1));
            let width = usize::from(self.fit.cell);
            let number = count.to_string();
            let text = match width >= 2 && number.len() <= width && *count > 0 {
                true => format!("{number:>width$}"),
                false => self.colours.shade(heat).to_string().repeat(width),
            };
            let style = self.colours.heat(heat);
            let (x, y) = (
                area.x + *column as u16 * self.fit.cell,
                area.y + *row as u16,
            );
            if y < area.bottom() && x + self.fit.cell <= area.right() {
                let is_chosen = chosen == Some((*column, *row));
                let (text, style) = match is_chosen {
                    true => (
                        marked(&text),
                        Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD),
                    ),
                    false => (text, style),
                };
                buffer.set_string(x, y, text, style);
            }
        }
    }
}

/// The cell of the node that is looked at: seen without colours, too.
fn marked(text: &str) -> String {
    match text.trim().is_empty() {
        true => "▒".repeat(text.chars().count()),
        false => text.to_owned(),
    }
}
