//! One node: from arrivals to chunks and back.

use crate::synthetic::{Heads, PACKET_WORDS, Sparse, digest_at, encode, heads_of, light_load, set};
use flitwork_trace::record::{
    Arrivals, CHECK_CYCLES, Chunk, Decoder, Encoder, Head, MAX_LINK_PORTS, WhyCorrupt,
};
use flitwork_types::{Cycle, MAX_PORTS, NodeId, PacketId, PortSet, TerminalId};
use proptest::prelude::*;

const NODE: NodeId = NodeId(3);

/// Decodes all chunks, pushing each only when the decoder has finished those before it, and verifies every
/// check on the way.
fn decode(mut chunks: Vec<Chunk>, mut decoder: Decoder) -> (Sparse, Heads, u32) {
    let mut sparse = Sparse::new();
    let mut heads = Heads::new();
    // Each multiple of the check's cycles, and each chunk's end.
    let mut checked = Vec::new();
    let ends: Vec<u32> = chunks.iter().map(|chunk| chunk.upto.0).collect();
    chunks.reverse();
    loop {
        let now = decoder.next();
        while let Some(check) = decoder.checkpoint(now) {
            assert!(check.holds(digest_at(NODE, check.cycle.0)), "{check:?}");
            assert!(!check.holds(!digest_at(NODE, check.cycle.0)), "{check:?}");
            checked.push(check.cycle.0);
        }
        assert!(decoder.next_checkpoint() > now);
        if now < decoder.upto() {
            let arrivals = decoder.take(now).unwrap();
            if !arrivals.is_quiet() {
                sparse.insert(now.0, arrivals);
            }
            let came = decoder.heads().iter();
            heads.extend(came.map(|(port, head)| ((now.0, *port), *head)));
        } else if let Some(chunk) = chunks.pop() {
            decoder.push(chunk).unwrap();
        } else {
            break;
        }
    }
    let multiples = (1..=decoder.upto().0 / CHECK_CYCLES).map(|check| check * CHECK_CYCLES);
    let mut expected: Vec<u32> = multiples.chain(ends).collect();
    expected.sort_unstable();
    assert_eq!(checked, expected);
    (sparse, heads, decoder.upto().0)
}

fn check_round_trip(
    sparse: &Sparse,
    ends: &[u32],
    cycles: u32,
    packet_words: u16,
    (ports, locals): (usize, usize),
) {
    let encoder = || Encoder::new(packet_words, ports).with_locals(locals);
    let decoder = || Decoder::new(NODE, packet_words, ports).with_locals(locals);
    let mut plain = encoder();
    let chunks = encode(NODE, &mut plain, (sparse, &Heads::new()), ends, cycles);
    assert_eq!(plain.bytes(), 0);
    let (found, none, upto) = decode(chunks, decoder());
    assert_eq!((&found, none.len(), upto), (sparse, 0, cycles));

    // With heads, by a decoder that reads them and by one that doesn't.
    let heads = heads_of(sparse, packet_words);
    let mut heading = encoder().with_heads();
    let chunks = encode(NODE, &mut heading, (sparse, &heads), ends, cycles);
    assert_eq!(heading.bytes(), 0);
    let (found, found_heads, _) = decode(chunks.clone(), decoder().with_heads());
    assert_eq!((&found, found_heads), (sparse, heads));
    let (found, none, _) = decode(chunks, decoder());
    assert_eq!((&found, none.len()), (sparse, 0));
}

/// Ports for links, and local ones, as a node may have them.
fn port_counts() -> impl Strategy<Value = (usize, usize)> {
    let locals = |ports| (Just(ports), 1..=MAX_PORTS - ports);
    let several = (0..=MAX_LINK_PORTS).prop_flat_map(locals);
    prop_oneof![(0..=MAX_LINK_PORTS).prop_map(|ports| (ports, 1)), several]
}

/// Stretches of cycles with equal arrivals, with gaps between them.
fn arrivals((ports, locals): (usize, usize)) -> impl Strategy<Value = Vec<(u32, u32, Arrivals)>> {
    let subset = |all: u64| {
        prop_oneof![
            3 => Just(0),
            3 => any::<u64>().prop_map(move |bits| bits & all),
            1 => Just(all),
            2 => (0..64_u32).prop_map(move |port| 1 << port & all),
        ]
    };
    let links = PortSet::first(ports).0;
    let bits = subset(links);
    let gap =
        prop_oneof![4 => Just(0_u32), 4 => 0..40_u32, 1 => 0..3_000_u32, 1 => 0..9_000_000_u32];
    let length = prop_oneof![3 => Just(1_u32), 2 => 1..24_u32];
    let injected = prop_oneof![4 => Just(0), 2 => subset(PortSet::first(ports + locals).0 ^ links)];
    let stretch = (gap, length, bits.clone(), bits.clone(), bits, injected).prop_map(
        |(gap, length, words, credits, turns, injected)| {
            let arrivals = Arrivals {
                words: PortSet(words),
                credits: PortSet(credits),
                turns: PortSet(turns),
                injected: PortSet(injected),
            };
            (gap, length, arrivals)
        },
    );
    prop::collection::vec(stretch, 0..60)
}

