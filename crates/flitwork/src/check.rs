//! `flitwork check`.

use crate::args::{Check, Schema};
use crate::exit::{Code, Exit, FINE, NETWORK_FAILED, complain, print};
use crate::run::resolve;
use flitwork_config::{Catalogue, Override};
use flitwork_experiment::examine::{Deadlock, Examination, examine};
use std::fmt::Write;

pub(crate) fn run(asked: &Check, catalogue: &Catalogue) -> Result<Code, Exit> {
    let Some(config) = asked.config.as_ref().filter(|_| asked.schema.is_none()) else {
        let schema = match asked.schema {
            Some(Schema::Results) => flitwork_results::json_schema(),
            Some(Schema::Configuration) | None => catalogue.json_schema(),
        };
        print(&format!("{schema:#}\n"))?;
        return Ok(Code(FINE));
    };
    match resolve(catalogue, config, &asked.settings, Vec::new()) {
        Ok(resolved) => {
            let found = examine(&resolved);
            show(&found)?;
            Ok(verdict(&found))
        }
        Err(refused) => {
            // A configuration that is refused because it may deadlock, and for nothing else, is shown how.
            let key = "router.wormhole.allow_deadlock";
            let all_the_same = Override::by_option("check", key, "true");
            let Ok(resolved) = resolve(catalogue, config, &asked.settings, vec![all_the_same])
            else {
                return Err(refused);
            };
            let found = examine(&resolved);
            show(&found)?;
            match verdict(&found) {
                Code(NETWORK_FAILED) => {
                    complain(&format!(
                        "hint: `flitwork run` refuses it without {key} = true"
                    ));
                    Ok(Code(NETWORK_FAILED))
                }
                // Whether it may deadlock isn't known, and that is why it was refused.
                _ => Err(refused),
            }
        }
    }
}

/// Packets that can wait for each other in a circle are a network that may fail.
fn verdict(found: &Examination) -> Code {
    Code(match found.deadlock {
        Deadlock::May(_) => NETWORK_FAILED,
        Deadlock::Free(_) | Deadlock::Unknown(_) => FINE,
    })
}

fn show(found: &Examination) -> Result<(), Exit> {
    let width = found.facts.iter().map(|(name, _)| name.len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for (name, value) in &found.facts {
        let _ = writeln!(text, "{name:width$}  {value}");
    }
    let _ = writeln!(text, "\n{}\n{}", found.deadlock, found.livelock);
    print(&text)?;
    for warning in &found.warnings {
        complain(&format!("warning: {warning}"));
    }
    Ok(())
}
