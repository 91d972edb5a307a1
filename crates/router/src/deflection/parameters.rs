//! `[router.deflection]`: the kind of deflection router, as keys and validated parameters.

use super::priority::{Golden, Priority, PriorityEntry};
use flitwork_schema::{Allowed, Key, Parts, WrongValue, key, key_apart, only_with};

/// The most flits that a side buffer may hold.
pub const MAX_SIDE_BUFFER_FLITS: usize = 64;
/// The longest time, in cycles, and the largest number that any parameter may ask for.
pub(super) const MOST: u32 = 1 << 24;

/// What is routed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switching {
    /// Each word independently (FLIT-BLESS, CHIPPER, MinBD).
    #[default]
    Flit,
    /// A head, whose words follow it until an older worm takes their output (WORM-BLESS).
    Worm,
}

/// Which of several equally good ports a word gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PortChoice {
    /// The first, along the first dimension before the second, and so on.
    #[default]
    Ordered,
    /// Any, chosen uniformly.
    Random,
}

/// The parameters of a deflection router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeflectionParameters {
    /// What is routed.
    pub switching: Switching,
    /// Who chooses first.
    pub priority: Priority,
    /// Which of several equally good ports a word gets.
    pub port_choice: PortChoice,
    /// Words that may leave for the processor in a cycle.
    pub eject_words: u8,
    /// Flits that the side buffer holds; 0 for none.
    pub side_buffer_flits: usize,
    /// Cycles in which the first flit of the side buffer finds no link before another must make room.
    pub redirection_cycles: u32,
}

flitwork_schema::named!(Switching { Flit = "flit", Worm = "worm" });
flitwork_schema::named!(PortChoice { Ordered = "ordered", Random = "random" });

const PRESETS: &[&str] = &["flit-bless", "worm-bless", "chipper", "minbd"];
pub(super) const REDIRECTION: &str = "redirection_cycles";
const FLITS: Allowed = Allowed::Whole(0, MAX_SIDE_BUFFER_FLITS as u64);
const GOLDEN: Allowed = Allowed::Whole(1, MOST as u64);
const PRIORITY: Allowed = Allowed::Part(Parts::names::<PriorityEntry>);

#[rustfmt::skip]
pub(super) const KEYS: &[Key<DeflectionParameters>] = &[
    key_apart("preset", Allowed::Choice(PRESETS), "\"flit-bless\"", "which design sets the defaults of the other keys: FLIT-BLESS and WORM-BLESS of Moscibroda and Mutlu 2009, CHIPPER of Fallin and others 2011, or MinBD of Fallin and others 2012"),
    key("switching", |it| &mut it.switching, Allowed::Choice(Switching::NAMES), "\"flit\"; worm-bless: \"worm\"", "whether each word is routed independently, or words follow their head until an older worm takes their link"),
    key_apart("priority", PRIORITY, "\"oldest-first\"; chipper, minbd: \"golden\"", "which word chooses its link first; greedy for flits only"),
    key("port_choice", |it| &mut it.port_choice, Allowed::Choice(PortChoice::NAMES), "\"ordered\"; chipper, minbd: \"random\"", "which of several equally good links is taken: those of the first dimension first, or any"),
    key("eject_words", |it| &mut it.eject_words, Allowed::Whole(1, 32), "1; minbd: 2", "words that may be ejected to the processor per cycle"),
    key("side_buffer_flits", |it| &mut it.side_buffer_flits, FLITS, "0; minbd: 4", "flits that the side buffer holds; with flits only"),
    only_with("a side buffer, by router.deflection.side_buffer_flits or router.deflection.preset", key(REDIRECTION, |it| &mut it.redirection_cycles, Allowed::Whole(0, MOST as u64), "2", "cycles in which the first flit of the side buffer finds no link before another must make room for it")),
    key_apart("epoch_cycles", GOLDEN, "long enough to deliver a golden packet", "cycles for which a packet is golden; with golden only"),
    key_apart("transactions", GOLDEN, "16", "how many numbers the packets of a source have, one of which is golden at a time; with golden only"),
];