fn spread(stretches: &[(u32, u32, Arrivals)]) -> (Sparse, u32) {
    let mut sparse = Sparse::new();
    let mut now = 0;
    for &(gap, length, arrivals) in stretches {
        now += gap;
        for cycle in now..now + length {
            if !arrivals.is_quiet() {
                sparse.insert(cycle, arrivals);
            }
        }
        now += length;
    }
    (sparse, now)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn random_arrivals_come_back(
        (ports, stretches) in port_counts().prop_flat_map(|n| (Just(n), arrivals(n))),
        packet_words in prop_oneof![0..4_u16, 4..40_u16, Just(u16::MAX)],
        cuts in prop::collection::vec(0.0..1.0, 0..12),
        near in prop::collection::vec((0..60_usize, 0..3_u32), 0..12),
        rest in 1..400_u32,
    ) {
        let (sparse, last) = spread(&stretches);
        let cycles = last + rest;
        // Some boundaries anywhere, some exactly at arrivals.
        let mut ends: Vec<u32> = cuts.iter().map(|cut| (cut * f64::from(cycles)) as u32).collect();
        let times: Vec<u32> = sparse.keys().copied().collect();
        ends.extend(near.iter().filter_map(|&(at, by)| Some(times.get(at)? + by)));
        ends.sort_unstable();
        check_round_trip(&sparse, &ends, cycles, packet_words, ports);
    }

    #[test]
    fn random_tokens_give_arrivals_or_an_error(
        tokens in prop::collection::vec(any::<u8>(), 0..200),
        heads in prop::option::of(prop::collection::vec(any::<u8>(), 0..200)),
        (ports, locals) in port_counts(),
        packet_words in any::<u16>(),
        span in 1..20_000_u32,
    ) {
        let chunk = Chunk {
            node: NODE,
            from: Cycle::ZERO,
            upto: Cycle(span),
            digest_low: 0,
            tokens,
            heads: heads.clone().unwrap_or_default(),
            checks: vec![0; (span / CHECK_CYCLES) as usize],
        };
        let mut decoder = Decoder::new(NODE, packet_words, ports).with_locals(locals);
        if heads.is_some() {
            decoder = decoder.with_heads();
        }
        let mut good = decoder.push(chunk).is_ok();
        while good && decoder.next() < decoder.upto() {
            good = decoder.take(decoder.next()).is_ok();
        }
        // After an error it covers nothing more.
        prop_assert!(decoder.next() >= decoder.upto());
        prop_assert!(decoder.take(decoder.upto()).is_err());
    }
}

#[test]
fn light_loads_come_back() {
    for ports in [1, 4, 6, 32, MAX_LINK_PORTS as u8] {
        let sparse = light_load(7, ports, 20_000, 0.3);
        let ends: Vec<u32> = (1..200).map(|chunk| chunk * 101).collect();
        check_round_trip(
            &sparse,
            &ends,
            20_000,
            PACKET_WORDS,
            (usize::from(ports), 1),
        );
    }
}

/// The tokens of a node with four ports whose port 1 delivers words and credits in the given cycles.
fn tokens(words: &[u32], credits: &[u32]) -> Vec<u8> {
    let mut sparse = Sparse::new();
    for &now in words {
        sparse.entry(now).or_default().words = set(0b10);
    }
    for &now in credits {
        sparse.entry(now).or_default().credits = set(0b10);
    }
    let mut encoder = Encoder::new(10, 4);
    encode(NODE, &mut encoder, (&sparse, &Heads::new()), &[], 100_000)[0]
        .tokens
        .clone()
}

