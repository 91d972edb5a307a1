//! Where words find their own ways, the one that is followed is the one that completes its packet: all others are put
//! together before it, which the router reports of each.

use crate::common::machine::machines;
use crate::common::properties::properties;
use flitwork_config::EngineChoice;
use flitwork_debug::{Timeline, first_probe, follow};
use flitwork_experiment::simulate::demand;
use flitwork_experiment::simulation::{Use, start};
use flitwork_node::{AnyProbe, Detail, Event, Place, Probe, Reported};
use flitwork_types::{Cycle, NodeId, PacketId};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The words of each packet that were put together, and the packets that are complete.
#[derive(Clone, Debug, Default)]
struct Assembled {
    words: BTreeMap<PacketId, BTreeSet<u16>>,
    complete: Vec<(PacketId, u16)>,
}

impl Probe for Assembled {
    fn wants(&self, what: Reported) -> bool {
        matches!(what, Reported::Events | Reported::Details)
    }

    fn event(&mut self, _: NodeId, _: Cycle, event: Event) {
        if let Event::Delivered { packet } = event {
            self.complete.push((packet.id, packet.words));
        }
    }

    fn detail(&mut self, _: NodeId, _: Cycle, detail: Detail) {
        if let Detail::Shifted {
            packet,
            index,
            to: Place::Assembly,
            ..
        } = detail
        {
            self.words.entry(packet).or_default().insert(index);
        }
    }
}

properties! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn the_word_that_completes_a_packet_is_followed(resolved in machines().boxed(), place in 0.0..1.0f64) {
        let mut resolved = resolved;
        if !resolved.router.facts().words_travel_alone {
            return Ok(());
        }
        resolved.run.engine = EngineChoice::Sync;
        let end = demand(&resolved).end.get().into();
        let mut all = start(&resolved, Use::Views, demand(&resolved), AnyProbe::new(Assembled::default()));
        all.advance(end);
        let assembled = all.into_probe().into_probe::<Assembled>();
        let simulation = start(&resolved, Use::Views, demand(&resolved), first_probe());
        let mut timeline = Timeline::new(simulation, 1 << 24, 1);
        let first = (place * assembled.complete.len() as f64) as usize;
        for (packet, words) in assembled.complete.iter().skip(first).filter(|it| it.1 > 1).take(8) {
            let journey = follow(&mut timeline, *packet, 0, end).unwrap();
            let before = assembled.words.get(packet).cloned().unwrap_or_default();
            let mut last: BTreeSet<u16> = (0..*words).collect();
            last.retain(|word| !before.contains(word));
            prop_assert_eq!(last, BTreeSet::from([journey.word]), "{:?} of {} words", packet, words);
        }
    }
}
