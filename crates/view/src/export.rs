//! A folder that is opened from disk: the page, and of a run what can be shown without the program.
//!
//! ```text
//!   survey ──▶ strip, latencies ─┐
//!   player ──▶ samples of frames ┼──▶ data.js   ┐
//!   asker ──▶ slowest packets ───┘              ├──▶ FOLDER
//!   the page's files, in one ──▶ index.html ────┘
//! ```
//!
//! A browser loads no module and no data from a folder by itself, so styles and scripts stand in the page, and the data is
//! a script.

use crate::compared::{Compared, Difference};
use crate::page::frame::{self, DEROUTES, HEAD_BYTES, HELD, LINKS};
use crate::page::{PAGE, SCRIPTS, STYLE, about, difference_of, far_of, known, latencies_of};
use crate::palette::scale_text;
use crate::show::Show;
use crate::shown::named;
use crate::surveyed::{Packets, Rows};
use crate::worker::NotAsked;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flitwork_topology::Topology;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// The most bytes of all samples of a run.
const SAMPLES_BYTES: usize = 24_000_000;
/// The most samples of a run.
const MOST_SAMPLES: usize = 120;
/// How many of the slowest packets have their ways and causes with them.
const EXPLAINED: usize = 40;
/// How many of the slowest packets are listed.
const LISTED: usize = 100;
/// How often it is looked whether something is known meanwhile.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What may not stand in a page that is opened from disk: anything from elsewhere.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
    script-src 'self' 'unsafe-inline' file:; style-src 'unsafe-inline'; img-src data:\">";
const STYLE_LINK: &str = "<link rel=\"stylesheet\" href=\"/style.css\">";
const SCRIPT_LINK: &str = "<script type=\"module\" src=\"/app.js\"></script>";