/// With four ports there are 13 symbols and 248 / 13 = 19 gaps: a word at port 1 is symbol 1, bytes 19 to
/// 37, a credit there symbol 5, bytes 95 to 113. The prefixes start with byte 247 for a gap of 19.
#[test]
fn tokens_are_the_bytes_that_the_format_says() {
    let packet: Vec<u32> = (5..15).collect();
    // A head in cycle 5 and a credit 15 cycles later; nothing for the nine predicted words.
    assert_eq!(tokens(&packet, &[20]), [19 + 5, 95 + 15]);
    // A second packet directly behind the first has its own head.
    let two: Vec<u32> = (5..25).collect();
    assert_eq!(tokens(&two, &[]), [19 + 5, 19 + 10]);
    // A bubble of three cycles: the head, the word that is missing in cycle 9, its arrival in cycle 12. The
    // packet is complete with its tenth word, so none is missing after it.
    let bubble: Vec<u32> = (5..9).chain(12..18).collect();
    assert_eq!(tokens(&bubble, &[]), [19 + 5, 19 + 4, 19 + 3]);
    // Word and credit in one cycle, in the order of their symbols.
    assert_eq!(tokens(&packet, &[5]), [19 + 5, 95]);
    // 19 * 2 + 1 and 19 * 8 are short prefixes, 19 * 9 is a long one, and 60,000 = 19 * (9 + 3,148) + 17.
    assert_eq!(tokens(&[], &[39]), [248, 95 + 1]);
    assert_eq!(tokens(&[], &[152]), [254, 95]);
    assert_eq!(tokens(&[], &[171]), [255, 0, 95]);
    assert_eq!(
        tokens(&[], &[60_000]),
        [
            255,
            0x80 | (3_148 & 0x7f) as u8,
            (3_148 >> 7) as u8,
            95 + 17
        ]
    );
}

/// With four ports for links and three local ones there are 15 symbols and 248 / 15 = 16 gaps: an injection at the local port of
/// number 1, the node's port 5, is symbol 13, bytes 208 to 223; a credit at port 1 is symbol 5, bytes 80 to 95.
#[test]
fn injections_are_by_local_port() {
    let mut encoder = Encoder::new(10, 4).with_locals(3);
    let all = [(3, set(0), set(0b10_0000)), (5, set(0b10), set(0b101_0000))];
    for (now, credits, injected) in all {
        let arrivals = Arrivals {
            credits,
            injected,
            ..Arrivals::default()
        };
        encoder.cycle(Cycle(now), &arrivals);
    }
    let chunk = encoder.take_chunk(NODE, Cycle(9), 0).unwrap();
    assert_eq!(chunk.tokens, [208 + 3, 80 + 2, 192, 224]);
    let mut decoder = Decoder::new(NODE, 10, 4).with_locals(3);
    decoder.push(chunk).unwrap();
    for (now, credits, injected) in all {
        let found = decoder.take(Cycle(now)).unwrap();
        assert_eq!((found.credits, found.injected), (credits, injected));
    }
}

#[test]
#[should_panic(expected = "at a node with 4 link ports and 3 local ones, cycle 3")]
fn an_injection_at_a_port_that_isnt_there() {
    let arrivals = Arrivals {
        injected: set(0b1000_0000),
        ..Arrivals::default()
    };
    let mut encoder = Encoder::new(10, 4).with_locals(3);
    encoder.cycle(Cycle(3), &arrivals);
}

#[test]
fn words_are_predicted_till_the_packet_is_complete() {
    let mut encoder = Encoder::new(10, 4);
    for now in 5..15 {
        let arrivals = Arrivals {
            words: set(0b10),
            ..Arrivals::default()
        };
        encoder.cycle(Cycle(now), &arrivals);
        assert_eq!(encoder.expects_any(), now < 14);
    }
    assert_eq!(encoder.bytes(), 1);
}

#[test]
fn skipped_cycles_are_quiet_even_if_words_were_predicted() {
    let arrivals = Arrivals {
        words: set(0b11),
        turns: set(0b100),
        ..Arrivals::default()
    };
    let mut encoder = Encoder::new(10, 4);
    encoder.cycle(Cycle(5), &arrivals);
    encoder.cycle(Cycle(9), &arrivals);
    let first = encoder.take_chunk(NODE, Cycle(20), digest_at(NODE, 20) as u8);
    encoder.cycle(Cycle(30), &arrivals);
    let second = encoder.take_chunk(NODE, Cycle(31), digest_at(NODE, 31) as u8);
    let chunks = first.into_iter().chain(second).collect();
    let (found, ..) = decode(chunks, Decoder::new(NODE, 10, 4));
    assert_eq!(found, Sparse::from([5, 9, 30].map(|now| (now, arrivals))));
}

#[test]
fn tokens_of_a_cycle_come_once_and_in_order() {
    for (tokens, good) in [([19, 95], true), ([95, 19], false), ([19, 19], false)] {
        let chunk = Chunk {
            node: NODE,
            from: Cycle::ZERO,
            upto: Cycle(9),
            digest_low: 0,
            tokens: tokens.to_vec(),
            heads: Vec::new(),
            checks: Vec::new(),
        };
        let mut decoder = Decoder::new(NODE, 10, 4);
        decoder.push(chunk).unwrap();
        let result = decoder.take(Cycle(0)).map_err(|corrupt| corrupt.fault);
        assert_eq!(result.is_ok(), good);
        assert!(good || result == Err(WhyCorrupt::Order));
    }
}

#[test]
fn an_encoder_is_small() {
    assert!(size_of::<Encoder>() <= 128);
}

