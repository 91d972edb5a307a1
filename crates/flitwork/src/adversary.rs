//! `flitwork adversary`.

use crate::args::Adversary;
use crate::asking::Asking;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, NETWORK_FAILED, complain, print};
use crate::program::provenance;
use crate::{progress, run};
use flitwork_experiment::memory;
use flitwork_experiment::worst_case::{self, Construction, Permutation, WorstCaseError};

pub(crate) fn run(args: &Adversary, asking: &Asking<'_>) -> Result<Code, Exit> {
    let resolved = run::resolve(asking.catalogue, &args.config, &args.settings, Vec::new())?;
    memory::admit(&worst_case::as_constructed(&resolved), 1.0).map_err(Exit::bad_input)?;
    asking.places.prepare()?;
    let spinner = progress::spinner();
    spinner.set_message("construction");
    let chosen = Construction {
        corner: args.corner,
        exchange: args.exchange,
        d: args.d,
    };
    let constructed = worst_case::construct(&resolved, &chosen, &mut |progress| {
        spinner.set_position(progress.cycle.get().into());
        asking.interruption.flow()
    });
    spinner.finish_and_clear();
    let permutation = match constructed {
        Ok(permutation) => permutation,
        Err(WorstCaseError::Interrupted) => {
            complain("interrupted: no permutation was written");
            return Ok(Code(INTERRUPTED));
        }
        Err(error @ WorstCaseError::Undelivered { .. }) => {
            complain(&format!("error: {error}; no permutation was written"));
            return Ok(Code(NETWORK_FAILED));
        }
        Err(error) => return Err(refused(args, &error)),
    };
    let json = serde_json::to_vec(&provenance(&resolved).with(&permutation));
    let json = json.map_err(Exit::failure)?;
    let written =
        flitwork_files::write(&args.out, &json).map_err(|error| Exit::unwritable("--out", &error));
    print(&text(&permutation))?;
    written?;
    if permutation.lemma_2_12 == Some(false) {
        return Err(Exit::Failure(
            "the run on the permutation didn't repeat the construction's digest".into(),
        ));
    }
    print(&format!("written                {}\n", args.out.display()))?;
    Ok(Code(FINE))
}

/// The refusal of a configuration that the construction can't handle, at the place where the key was set last.
fn refused(args: &Adversary, error: &WorstCaseError) -> Exit {
    let key = match error {
        WorstCaseError::Setting { key, .. } => Some(*key),
        _ => None,
    };
    let sets = |set: &&String| set.split_once('=').map(|(given, _)| given.trim()) == key;
    let place = match (args.settings.set.iter().rev().find(sets), args.corner) {
        (Some(set), _) if key.is_some() => format!("command line: --set {set}"),
        (_, Some(corner)) if key.is_none() => format!("command line: --corner {corner}"),
        _ if key.is_some_and(|key| key.starts_with("--")) => "command line".into(),
        _ if key.is_none() && args.d.is_some() => "command line: --d".into(),
        _ => match key.and_then(|key| flitwork_config::locate(&args.config, key)) {
            Some((line, column)) => format!("{}:{line}:{column}", args.config.display()),
            None => args.config.display().to_string(),
        },
    };
    let hint = match (error, key) {
        (_, Some(key)) if key.contains('.') => {
            format!("\n  hint: change it in the file, or with --set {key}=…")
        }
        (WorstCaseError::Plan(_), _) if args.corner.is_none() => {
            "\n  hint: make network.sides larger, or choose the corner's side with --corner".into()
        }
        _ => String::new(),
    };
    Exit::bad_input(format!("{place}: {error}{hint}"))
}

fn text(permutation: &Permutation) -> String {
    let Permutation {
        construction,
        n,
        corner,
        per_class,
        ..
    } = permutation;
    let packets = permutation.packets.len();
    let mut text = format!(
        "construction           {construction} for n = {n}, corner {corner} x {corner}\n\
         packets                {packets}, up to {per_class} a class\n\
         exchanges              {}\n\
         cycles                 {}\n\
         digest                 {}\n",
        permutation.exchanges, permutation.cycles, permutation.digest,
    );
    if let Some(holds) = permutation.lemma_2_12 {
        let verdict = if holds { "holds" } else { "DOES NOT HOLD" };
        text += &format!(
            "Lemma 2.12             {verdict}: the run on the permutation repeats the construction\n"
        );
    }
    text
}