impl DeflectionParameters {
    /// FLIT-BLESS (Moscibroda and Mutlu 2009, section 3.1).
    pub fn flit_bless() -> DeflectionParameters {
        DeflectionParameters {
            switching: Switching::Flit,
            priority: Priority::OldestFirst,
            port_choice: PortChoice::Ordered,
            eject_words: 1,
            side_buffer_flits: 0,
            redirection_cycles: 2,
        }
    }

    /// WORM-BLESS (Moscibroda and Mutlu 2009, section 3.2).
    pub fn worm_bless() -> DeflectionParameters {
        DeflectionParameters {
            switching: Switching::Worm,
            ..DeflectionParameters::flit_bless()
        }
    }

    /// CHIPPER (Fallin, Craik and Mutlu 2011) without its permutation network: here a flit gets any port that
    /// no flit before it has taken.
    pub fn chipper(golden: Golden) -> DeflectionParameters {
        DeflectionParameters {
            priority: Priority::Golden(golden),
            port_choice: PortChoice::Random,
            ..DeflectionParameters::flit_bless()
        }
    }

    /// MinBD (Fallin and others 2012): CHIPPER with a side buffer of 4 flits and two ejections per cycle.
    pub fn minbd(golden: Golden) -> DeflectionParameters {
        DeflectionParameters {
            eject_words: 2,
            side_buffer_flits: 4,
            ..DeflectionParameters::chipper(golden)
        }
    }

    /// Checks everything that types don't.
    ///
    /// # Errors
    /// The first parameter that makes no sense.
    pub fn check(&self) -> Result<(), WrongValue> {
        flitwork_schema::check(KEYS, self)?;
        if let Priority::Golden(golden) = self.priority {
            let range = (1, MOST.into());
            WrongValue::unless_within("epoch_cycles", golden.epoch_cycles.into(), range)?;
            WrongValue::unless_within("transactions", golden.transactions.into(), range)?;
        }
        if self.switching == Switching::Flit {
            return Ok(());
        }
        if self.side_buffer_flits > 0 {
            let allowed = "0 where worms are routed: a word of a worm can't wait";
            let (key, found) = ("side_buffer_flits", self.side_buffer_flits);
            return Err(WrongValue::new(key, found, allowed));
        }
        if self.priority == Priority::Greedy {
            let allowed = "golden, oldest-first or random where worms are routed: greedy chooses a packet \
                           for each link, but the words of a worm follow their head";
            return Err(WrongValue::new("priority", self.priority.name(), allowed));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: Golden = Golden {
        epoch_cycles: 16,
        transactions: 4,
    };

    fn refused(change: impl FnOnce(&mut DeflectionParameters)) -> (&'static str, String) {
        let mut parameters = DeflectionParameters::minbd(GOLDEN);
        change(&mut parameters);
        let error = parameters.check().unwrap_err();
        (error.key, error.to_string())
    }

    #[test]
    fn presets_make_sense() {
        for parameters in [
            DeflectionParameters::flit_bless(),
            DeflectionParameters::worm_bless(),
            DeflectionParameters::chipper(GOLDEN),
            DeflectionParameters::minbd(GOLDEN),
        ] {
            assert_eq!(parameters.check(), Ok(()));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let (key, text) = refused(|parameters| parameters.eject_words = 0);
        assert_eq!(
            (key, &*text),
            (
                "eject_words",
                "eject_words is 0; allowed: a whole number from 1 to 32"
            )
        );
        let golden = |epoch_cycles, transactions| {
            Priority::Golden(Golden {
                epoch_cycles,
                transactions,
            })
        };
        let key = |change: fn(&mut DeflectionParameters)| refused(change).0;
        assert_eq!(key(|p| p.side_buffer_flits = 65), "side_buffer_flits");
        assert_eq!(
            key(|p| p.redirection_cycles = u32::MAX),
            "redirection_cycles"
        );
        assert_eq!(refused(|p| p.priority = golden(0, 1)).0, "epoch_cycles");
        assert_eq!(refused(|p| p.priority = golden(1, 0)).0, "transactions");
        assert_eq!(key(|p| p.switching = Switching::Worm), "side_buffer_flits");
        let greedy_worms = |parameters: &mut DeflectionParameters| {
            *parameters = DeflectionParameters::worm_bless();
            parameters.priority = Priority::Greedy;
        };
        assert_eq!(refused(greedy_worms).0, "priority");
    }
}
