//! Which parameters are allowed and what follows from them, at the edge of each range.

use flitwork_router::allocate::ALLOCATORS;
use flitwork_router::chaos::{ChaosParameters, MAX_MULTIQUEUE_FRAMES, MAX_PACKET_WORDS};
use flitwork_router::deflection::{DeflectionParameters, Golden, MAX_SIDE_BUFFER_FLITS, Priority};
use flitwork_router::wormhole::{
    MAX_BUFFER_WORDS, MAX_LANES, MAX_STAGE_CYCLES, Switching, WormholeParameters,
};
use flitwork_types::Port;

/// What is wrong with the defaults after a change, for nodes of a plane.
fn worm(change: impl Fn(&mut WormholeParameters)) -> Option<String> {
    let mut parameters = WormholeParameters::default();
    change(&mut parameters);
    parameters.check(5).err().map(|error| error.to_string())
}

fn is(text: &str) -> Option<String> {
    Some(text.into())
}

#[test]
fn channels_are_held_to_the_lanes_of_a_node() {
    // 256 lanes make 4 for each of 64 ports, and 28 for each of 9. A mask has 32 channels, however few ports there are.
    let at = |ports, vcs| {
        let parameters = WormholeParameters {
            vcs,
            ..WormholeParameters::default()
        };
        parameters.check(ports).err().map(|error| error.to_string())
    };
    for (ports, most) in [
        (64, 4),
        (63, 4),
        (33, 7),
        (9, 28),
        (8, 32),
        (5, 32),
        (3, 32),
    ] {
        let allowed = format!("allowed: 1 to {most} with {ports} ports a node");
        assert_eq!(at(ports, 0), is(&format!("vcs is 0; {allowed}")));
        assert_eq!((at(ports, 1), at(ports, most)), (None, None));
        let beyond = most + 1;
        assert_eq!(
            at(ports, beyond),
            is(&format!("vcs is {beyond}; {allowed}"))
        );
    }
}

#[test]
fn wormhole_parameters_are_held_to_their_ranges() {
    assert_eq!(
        (MAX_LANES, MAX_BUFFER_WORDS, MAX_STAGE_CYCLES),
        (256, 16_384, 1024)
    );
    assert_eq!(worm(|_| ()), None);
    let words = |words| worm(move |worm| worm.buffer_words = words);
    let allowed = "allowed: 1 to 16384";
    assert_eq!(words(0), is(&format!("buffer_words is 0; {allowed}")));
    assert_eq!((words(1), words(16_384)), (None, None));
    assert_eq!(
        words(16_385),
        is(&format!("buffer_words is 16385; {allowed}"))
    );
    type Set = fn(&mut WormholeParameters, u32);
    let stages: [(&str, Set); 6] = [
        ("route_cycles", |worm, cycles| worm.route_cycles = cycles),
        ("vc_allocation_cycles", |worm, cycles| {
            worm.vc_allocation_cycles = cycles;
        }),
        ("switch_allocation_cycles", |worm, cycles| {
            worm.switch_allocation_cycles = cycles;
        }),
        ("traversal_cycles", |worm, cycles| {
            worm.traversal_cycles = cycles;
        }),
        ("credit_cycles", |worm, cycles| worm.credit_cycles = cycles),
        ("injection_cycles", |worm, cycles| {
            worm.injection_cycles = cycles;
        }),
    ];
    for (key, set) in stages {
        let with = |cycles| worm(|worm| set(worm, cycles));
        assert_eq!((with(0), with(1024)), (None, None), "{key}");
        assert_eq!(
            with(1025),
            is(&format!("{key} is 1025; allowed: 0 to 1024"))
        );
    }
    let hopes = |vc, switch, speculative| {
        worm(move |worm| {
            (worm.vc_allocation_cycles, worm.speculative) = (vc, speculative);
            worm.switch_allocation_cycles = switch;
        })
    };
    assert_eq!((hopes(2, 2, true), hopes(3, 2, false)), (None, None));
    let text = "vc_allocation_cycles is 3; allowed: 0 to 2, the switch_allocation_cycles, where heads bid \
                for the switch at once";
    assert_eq!(hopes(3, 2, true), is(text));
}

