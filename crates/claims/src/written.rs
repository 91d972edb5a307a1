//! Claims as they are written down, and what is wrong with them.

use crate::claim::{Cells, Claim, Claims, Command, Expected, Seeds, plain};
use serde::Deserialize;
use std::ops::Range;
use std::str::FromStr;
use toml::Spanned;

/// What is wrong in the file of claims.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}{}", .allowed.as_ref().map(|it| format!("\n  allowed: {it}")).unwrap_or_default())]
pub struct Bad {
    /// The line, counted from 1.
    pub line: usize,
    /// The key and what was found.
    pub what: String,
    /// What is allowed, unless the parser's message says so.
    pub allowed: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    command: Vec<Spanned<WrittenCommand>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCommand {
    run: Spanned<String>,
    seeds: Option<Spanned<String>>,
    claim: Vec<Spanned<WrittenClaim>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClaim {
    page: Spanned<String>,
    says: Spanned<String>,
    table: Option<String>,
    #[serde(rename = "where", default)]
    row: Cells,
    column: Spanned<String>,
    half_width_column: Option<String>,
    each: Option<String>,
    relative_to: Option<Cells>,
    value: Option<Spanned<f64>>,
    half_width: Option<Spanned<f64>>,
    rounded_to: Option<Spanned<f64>>,
    at_least: Option<Spanned<f64>>,
    at_most: Option<Spanned<f64>>,
    more_than: Option<Spanned<Cells>>,
    count: Option<Spanned<u64>>,
    of: Option<Spanned<u64>>,
    of_column: Option<String>,
}

/// The text of a file, for the lines of its places.
struct Lines<'t>(&'t str);

impl Lines<'_> {
    fn of(&self, place: &Range<usize>) -> usize {
        let before = self.0.as_bytes().iter().take(place.start);
        1 + before.filter(|byte| **byte == b'\n').count()
    }

    fn bad<T>(&self, place: Range<usize>, what: &str, allowed: &str) -> Result<T, Bad> {
        Err(Bad {
            line: self.of(&place),
            what: what.to_owned(),
            allowed: Some(allowed.to_owned()),
        })
    }
}

impl FromStr for Claims {
    type Err = Bad;

    fn from_str(text: &str) -> Result<Claims, Bad> {
        let lines = Lines(text);
        let file: WrittenFile = toml::from_str(text).map_err(|error| Bad {
            line: error.span().map_or(1, |place| lines.of(&place)),
            what: error.message().to_owned(),
            allowed: None,
        })?;
        let commands = file.command.into_iter().map(|it| command(&lines, it));
        Ok(Claims {
            commands: commands.collect::<Result<_, _>>()?,
        })
    }
}

fn command(lines: &Lines, written: Spanned<WrittenCommand>) -> Result<Command, Bad> {
    let place = written.span();
    let written = written.into_inner();
    let words = match shlex::split(written.run.get_ref()) {
        Some(words) if !words.is_empty() => words,
        _ => {
            let what = format!("run is {:?}", written.run.get_ref());
            return lines.bad(
                written.run.span(),
                &what,
                "what follows `flitwork`, with quotes closed",
            );
        }
    };
    let seeds = match &written.seeds {
        None => Seeds::First,
        Some(seeds) => read_seeds(lines, seeds)?,
    };
    if written.claim.is_empty() {
        return lines.bad(place, "claim is missing", "one or more claims of a command");
    }
    let claims = written.claim.into_iter().map(|it| claim(lines, it));
    let claims: Vec<Claim> = claims.collect::<Result<_, _>>()?;
    if let Seeds::After(_) = seeds
        && let Some(one) = claims
            .iter()
            .find(|it| it.each.as_deref() != Some("seed") && !it.row.contains_key("seed"))
    {
        let allowed =
            "each = \"seed\" with seeds = \"after-N\": other rows have seeds that a page used"
                .to_owned();
        return Err(Bad {
            line: one.line,
            what: "each is missing".to_owned(),
            allowed: Some(allowed),
        });
    }
    Ok(Command {
        words,
        seeds,
        claims,
    })
}