/// Why there is no folder.
#[derive(Debug, thiserror::Error)]
pub enum NoFolder {
    /// It was to stop.
    #[error("interrupted")]
    Stopped,
    /// The host has failed.
    #[error("{0}")]
    Host(String),
    /// Too much is asked at once, or the program ends.
    #[error(transparent)]
    NotAsked(#[from] NotAsked),
}

/// The files of the folder, each with its name; the data say where they come from. `go_on` is told what is being done, and
/// says whether to go on.
///
/// # Errors
/// If it is to stop, or the host fails.
pub fn files(
    shows: &[Arc<Show>],
    compared: Option<&Compared>,
    provenance: &Value,
    go_on: &mut dyn FnMut(&str) -> bool,
) -> Result<Vec<(&'static str, Vec<u8>)>, NoFolder> {
    let mut runs = Vec::new();
    for show in shows {
        runs.push(run_of(show, go_on)?);
    }
    if let Some(compared) = compared {
        wait(
            "looking for the first difference",
            go_on,
            || match compared.difference() {
                Difference::Searching => None,
                _ => Some(()),
            },
        )?;
    }
    let data = json!({
        "provenance": provenance,
        "about": {
            "runs": shows.iter().map(|show| about(show)).collect::<Vec<_>>(),
            "heat": scale_text(),
        },
        "runs": runs,
        "difference": difference_of(compared),
    });
    let data = format!("globalThis.FLITWORK_DATA = {data};\n");
    Ok(vec![
        ("index.html", page().into_bytes()),
        ("data.js", data.into_bytes()),
    ])
}

/// Waits until something is known.
fn wait<T>(
    what: &str,
    go_on: &mut dyn FnMut(&str) -> bool,
    mut found: impl FnMut() -> Option<T>,
) -> Result<T, NoFolder> {
    loop {
        if let Some(found) = found() {
            return Ok(found);
        }
        if !go_on(what) {
            return Err(NoFolder::Stopped);
        }
        sleep(ASK_EVERY);
    }
}

fn run_of(show: &Show, go_on: &mut dyn FnMut(&str) -> bool) -> Result<Value, NoFolder> {
    wait("simulating", go_on, || {
        show.strip().filter(|strip| strip.ended.is_some())
    })?;
    let rows = wait("listing packets", go_on, || match show.packets() {
        Packets::Known(rows) => Some(Ok(rows)),
        Packets::Failed(error) => Some(Err(NoFolder::Host(error))),
        Packets::Waiting | Packets::Coming(_) => None,
    })??;
    Ok(json!({
        "state": known(show),
        "latencies": latencies_of(show, &rows, LISTED),
        "far": STANDARD.encode(far_of(show)),
        "frames": samples(show, go_on)?,
        "packets": explained(show, &rows, go_on)?,
    }))
}

/// Samples along the run, each with what is counted since the one before.
fn samples(show: &Show, go_on: &mut dyn FnMut(&str) -> bool) -> Result<Vec<Value>, NoFolder> {
    let (end, shape) = (show.end(), &show.run().shape);
    let (nodes, ports) = (shape.nodes() as usize, shape.ports());
    let each = HEAD_BYTES + 2 * nodes * (2 + ports);
    let steps = (SAMPLES_BYTES / each).clamp(2, MOST_SAMPLES) as u64 - 1;
    let mut found = Vec::new();
    let mut from = 0;
    for step in 0..=steps {
        // Exact, however long the run is.
        let to = (u128::from(end) * u128::from(step) / u128::from(steps)) as u64;
        let mut answer = show.frame(from, to)?;
        let frame = wait("sampling the run", go_on, || answer.try_get())?;
        let frame = frame.ok_or(NoFolder::Stopped)?;
        let bytes = frame::encode(&frame, HELD | DEROUTES | LINKS);
        found.push(json!({"to": to, "bytes": STANDARD.encode(bytes)}));
        from = to;
    }
    Ok(found)
}

/// The slowest packets by name, with their ways and causes.
fn explained(
    show: &Show,
    rows: &Rows,
    go_on: &mut dyn FnMut(&str) -> bool,
) -> Result<Map<String, Value>, NoFolder> {
    let slowest = rows.slowest.iter().take(EXPLAINED);
    let mut slowest: Vec<_> = slowest.map(|place| &rows.all[*place]).collect();
    // Time goes forwards once.
    slowest.sort_by_key(|row| row.injected);
    let mut found = Map::new();
    for packet in slowest.into_iter().filter_map(|row| row.packet()) {
        let mut answer = show.packet(packet)?;
        let answer = wait("explaining the slowest packets", go_on, || answer.try_get())?;
        let answer = answer.map_err(|error| NoFolder::Host(error.to_string()))?;
        found.insert(named(packet), answer);
    }
    Ok(found)
}

/// The page with its styles and scripts.
fn page() -> String {
    let scripts: String = SCRIPTS.iter().map(|(_, text)| alone(text)).collect();
    let script =
        format!("<script src=\"data.js\"></script>\n<script type=\"module\">\n{scripts}</script>");
    PAGE.replace(STYLE_LINK, &format!("{POLICY}\n<style>\n{STYLE}</style>"))
        .replace(SCRIPT_LINK, &script)
}

/// A module's text without what it has from others and gives to others: all stand in one.
fn alone(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("import "));
    lines
        .map(|line| format!("{}\n", line.strip_prefix("export ").unwrap_or(line)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_page_of_a_folder_loads_nothing_but_its_data() {
        let page = page();
        assert_eq!(page.matches("src=").count(), 1, "only data.js is loaded");
        assert!(page.contains("<script src=\"data.js\"></script>"));
        assert!(!page.contains("href=\"/"), "no style is loaded");
        assert_eq!(page.matches("</script>").count(), 2);
        assert_eq!(page.matches("</style>").count(), 1);
        for line in page.lines() {
            let is_module = line.starts_with("import ") || line.starts_with("export ");
            assert!(!is_module, "{line}");
        }
        // What is imported under another name would be missed in one scope.
        let imports = SCRIPTS.iter().flat_map(|(_, text)| text.lines());
        let mut imports = imports.filter(|line| line.starts_with("import "));
        assert!(imports.all(|line| !line.contains(" as ") && line.ends_with(".js\";")));
    }

    /// Modules stand in one scope: a name that two of them give would be an error there.
    #[test]
    fn no_two_scripts_give_the_same_name() {
        let mut names = BTreeSet::new();
        for (file, text) in SCRIPTS {
            for line in text
                .lines()
                .map(|line| line.strip_prefix("export ").unwrap_or(line))
            {
                let line = line.strip_prefix("async ").unwrap_or(line);
                let kinds = ["const ", "let ", "function ", "class ", "var "];
                let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else {
                    continue;
                };
                let end = rest.find(|letter: char| {
                    !letter.is_alphanumeric() && letter != '$' && letter != '_'
                });
                let name = &rest[..end.unwrap_or(rest.len())];
                assert!(
                    names.insert(name.to_owned()),
                    "{file}: {name} stands in two scripts"
                );
            }
        }
        assert!(names.len() > 30, "{names:?}");
    }
}
