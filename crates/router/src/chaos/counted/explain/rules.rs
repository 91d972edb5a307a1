//! The decision engine's rules, for those who ask why.

use flitwork_node::Rule;

/// Which output is decided on.
pub(super) static SCAN: Rule = Rule {
    name: "scan",
    says: "of the output frames that a packet could go to, or behind which one has stalled, the first from the scan \
           pointer on is decided on",
    source: "Chinn 1995, section 4.1",
};

/// Who goes there while the multiqueue has a packet for it.
pub(super) static OLDEST: Rule = Rule {
    name: "multiqueue first, oldest first",
    says: "the oldest multiqueue packet that is ready and for which the output is productive goes there, before any \
           packet in an input frame",
    source: "Chinn 1995, section 4.1",
};

/// [`OLDEST`] where the newest goes.
pub(super) static NEWEST: Rule = Rule {
    name: "multiqueue first, newest first",
    says: "the newest multiqueue packet that is ready and for which the output is productive goes there, before any \
           packet in an input frame",
    source: "router.chaos.multiqueue_policy = \"newest-first\", for Chinn 1995, section 4.1",
};

/// [`OLDEST`] where any goes.
pub(super) static ANY: Rule = Rule {
    name: "multiqueue first, at random",
    says: "one of the multiqueue packets that are ready and for which the output is productive, drawn at random, goes \
           there, before any packet in an input frame",
    source: "router.chaos.multiqueue_policy = \"random\", for Chinn 1995, section 4.1",
};

/// Who goes there while it has none.
pub(super) static BYPASS: Rule = Rule {
    name: "multiqueue bypass",
    says: "the packet in an input frame or the injection frame that has been ready longest, and for which the output \
           is productive, goes straight there; of several, the one at the first port, with injection last",
    source: "Chinn 1995, section 4.1, case 1",
};

/// Who goes anywhere.
pub(super) static DEROUTE: Rule = Rule {
    name: "deroute",
    says: "the multiqueue is full and has no packet that is ready and for which the output is productive: one of its \
           packets that are ready, drawn at random, goes there anyway",
    source: "Chinn 1995, section 4.1; Konstantinidou and Snyder 1994",
};

/// [`DEROUTE`] where heads needn't be ready.
pub(super) static DEROUTE_ANY: Rule = Rule {
    name: "deroute among all",
    says: "the multiqueue is full and has no packet that is ready and for which the output is productive: one of its \
           packets, drawn at random, goes there anyway",
    source: "router.chaos.deroute_among = \"all\", for Chinn 1995, section 4.1",
};

/// Who goes into the multiqueue without another's leaving.
pub(super) static STALL: Rule = Rule {
    name: "stalled",
    says: "no packet goes to the output, and the one in its paired input frame has waited for the stall threshold: it \
           moves to the multiqueue",
    source: "Chinn 1995, section 4.1, case 2",
};

/// [`STALL`] behind an output frame that isn't empty.
pub(super) static STALL_BEHIND: Rule = Rule {
    name: "stalled behind a waiting output",
    says: "the packet in the output frame waits for the neighbour, and the one in its paired input frame has waited \
           for the stall threshold: it moves to the multiqueue",
    source: "where links take long: StallRule::BehindWaitingOutput, for Chinn 1995, section 4.1, case 2",
};

/// Who goes into the multiqueue after another has left.
pub(super) static PAIR: Rule = Rule {
    name: "paired input",
    says: "after a packet has gone to an output frame, the one that waits in its paired input frame moves to the \
           multiqueue",
    source: "Chinn 1995, section 4.1, case 1",
};
