//! Where two runs part, found out in the background.

use crate::background::{Background, locked};
use crate::run::{Run, Use};
use crate::shown::difference_json;
use flitwork_debug::rows::Nodes;
use flitwork_debug::{Explained, Timeline, explain, first_difference, first_probe};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// What is known of the difference.
#[derive(Clone, Debug, Default)]
pub enum Difference {
    /// It is being looked for.
    #[default]
    Searching,
    /// There is none: every node does the same in each of its cycles.
    Same,
    /// It is found, as `flitwork trace diff --json` prints it.
    Found(Arc<Value>),
}

/// Two runs that are compared.
pub struct Compared {
    found: Arc<Mutex<Difference>>,
    _thread: Background,
}

impl Compared {
    /// Begins to look for the first difference.
    ///
    /// # Errors
    /// If the host gives no thread.
    pub fn begin(runs: [Arc<Run>; 2], most_bytes: usize) -> std::io::Result<Compared> {
        let found = Arc::new(Mutex::new(Difference::Searching));
        let put = found.clone();
        let thread = Background::begin("compare", move |ending| {
            let go_on = &mut || !ending.is_asked();
            if let Some(difference) = compare(&runs, most_bytes, go_on) {
                *locked(&put) = difference;
            }
        })?;
        Ok(Compared {
            found,
            _thread: thread,
        })
    }

    /// What is known.
    pub fn difference(&self) -> Difference {
        locked(&self.found).clone()
    }
}

/// `None` if it is to stop.
fn compare(
    runs: &[Arc<Run>; 2],
    most_bytes: usize,
    go_on: &mut dyn FnMut() -> bool,
) -> Option<Difference> {
    let [one, other] = runs;
    let timeline = |run: &Run, usage| {
        Timeline::new(
            run.repeats.begin(usage, first_probe()),
            most_bytes / 2,
            run.cycle_time,
        )
    };
    let mut a = timeline(one, Use::Events);
    let mut b = timeline(other, Use::Events);
    let ends = [one.end, other.end];
    let found = first_difference([&mut a, &mut b], ends, go_on);
    if !go_on() {
        return None;
    }
    let Some(found) = found else {
        return Some(Difference::Same);
    };
    let explained = [0, 1].map(|side: usize| -> Option<Explained> {
        let mut timeline = timeline(&runs[side], Use::Views);
        explain(&mut timeline, found.node, found.cycle, ends[side], go_on)
    });
    let nodes = [Nodes::new(&one.shape), Nodes::new(&other.shape)];
    let json = difference_json(
        [&nodes[0], &nodes[1]],
        [one.unit, other.unit],
        &found,
        explained.each_ref().map(Option::as_ref),
    );
    Some(Difference::Found(Arc::new(json)))
}