#[test]
fn cycles_out_of_order_are_reported_to_the_caller() {
    let mut encoder = Encoder::new(2, 1);
    let arrivals = Arrivals {
        words: set(1),
        ..Arrivals::default()
    };
    encoder.cycle(Cycle(5), &arrivals);
    encoder.cycle(Cycle(6), &arrivals);
    let first = encoder.take_chunk(NODE, Cycle(10), 1).unwrap();
    let second = encoder.take_chunk(NODE, Cycle(12), 2).unwrap();
    assert_eq!(encoder.take_chunk(NODE, Cycle(12), 2), None);

    let mut decoder = Decoder::new(NODE, 2, 1);
    let fault = |result: Result<_, flitwork_trace::record::Corrupt>| result.unwrap_err().fault;
    let early = decoder.push(second.clone()).unwrap_err().fault;
    assert_eq!(early, WhyCorrupt::From { found: Cycle(10) });
    let other = Chunk {
        node: NodeId(4),
        ..first.clone()
    };
    let other = decoder.push(other).unwrap_err().fault;
    assert_eq!(other, WhyCorrupt::Node { found: NodeId(4) });
    decoder.push(first).unwrap();
    assert_eq!(decoder.next(), Cycle(5));
    assert_eq!(
        fault(decoder.take(Cycle(6))),
        WhyCorrupt::Skipped { next: Cycle(5) }
    );
    assert_eq!(fault(decoder.take(Cycle(10))), WhyCorrupt::NotCovered);
    assert!(decoder.take(Cycle(2)).unwrap().is_quiet());
    assert_eq!(fault(decoder.take(Cycle(2))), WhyCorrupt::Taken);
    assert_eq!(decoder.take(Cycle(5)), Ok(arrivals));
    assert_eq!(
        fault(decoder.take(Cycle(7))),
        WhyCorrupt::Skipped { next: Cycle(6) }
    );
    assert_eq!(decoder.take(Cycle(6)), Ok(arrivals));
    assert_eq!(decoder.next(), Cycle(10));
    decoder.push(second).unwrap();
    assert_eq!(decoder.next(), Cycle(12));
}

/// Heads of packets 5.7 and 300.6, the second derouted: source, twice the zigzag difference of the serial
/// numbers, plus 1 if extra links and deroutes follow.
#[test]
fn heads_are_the_bytes_that_the_format_says() {
    let mut encoder = Encoder::new(10, 4).with_heads();
    let head = |source, serial, extra_hops, deroutes| Head {
        packet: PacketId {
            source: TerminalId(source),
            serial,
        },
        extra_hops,
        deroutes,
    };
    encoder.head(&head(5, 7, 0, 0));
    encoder.head(&head(300, 6, 4, 2));
    let arrivals = Arrivals {
        words: set(0b11),
        ..Arrivals::default()
    };
    encoder.cycle(Cycle(5), &arrivals);
    let chunk = encoder.take_chunk(NODE, Cycle(6), 0).unwrap();
    assert_eq!(chunk.heads, [5, 28, 0xac, 2, 3, 4, 2]);
    // A byte less, a byte more before the next head, or a head that is missing.
    for heads in [&chunk.heads[..6], &chunk.heads[..3], &[][..]] {
        let mut decoder = Decoder::new(NODE, 10, 4).with_heads();
        let heads = heads.to_vec();
        decoder
            .push(Chunk {
                heads,
                ..chunk.clone()
            })
            .unwrap();
        assert_eq!(decoder.take(Cycle(5)).unwrap_err().fault, WhyCorrupt::Heads);
        assert!(decoder.next() >= decoder.upto());
    }
    let mut decoder = Decoder::new(NODE, 10, 4).with_heads();
    let long = Chunk {
        heads: [&chunk.heads[..], &[0, 0]].concat(),
        ..chunk.clone()
    };
    decoder.push(long).unwrap();
    decoder.take(Cycle(5)).unwrap();
    // Leftover bytes are reported when the next head is requested.
    let later = Chunk {
        from: Cycle(6),
        upto: Cycle(60),
        tokens: vec![2 * 19 + 1],
        ..chunk
    };
    decoder.push(later).unwrap();
    decoder.take(Cycle(6)).unwrap();
    assert_eq!(decoder.take(Cycle(7)).unwrap_err().fault, WhyCorrupt::Heads);
}

#[test]
#[should_panic(expected = "1 heads have come that were not noted")]
fn an_encoder_misses_a_head() {
    let mut encoder = Encoder::new(10, 4).with_heads();
    let arrivals = Arrivals {
        words: set(1),
        ..Arrivals::default()
    };
    encoder.cycle(Cycle(5), &arrivals);
    encoder.take_chunk(NODE, Cycle(6), 0);
}
