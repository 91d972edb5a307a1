//! What the check of dependencies says of a wormhole router and its routing function.

use super::keys::RoutedWormhole;
use super::{Reallocation, Switching};
use crate::parameters::{BuildContext, Deadlock, Livelock, Verdicts};
use crate::routing::{Astray, Findings, Freedom, Routing, Verdict, Watch, check, examine};
use flitwork_schema::{RawTable, Refusal};
use flitwork_topology::Shape;

impl RoutedWormhole {
    /// Whether its packets can wait for each other, and whether they arrive.
    pub(super) fn examined(&self, around: &BuildContext<'_>, watch: &mut Watch<'_>) -> Verdicts {
        let none =
            |why: String| Verdicts::plain(Deadlock::Unknown(why.clone()), Livelock::Unknown(why));
        let routing = match self.function.build(&self.routing, around.shape) {
            Ok(routing) => routing,
            Err(error) => return none(error.to_string()),
        };
        match examine(routing.as_ref(), around.shape, watch) {
            Ok(found) => self.verdicts_on(found),
            Err(error) => Verdicts {
                unchecked: Some(error.clone()),
                ..none(format!("no verdict: {error}"))
            },
        }
    }

    /// What the check's findings mean with this router's buffers.
    fn verdicts_on(&self, found: Findings) -> Verdicts {
        let Findings { verdict, astray } = found;
        let mixes = self.parameters.reallocation == Reallocation::TailSent
            && self.parameters.switching == Switching::Wormhole;
        let escapes = self.function.freedom == Freedom::Escape;
        let in_words = verdict.to_string();
        let (circle, dependencies) = match verdict {
            Verdict::Acyclic {
                channels,
                dependencies,
            }
            | Verdict::EscapeAcyclic {
                channels,
                dependencies,
            } => (None, Some((channels, dependencies))),
            Verdict::Circle(ref circle) => (Some(circle.clone()), None),
        };
        let deadlock = match verdict {
            Verdict::EscapeAcyclic { .. } if mixes && escapes => Deadlock::May(
                "may deadlock: escape channels form no cycle, but with reallocation = \"tail-sent\" a head may \
                 wait behind another worm's words, where it can't take its escape channel (Duato 1993)"
                    .into(),
            ),
            Verdict::Circle(_) => Deadlock::May(in_words),
            Verdict::Acyclic { .. } | Verdict::EscapeAcyclic { .. } if !astray.is_empty() => Deadlock::May(
                "can deadlock: packets that have no route hold their channels for good, and others wait for these".into(),
            ),
            Verdict::Acyclic { .. } | Verdict::EscapeAcyclic { .. } => Deadlock::Free(in_words),
        };
        Verdicts {
            circle,
            dependencies,
            livelock: arrival(&astray, self.function.freedom),
            astray,
            ..Verdicts::plain(deadlock, Livelock::None(String::new()))
        }
    }

    /// Refuses a routing function of which only the check says whether it may deadlock, if it does.
    pub(super) fn refuse_circle(
        &self,
        given: &RawTable<'_>,
        routing: &dyn Routing,
        shape: &Shape,
    ) -> Result<(), Refusal> {
        let name = &self.routing.name;
        let what = match check(routing, shape) {
            Ok(Verdict::Circle(circle)) => {
                let channels = circle.held.len();
                format!(
                    "may deadlock: packets in {channels} virtual channels can wait for each other in a circle"
                )
            }
            Ok(_) => return Ok(()),
            Err(error) => format!("isn't known to be free of deadlock: {error}"),
        };
        let found = format!("{} is {name:?}, which {what}", given.key("routing"));
        let allowed = "a routing function that is free of deadlock, or allow_deadlock = true";
        let hint = "allow_deadlock = true runs it anyway; flitwork check shows a circle";
        let refusal = given.conflict("routing", allowed).found(found);
        Err(refusal
            .hint(Some(hint.into()))
            .lifted_by(given.key("allow_deadlock")))
    }
}

/// How many destinations to which packets go astray are listed.
const MOST_LISTED: usize = 10;

/// Whether packets arrive.
fn arrival(astray: &[Astray], freedom: Freedom) -> Livelock {
    if astray.is_empty() {
        let why = match freedom {
            Freedom::Checked => {
                "the routes of each packet end at its destination, whichever it takes"
            }
            _ => "the routing function bounds the hops of a packet",
        };
        return Livelock::None(why.into());
    }
    let listed = astray.iter().take(MOST_LISTED).flat_map(Astray::lines);
    let mut lines: Vec<String> = listed.collect();
    match astray.len().saturating_sub(MOST_LISTED) {
        0 => {}
        1 => lines.push("packets to 1 more destination go astray".into()),
        more => lines.push(format!("packets to {more} more destinations go astray")),
    }
    Livelock::May(lines.join("\n"))
}
