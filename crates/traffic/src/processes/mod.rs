//! Processes: when packets are made. Each process is one file and one line in the table below.

mod parameters;
mod read;

pub use parameters::{AnyProcess, Arrivals, Destinations, ProcessEntry, ProcessParameters};
pub use read::names_of;

pub(crate) use read::{entry, keys};

use crate::k_k::MOST_PACKETS;
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};

/// Declares the files of processes and puts the parameters that describe them into the table.
macro_rules! processes {
    ($($file:ident => $parameters:ty),+ $(,)?) => {
        $(mod $file;)+

        /// Every built-in process, sorted by name.
        const BUILT_IN: &[ProcessEntry] = &[$(ProcessEntry::of::<$parameters>()),+];
    };
}

processes! {
    batch => crate::BatchParameters,
    bernoulli => BernoulliParameters,
    h_h => HHParameters,
    k_k => KKParameters,
    modulated => crate::ModulatedParameters,
    on_off => crate::OnOffParameters,
    once => OnceParameters,
    phases => crate::PhasesParameters,
    schedule => ScheduleTraffic,
    trace => TraceParameters,
}

pub use bernoulli::BernoulliParameters;
pub use h_h::HHParameters;
pub use k_k::KKParameters;
pub use once::OnceParameters;
pub use schedule::ScheduleTraffic;
pub use trace::{TraceFormat, TraceMap, TraceParameters};

/// The greatest number of packets or cycles: what 32 bits hold.
const COUNT: u64 = u32::MAX as u64;
/// The longest packet that can be configured, in words.
pub(crate) const MAX_WORDS: u64 = 4096;
/// The unit of loads.
const LOAD: &str = "words per node and cycle";

/// `traffic.load`, which several processes read.
pub const fn load_key<P>(field: fn(&mut P) -> &mut dyn flitwork_schema::Field) -> Key<P> {
    key(
        "load",
        field,
        Allowed::Number(0.0, 1.0, LOAD),
        "required for bernoulli and on-off; modulated: the mean of its states",
        "the mean load that the sources offer; bernoulli, on-off and modulated only",
    )
}

/// `traffic.k`, which several processes read.
pub const fn k_key<P>(field: fn(&mut P) -> &mut dyn flitwork_schema::Field) -> Key<P> {
    key(
        "k",
        field,
        Allowed::Whole(1, COUNT),
        "1",
        "packets per source (once), number of random permutations (k-k), or the most packets that a node sends and receives (h-h)",
    )
}

/// Refuses static problems with too many packets.
pub(crate) fn hold_packets(given: &RawTable<'_>, k: u32, nodes: u32) -> Result<(), Refusal> {
    let most_k = MOST_PACKETS / u64::from(nodes);
    if u64::from(k) > most_k {
        let allowed = format!("1 to {most_k}: a problem has at most {MOST_PACKETS} packets");
        return Err(given.conflict("k", allowed));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_schema::Parts;

    #[test]
    fn the_table_is_sorted_and_all_processes_agree_about_shared_keys() {
        assert!(BUILT_IN.is_sorted_by(|one, next| one.name < next.name));
        let parts = Parts::new();
        // Merging two different keys of one name panics.
        let table = crate::TrafficParameters::keys(&parts);
        for entry in BUILT_IN {
            for key in entry.keys(&parts) {
                let found = table.within.iter().find(|it| it.name == key.name);
                assert_eq!(found, Some(&key), "{}", entry.name);
            }
        }
    }

    #[test]
    fn processes_are_equal_where_their_parameters_are() {
        let once = |packets| AnyProcess::from(OnceParameters { packets });
        assert!(once(2) == once(2).clone() && once(2) != once(3));
        assert!(once(2) != KKParameters { k: 2 }.into());
        assert_eq!(once(2).get(), Some(&OnceParameters { packets: 2 }));
        assert_eq!(once(2).get::<KKParameters>(), None);
    }

    #[test]
    fn processes_say_themselves_whether_they_are_open_loops() {
        let parts = Parts::new();
        let is_open = |name: &str| {
            let entry = parts.find::<ProcessEntry>(name);
            entry.expect("a process").arrivals.is_open_loop()
        };
        for name in ["bernoulli", "modulated", "on-off", "phases"] {
            assert!(is_open(name), "{name}");
        }
        for name in ["batch", "h-h", "k-k", "once", "schedule", "trace"] {
            assert!(!is_open(name), "{name}");
        }
        // Messages name them as the table has them.
        let open = names_of(&parts, |it| it.arrivals.is_open_loop());
        assert!(open.starts_with(r#""bernoulli", "#), "{open}");
    }
}
