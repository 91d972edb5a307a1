//! `flitwork adversary`.

use crate::args::Adversary;
use crate::exit::{Code, Exit, FINE, INTERRUPTED, Interruption, NETWORK_FAILED, complain, print};
use crate::{progress, run};
use flitwork_experiment::adverse::{self, AdverseError};

pub(crate) fn run(asked: &Adversary, interruption: &Interruption) -> Result<Code, Exit> {
    let resolved = run::resolve(&asked.config, &asked.settings)?;
    // A file that can't be written is found before the work is done.
    let mut file = std::fs::File::create(&asked.out)
        .map_err(|error| Exit::bad_input(format!("--out: {}: {error}", asked.out.display())))?;
    let spinner = progress::spinner();
    spinner.set_message("construction");
    let constructed = adverse::construct(&resolved, asked.corner, &mut |progress| {
        spinner.set_position(progress.cycle.get().into());
        interruption.flow()
    });
    spinner.finish_and_clear();
    let permutation = match constructed {
        Ok(permutation) => permutation,
        Err(AdverseError::Interrupted) => {
            complain("interrupted: no permutation was written");
            return Ok(Code(INTERRUPTED));
        }
        Err(error @ AdverseError::Undelivered { .. }) => {
            complain(&format!("error: {error}"));
            return Ok(Code(NETWORK_FAILED));
        }
        Err(error) => {
            let config = asked.config.display();
            return Err(Exit::bad_input(format!("{config}: {error}")));
        }
    };
    serde_json::to_writer(&mut file, &permutation)
        .map_err(|error| Exit::bad_input(format!("--out: {}: {error}", asked.out.display())))?;
    let packets = permutation.packets.len();
    let mut text = format!(
        "construction           {} for n = {}, corner {} x {}\n\
         packets                {packets}, {} a whole class\n\
         exchanges              {}\n\
         cycles                 {}\n\
         digest                 {}\n",
        permutation.construction,
        permutation.n,
        permutation.corner,
        permutation.corner,
        permutation.per_class,
        permutation.exchanges,
        permutation.cycles,
        permutation.digest,
    );
    if let Some(holds) = permutation.lemma_2_12 {
        let verdict = if holds { "holds" } else { "DOES NOT HOLD" };
        text += &format!("Lemma 2.12             {verdict}: the run on the permutation repeats the construction\n");
        if !holds {
            print(&text)?;
            return Err(Exit::Failure("the construction's digest was not repeated".into()));
        }
    }
    text += &format!("written                {}\n", asked.out.display());
    print(&text)?;
    Ok(Code(FINE))
}
