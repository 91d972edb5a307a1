//! Where a terminal's packets go, as probabilities.

use flitwork_types::TerminalId;

/// The parts of a terminal's packets that go to each destination. They sum up to 1, or to 0 if it sends none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spread {
    /// The part that goes to all other terminals alike, the sum over them.
    pub others: f64,
    /// The parts that go to single terminals besides; a terminal may be listed more than once.
    pub single: Vec<(TerminalId, f64)>,
}

impl Spread {
    /// All to one terminal; nothing if there is none.
    pub fn to(destination: Option<TerminalId>) -> Spread {
        Spread::alike(destination)
    }

    /// To each of several terminals as much; nothing if there are none. One that occurs twice gets twice as much.
    pub fn alike(destinations: impl IntoIterator<Item = TerminalId>) -> Spread {
        let mut single: Vec<_> = destinations.into_iter().map(|it| (it, 0.0)).collect();
        let part = 1.0 / single.len() as f64;
        single.iter_mut().for_each(|it| it.1 = part);
        Spread {
            others: 0.0,
            single,
        }
    }

    /// Whether nothing is sent.
    pub fn is_nothing(&self) -> bool {
        self.others == 0.0 && self.single.is_empty()
    }
}