/// The sums of docs/src/routers/wormhole.md, with stages of different lengths.
#[test]
fn wormhole_stages_add_up() {
    let mut worm = WormholeParameters {
        route_cycles: 1,
        vc_allocation_cycles: 20,
        switch_allocation_cycles: 300,
        traversal_cycles: 4_000,
        credit_cycles: 50_000,
        injection_cycles: 600_000,
        ..WormholeParameters::default()
    };
    assert_eq!(worm.crossing_cycles(), 4_300);
    assert_eq!(worm.hop_cycles(), 4_321);
    // The word over the link and the credit back: 2 * 7.
    assert_eq!(worm.credit_round_trip_cycles(7), 54_314);
    // A head that is granted both saves the channel's allocation.
    worm.speculative = true;
    assert_eq!(worm.hop_cycles(), 4_301);
    assert!(!worm.needs_room_for_packets());
    for switching in [Switching::CutThrough, Switching::StoreAndForward] {
        worm.switching = switching;
        assert!(worm.needs_room_for_packets());
    }
    // BookSim's: 5 R + 21 cycles for 20 words over R routers, of which a hop and its link are 5.
    let booksim = WormholeParameters::booksim_iq();
    assert_eq!((booksim.hop_cycles(), booksim.injection_cycles), (4, 2));
    assert_eq!(booksim.credit_round_trip_cycles(1), 2 + 2 + 2);
    let fast = WormholeParameters::one_cycle();
    assert_eq!((fast.hop_cycles(), fast.injection_cycles), (1, 0));
    assert_eq!(fast.credit_round_trip_cycles(1), 1 + 2);
}

/// What is wrong with Chinn's router after a change.
fn chaos(change: impl Fn(&mut ChaosParameters)) -> Option<String> {
    let mut parameters = ChaosParameters::chinn_1995(4);
    change(&mut parameters);
    parameters.check().err().map(|error| error.to_string())
}

#[test]
fn chaos_parameters_are_held_to_their_ranges() {
    assert_eq!((MAX_PACKET_WORDS, MAX_MULTIQUEUE_FRAMES), (4096, 64));
    assert_eq!(chaos(|_| ()), None);
    // A frame, and a release after the last word, that fit any number of words.
    let words = |words: u16| {
        chaos(move |chaos| {
            chaos.packet_words = words;
            chaos.input_release_cycles = 10_000;
        })
    };
    let allowed = "allowed: a whole number from 1 to 4096";
    assert_eq!(words(0), is(&format!("packet_words is 0; {allowed}")));
    assert_eq!((words(1), words(4096)), (None, None));
    assert_eq!(words(4097), is(&format!("packet_words is 4097; {allowed}")));
    let frames = |frames| chaos(move |chaos| chaos.multiqueue_frames = frames);
    assert_eq!(
        frames(0),
        is("multiqueue_frames is 0; allowed: a whole number from 1 to 64")
    );
    assert_eq!((frames(1), frames(64)), (None, None));
    assert_eq!(
        frames(65),
        is("multiqueue_frames is 65; allowed: a whole number from 1 to 64")
    );
    let threshold = |cycles| chaos(move |chaos| chaos.stall_threshold_cycles = cycles);
    assert_eq!((threshold(0), threshold(1 << 20)), (None, None));
    let text = "stall_threshold_cycles is 1048577; allowed: a whole number from 0 to 1048576";
    assert_eq!(threshold((1 << 20) + 1), is(text));
    let decision = |cycles| {
        chaos(move |chaos| {
            chaos.decision_latency_cycles = cycles;
            chaos.input_release_cycles = 1 << 20;
        })
    };
    let text = "decision_latency_cycles is 0; allowed: a whole number from 1 to 1048576";
    assert_eq!(decision(0), is(text));
    assert_eq!(decision(1), None);
    // The last of 10 words leaves 3 + 9 cycles after the decision.
    let release = |cycles| chaos(move |chaos| chaos.input_release_cycles = cycles);
    let allowed = "allowed: 12 to 1048576";
    assert_eq!(
        release(11),
        is(&format!("input_release_cycles is 11; {allowed}"))
    );
    assert_eq!((release(12), release(1 << 20)), (None, None));
    let late = (1 << 20) + 1;
    let reopens = |cycles| chaos(move |chaos| chaos.output_reopen_cycles = cycles);
    assert_eq!((reopens(0), reopens(1 << 20)), (None, None));
    let text = "output_reopen_cycles is 1048577; allowed: a whole number from 0 to 1048576";
    assert_eq!(reopens(late), is(text));
    assert_eq!(
        release(late),
        is(&format!(
            "input_release_cycles is {late}; allowed: a whole number from 1 to 1048576"
        ))
    );
}

