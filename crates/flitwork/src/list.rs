//! `flitwork list`.

use crate::args::List;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, print};
use flitwork_config::{Catalogue, NameGroup, groups};
use flitwork_export::ExportFormat;
use flitwork_report::Formats;
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::study::StudyEntry;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(crate) fn run(args: &List, asking: &Asking<'_>) -> Result<Code, Exit> {
    let groups = all(asking.catalogue);
    let kind = args.kind.as_deref().unwrap_or_default().to_lowercase();
    let chosen = groups.iter().filter(|group| group.name.starts_with(&kind));
    let chosen: Vec<&NameGroup> = chosen.collect();
    if args.kind.is_some() && chosen.len() != 1 {
        return Err(unknown(&kind, &groups));
    }
    let mut text = String::new();
    for (place, group) in chosen.into_iter().enumerate() {
        let gap = if place == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{} ({})", group.name, group.key);
        let widest = group.entries.iter().map(|(name, _)| name.len()).max();
        let width = widest.unwrap_or(0);
        for (name, summary) in &group.entries {
            let _ = writeln!(text, "  {name:width$}  {summary}");
        }
    }
    asking.places.prepare()?;
    print(&text)?;
    Ok(Code(FINE))
}

/// What configurations, commands and options can name.
fn all(catalogue: &Catalogue) -> Vec<NameGroup> {
    let parts = catalogue.parts();
    let unbuilt = "only in builds with the feature of this name";
    let listed = |all: BTreeMap<_, Option<_>>| {
        let all = all.into_iter();
        all.map(|(name, help)| (name, help.unwrap_or(unbuilt)))
            .collect()
    };
    let mut all = groups(catalogue);
    all.extend([
        NameGroup::of::<StudyEntry>("studies", "flitwork study NAME", parts),
        NameGroup::of::<PaperEntry>("papers", "flitwork paper NAME", parts),
        NameGroup {
            name: "formats",
            key: "--packets FILE.NAME, sweep.NAME".into(),
            entries: listed(Formats::of(parts).endings()),
        },
        NameGroup {
            name: "exports",
            key: "flitwork trace export --NAME".into(),
            entries: listed(flitwork_export::names(&parts.all::<ExportFormat>())),
        },
    ]);
    all
}

fn unknown(kind: &str, groups: &[NameGroup]) -> Exit {
    let names: Vec<&str> = groups.iter().map(|group| group.name).collect();
    Exit::bad_input(format!(
        "list: no kind, or more than one, begins with {kind:?}; allowed: {}",
        names.join(", ")
    ))
}
