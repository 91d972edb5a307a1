//! `flitwork reference`.

use crate::args::{Reference, Subject};
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, print};
use flitwork_config::Catalogue;
use flitwork_report::{Header, markdown};
use flitwork_results::{figures, tables};
use flitwork_sweep::sweep_columns;

pub(crate) fn run(args: &Reference, asking: &Asking<'_>) -> Result<Code, Exit> {
    let text = match args.subject {
        Subject::Keys => keys(asking.catalogue),
        Subject::Columns => columns(),
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

Every column that a file of results may have. A column has one name, unit and type wherever it appears, and what isn't
known is missing: an empty cell in CSV, null in JSON and Parquet. A type `count` is a whole number that isn't negative.
Each table `NAME.csv` is also `NAME.parquet` if the program was built with that feature.
Loads, `words/node/cycle`, are of nodes that send and receive: in a network with switches, of its terminals.
[Files of results](results.md) says what else is in the files.
";

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