fn read_seeds(lines: &Lines, written: &Spanned<String>) -> Result<Seeds, Bad> {
    let after = |text: &str| text.strip_prefix("after-")?.parse().ok();
    match written.get_ref().as_str() {
        "first-seed" => Ok(Seeds::First),
        "seed" => Ok(Seeds::One),
        "none" => Ok(Seeds::None),
        other => match after(other) {
            Some(seed) => Ok(Seeds::After(seed)),
            None => {
                let what = format!("seeds is {other:?}");
                let allowed = "\"first-seed\" (--first-seed N is added), \"seed\" (--seed N), \"after-3\" (of seeds from 1 on those after 3), \"none\"";
                lines.bad(written.span(), &what, allowed)
            }
        },
    }
}

fn claim(lines: &Lines, written: Spanned<WrittenClaim>) -> Result<Claim, Bad> {
    let place = written.span();
    let line = lines.of(&place);
    let written = written.into_inner();
    for (key, text) in [
        ("page", &written.page),
        ("says", &written.says),
        ("column", &written.column),
    ] {
        if text.get_ref().trim().is_empty() {
            return lines.bad(text.span(), &format!("{key} is empty"), "a text");
        }
    }
    let expected = expected(lines, &written, place)?;
    Ok(Claim {
        line,
        says: plain(written.says.get_ref()),
        page: written.page.into_inner(),
        table: written.table.unwrap_or_else(|| "rows".into()),
        row: written.row,
        column: written.column.into_inner(),
        half_width_column: written.half_width_column,
        each: written.each,
        relative_to: written.relative_to,
        expected,
    })
}

const KINDS: &str = "one of value, at_least and at_most, more_than, and count";

fn expected(lines: &Lines, written: &WrittenClaim, place: Range<usize>) -> Result<Expected, Bad> {
    let bound = written.at_least.as_ref().or(written.at_most.as_ref());
    let kinds = [
        written.value.as_ref().map(|it| ("value", it.span())),
        bound.map(|it| ("at_least or at_most", it.span())),
        written
            .more_than
            .as_ref()
            .map(|it| ("more_than", it.span())),
        written.count.as_ref().map(|it| ("count", it.span())),
    ];
    let mut kinds = kinds.into_iter().flatten();
    let Some((first, _)) = kinds.next() else {
        return lines.bad(place, "nothing is claimed", KINDS);
    };
    if let Some((second, place)) = kinds.next() {
        return lines.bad(place, &format!("{second} is given besides {first}"), KINDS);
    }
    companions(lines, written)?;
    let number = |it: &Option<Spanned<f64>>| it.as_ref().map(|it| *it.get_ref());
    if let Some(mean) = number(&written.value) {
        return Ok(Expected::Value {
            mean,
            half_width: number(&written.half_width).unwrap_or(0.0),
            rounded_to: number(&written.rounded_to).unwrap_or(0.0),
        });
    }
    if let Some(cells) = &written.more_than {
        return Ok(Expected::MoreThan(cells.get_ref().clone()));
    }
    let (Some(count), Some(of)) = (&written.count, &written.of) else {
        let (least, most) = (number(&written.at_least), number(&written.at_most));
        return Ok(Expected::Bounds { least, most });
    };
    Ok(Expected::Count {
        count: *count.get_ref(),
        of: *of.get_ref(),
        of_column: written.of_column.clone().unwrap_or_else(|| "seeds".into()),
    })
}

/// Keys that stand only beside others, and their ranges.
fn companions(lines: &Lines, written: &WrittenClaim) -> Result<(), Bad> {
    for (key, it) in [
        ("half_width", &written.half_width),
        ("rounded_to", &written.rounded_to),
    ] {
        let Some(it) = it else { continue };
        if written.value.is_none() {
            return lines.bad(
                it.span(),
                &format!("{key} is given without value"),
                "with value",
            );
        }
        if !(*it.get_ref() >= 0.0 && it.get_ref().is_finite()) {
            return lines.bad(
                it.span(),
                &format!("{key} is {}", it.get_ref()),
                "0 or more",
            );
        }
    }
    match (&written.count, &written.of) {
        (Some(count), None) => lines.bad(count.span(), "of is missing", "count and of together"),
        (None, Some(of)) => lines.bad(
            of.span(),
            "of is given without count",
            "count and of together",
        ),
        (Some(count), Some(of)) if count.get_ref() > of.get_ref() => {
            let what = format!("count is {}", count.get_ref());
            lines.bad(
                count.span(),
                &what,
                &format!("0 to {}, as of says", of.get_ref()),
            )
        }
        (None, None) if written.of_column.is_some() => lines.bad(
            written.column.span(),
            "of_column is given without count",
            "with count and of",
        ),
        _ => Ok(()),
    }
}