/// South, north, east, west on a plane (Chinn 1995, section 4.1), further dimensions after them, and a line's
/// two ports by number.
#[test]
fn scans_go_in_chinns_order() {
    let ports = |ports: &[u8]| -> Vec<Port> { ports.iter().copied().map(Port).collect() };
    let usual = ChaosParameters::usual_scan_order;
    assert_eq!(usual(2), ports(&[0, 1]));
    assert_eq!(usual(4), ports(&[2, 0, 1, 3]));
    assert_eq!(usual(6), ports(&[2, 0, 1, 3, 4, 5]));
    let mut chaos = ChaosParameters::chinn_1995(4);
    assert_eq!(chaos.scan_order(), ports(&[2, 0, 1, 3]));
    for wrong in [
        &[0, 1, 2][..],
        &[0, 1, 2, 2],
        &[0, 1, 2, 4],
        &[0, 1, 2, 3, 4],
    ] {
        let error = chaos.set_scan_order(ports(wrong), 4).unwrap_err();
        let text = format!("scan_order is {wrong:?}; allowed: each of the 4 link ports once");
        assert_eq!(error.to_string(), text);
    }
    assert_eq!(chaos.scan_order(), ports(&[2, 0, 1, 3]));
    chaos.set_scan_order(ports(&[3, 2, 1, 0]), 4).unwrap();
    assert_eq!(chaos.scan_order(), ports(&[3, 2, 1, 0]));
    // The table of presets.
    let chip = ChaosParameters::chaos_chip(4);
    assert_eq!(chip.packet_words, 20);
    assert_eq!(
        (chip.multiqueue_frames, chip.stall_threshold_cycles),
        (5, 1)
    );
    assert_eq!(
        (chip.decision_latency_cycles, chip.input_release_cycles),
        (3, 22)
    );
    // The second reading of the thesis moves the cycle between packets from the input to the output frame.
    let b = ChaosParameters::chinn_1995_b(4);
    assert_eq!(b.packet_words, 10);
    assert_eq!((b.multiqueue_frames, b.stall_threshold_cycles), (5, 1));
    assert_eq!((b.decision_latency_cycles, b.input_release_cycles), (3, 12));
    assert_eq!((b.output_reopen_cycles, chip.output_reopen_cycles), (1, 1));
    // 10 or 20 words and a cycle until the next decision.
    assert_eq!((b.leaving().cycles(), chip.leaving().cycles()), (11, 21));
    // Stored packets wait for the words behind their heads.
    assert_eq!(chip.lag_cycles(), 0);
    chaos.cut_through = false;
    assert_eq!(chaos.lag_cycles(), 9);
}

#[test]
fn deflection_parameters_are_held_to_their_ranges() {
    let golden = |epoch_cycles, transactions| Golden {
        epoch_cycles,
        transactions,
    };
    let with = |change: &dyn Fn(&mut DeflectionParameters)| {
        let mut parameters = DeflectionParameters::minbd(golden(16, 4));
        change(&mut parameters);
        parameters.check().err().map(|error| error.to_string())
    };
    assert_eq!(MAX_SIDE_BUFFER_FLITS, 64);
    // As many words as a node of 16 dimensions has links.
    let ejects = |words| with(&move |router| router.eject_words = words);
    assert_eq!((ejects(1), ejects(32)), (None, None));
    assert_eq!(
        ejects(33),
        is("eject_words is 33; allowed: a whole number from 1 to 32")
    );
    let flits = |flits| with(&move |router| router.side_buffer_flits = flits);
    assert_eq!((flits(0), flits(64)), (None, None));
    assert_eq!(
        flits(65),
        is("side_buffer_flits is 65; allowed: a whole number from 0 to 64")
    );
    let most = 1 << 24;
    let waits = |cycles| with(&move |router| router.redirection_cycles = cycles);
    assert_eq!((waits(0), waits(most)), (None, None));
    let text = "redirection_cycles is 16777217; allowed: a whole number from 0 to 16777216";
    assert_eq!(waits(most + 1), is(text));
    let epochs = |epoch, numbers| {
        with(&move |router| router.priority = Priority::Golden(golden(epoch, numbers)))
    };
    assert_eq!((epochs(1, 1), epochs(most, most)), (None, None));
    assert_eq!(
        epochs(0, 1),
        is("epoch_cycles is 0; allowed: 1 to 16777216")
    );
    assert_eq!(
        epochs(1, 0),
        is("transactions is 0; allowed: 1 to 16777216")
    );
    // The presets of the book's table: what MinBD adds to CHIPPER, and CHIPPER to FLIT-BLESS.
    let minbd = DeflectionParameters::minbd(golden(16, 4));
    assert_eq!((minbd.eject_words, minbd.side_buffer_flits), (2, 4));
    assert_eq!(minbd.redirection_cycles, 2);
    let chipper = DeflectionParameters::chipper(golden(16, 4));
    assert_eq!((chipper.eject_words, chipper.side_buffer_flits), (1, 0));
    assert_eq!(chipper.priority, minbd.priority);
    assert_eq!(chipper.port_choice, minbd.port_choice);
}

#[test]
fn tables_are_sorted_by_name() {
    assert!(ALLOCATORS.is_sorted_by_key(|entry| entry.name));
}
