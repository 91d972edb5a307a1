//! `flitwork reference`.

use crate::args::{Reference, Subject};
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, print};
use flitwork_config::Catalogue;
use flitwork_report::{Header, markdown};
use flitwork_results::{figures, tables};
use flitwork_schema::{Part, Parts};
use flitwork_studies::paper::PaperEntry;
use flitwork_studies::study::StudyEntry;
use flitwork_sweep::sweep_columns;

pub(crate) fn run(args: &Reference, asking: &Asking<'_>) -> Result<Code, Exit> {
    let text = match args.subject {
        Subject::Keys => keys(asking.catalogue),
        Subject::Columns => columns(),
        Subject::Studies => studies(asking.catalogue.parts()),
    };
    asking.places.prepare()?;
    print(&text)?;
    Ok(Code(FINE))
}

fn keys(catalogue: &Catalogue) -> String {
    let mut text = String::from(
        "# Configuration reference\n\n| key | allowed | default | meaning |\n|---|---|---|---|\n",
    );
    for key in catalogue.describe_keys() {
        text += &format!(
            "| `{}` | {} | {} | {} |\n",
            key.key, key.allowed, key.default, key.meaning
        );
    }
    text
}

const ABOUT_COLUMNS: &str = "\
# Columns of results

Every column that a file of results may have; [columns of studies](study-columns.md) has those of studies. A column has one name, unit and type wherever it appears, and what isn't
known is missing: an empty cell in CSV, null in JSON and Parquet. A type `count` is a whole number that isn't negative.
Each table `NAME.csv` is also `NAME.parquet` if the program was built with that feature.
Loads, `words/node/cycle`, are of terminals: a node has one in most networks, and none or several in others.
[Files of results](results.md) says what else is in the files.
";

const ABOUT_STUDIES: &str = "\
# Columns of studies

The columns of every study and every paper's experiment, as they are unless options ask for others. The first table, `rows`, is
what is printed, and with `--out DIR` the file `NAME.csv`; each other is a list beside the rows in JSON, and `NAME-TABLE.csv`.
What isn't known is missing: an empty cell in CSV, null in JSON and Parquet. [Columns of results](columns.md) has those of other
files.
";

/// Every column of every study and of every paper's experiment.
fn studies(parts: &Parts) -> String {
    let studies = parts.all::<StudyEntry>();
    let papers = parts.all::<PaperEntry>();
    let studies = studies.into_iter().map(|entry| ("study", entry));
    let papers = papers.into_iter().map(|entry| ("paper", entry.0));
    let mut text = ABOUT_STUDIES.to_owned();
    for (kind, entry) in studies.chain(papers) {
        text += &format!("\n## `flitwork {kind} {}`\n", entry.name());
        for table in entry.tables() {
            text += &format!("\n`{}`\n\n{}", table.name, markdown(table.headers()));
        }
    }
    text
}

/// Every column of every file, file by file.
fn columns() -> String {
    let of_figures = figures().iter().map(|it| it.column.header.clone());
    let of_figures: Vec<Header> = of_figures.collect();
    let mut files = vec![("`results.json` and `results.csv`".to_owned(), of_figures)];
    for (name, columns) in tables() {
        let title = match name {
            // An option names the file.
            "packets" => "Files of `--packets`".into(),
            name => format!("`{name}.csv`"),
        };
        files.push((title, columns));
    }
    files.push(("`sweep.csv` and `sweep.parquet`".into(), sweep_columns()));
    let mut text = ABOUT_COLUMNS.to_owned();
    for (title, columns) in &files {
        text += &format!("\n## {title}\n\n{}", markdown(columns));
    }
    text
}
