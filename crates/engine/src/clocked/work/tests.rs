//! How long a step takes: the longest of what is done in it.

use super::*;
use flitwork_network::StageDelays;
use flitwork_types::TerminalId;

const LINKS: usize = 4;
const QUEUE: usize = LINKS + 1;

fn packet(serial: u32) -> PacketId {
    PacketId {
        source: TerminalId(2),
        serial,
    }
}

fn word(index: u16) -> Word {
    Word {
        index,
        ..Word::BLANK
    }
}

fn duration_ps(stages: StageDelays, work: &Work) -> u64 {
    let stages = Stages {
        timing: &SelfTimed::new(stages),
        draws: Draws::of_node(1, NodeId(0)),
        seed: 1,
        queue: QUEUE,
    };
    stages.duration_ps(Cycle(3), work)
}

/// A word takes 100 ps, a decision 200, an allocation 50 more, and a credit 70. Virtual channels and frames of the central queue
/// are allocated; frames of ports, the side buffer and the place where a packet is put together aren't.
#[test]
fn a_step_takes_as_long_as_the_longest_of_its_stages() {
    let stages = StageDelays {
        word: Delay::fixed(100),
        decision: Delay::fixed(200),
        allocation: Some(Delay::fixed(50)),
        credit: Some(Delay::fixed(70)),
    };
    let mut work = Work::new(false);
    assert!(work.is_nothing());
    assert_eq!(duration_ps(stages, &work), 0);
    work.credits = PortSet::only(Port(1));
    assert_eq!(duration_ps(stages, &work), 70);
    work.queued = true;
    assert_eq!(duration_ps(stages, &work), 100);
    work.queued = false;
    work.words = PortSet::only(Port(3));
    assert_eq!(duration_ps(stages, &work), 100);
    for (to, expected_ps) in [
        (Place::Output(Port(1)), 200),
        (Place::Input(Port(1)), 200),
        (Place::InputChannel(Port(1), 0), 200),
        (Place::SideBuffer, 200),
        (Place::Assembly, 200),
        (Place::OutputChannel(Port(1), 1), 250),
        (Place::Queue, 250),
    ] {
        let mut work = work.clone();
        work.decide(packet(0), to, QUEUE);
        assert_eq!(duration_ps(stages, &work), expected_ps, "{to}");
        // Decisions of the same step are made side by side.
        work.decide(packet(1), Place::Output(Port(2)), QUEUE);
        assert_eq!(duration_ps(stages, &work), expected_ps, "{to}");
        work.clear();
        assert!(work.is_nothing());
    }
    // Without a delay of its own a credit takes no time, and neither does an allocation.
    let bare = StageDelays {
        allocation: None,
        credit: None,
        ..stages
    };
    let mut work = Work::new(false);
    work.credits = PortSet::only(Port(1));
    assert_eq!(duration_ps(bare, &work), 0);
    work.decide(packet(0), Place::Queue, QUEUE);
    assert_eq!(duration_ps(bare, &work), 200);
}

/// Where delays go by the word, a step in which one word leaves at a port and another arrives takes the longer of both: whichever
/// is first.
#[test]
fn of_two_words_at_a_port_the_slower_counts() {
    let stages = StageDelays {
        word: Delay {
            least_ps: 1000,
            most_ps: 9000,
            law: Law::Data,
        },
        decision: Delay::fixed(1),
        allocation: None,
        credit: None,
    };
    let carried = |words: &[(Port, u32, u16)]| {
        let mut work = Work::new(true);
        for (port, serial, index) in words {
            work.words.insert(*port);
            work.carry(*port, packet(*serial), word(*index));
        }
        duration_ps(stages, &work)
    };
    let mut differ = 0;
    for serial in 0..20 {
        let (one, other) = ((Port(1), serial, 0), (Port(1), serial + 1, 4));
        let (alone, beside) = (carried(&[one]), carried(&[other]));
        assert_eq!(carried(&[one, other]), alone.max(beside));
        assert_eq!(carried(&[other, one]), alone.max(beside));
        differ += u32::from(alone != beside);
        // The same word takes the same time at any port.
        assert_eq!(carried(&[(Port(2), serial, 0)]), alone);
    }
    assert_eq!(differ, 20);
}
