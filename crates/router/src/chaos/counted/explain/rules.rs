//! The decision engine's rules, for those who ask why.

flitwork_node::rules! {
    /// Which output is decided on.
    SCAN = "scan",
        "of the output frames that a packet could go to, or behind which one has stalled, the first from the scan \
         pointer on is decided on",
        "Chinn 1995, section 4.1";

    /// Who goes there while the multiqueue has a packet for it.
    OLDEST = "multiqueue first, oldest first",
        "the oldest multiqueue packet that is ready and for which the output is productive goes there, before any \
         packet in an input frame",
        "Chinn 1995, section 4.1";

    /// [`OLDEST`] where the newest goes.
    NEWEST = "multiqueue first, newest first",
        "the newest multiqueue packet that is ready and for which the output is productive goes there, before any \
         packet in an input frame",
        "router.chaos.multiqueue_policy = \"newest-first\", for Chinn 1995, section 4.1";

    /// [`OLDEST`] where any goes.
    ANY = "multiqueue first, at random",
        "one of the multiqueue packets that are ready and for which the output is productive, drawn at random, goes \
         there, before any packet in an input frame",
        "router.chaos.multiqueue_policy = \"random\", for Chinn 1995, section 4.1";

    /// Who goes there while it has none.
    BYPASS = "multiqueue bypass",
        "the packet in an input frame or the injection frame that has been ready longest, and for which the output \
         is productive, goes straight there; of several, the one at the first port, with injection last",
        "Chinn 1995, section 4.1, case 1";

    /// Who goes anywhere.
    DEROUTE = "deroute",
        "the multiqueue is full and has no packet that is ready and for which the output is productive: one of its \
         packets that are ready, drawn at random, goes there anyway",
        "Chinn 1995, section 4.1; Konstantinidou and Snyder 1994";

    /// [`DEROUTE`] where heads needn't be ready.
    DEROUTE_ANY = "deroute among all",
        "the multiqueue is full and has no packet that is ready and for which the output is productive: one of its \
         packets, drawn at random, goes there anyway",
        "router.chaos.deroute_among = \"all\", for Chinn 1995, section 4.1";

    /// Who goes into the multiqueue without another's leaving.
    STALL = "stalled",
        "no packet goes to the output, and the one in its paired input frame has waited for the stall threshold: it \
         moves to the multiqueue",
        "Chinn 1995, section 4.1, case 2";

    /// [`STALL`] behind an output frame that isn't empty.
    STALL_BEHIND = "stalled behind a waiting output",
        "the packet in the output frame waits for the neighbour, and the one in its paired input frame has waited \
         for the stall threshold: it moves to the multiqueue",
        "where links take long: StallRule::BehindWaitingOutput, for Chinn 1995, section 4.1, case 2";

    /// Who goes into the multiqueue after another has left.
    PAIR = "paired input",
        "after a packet has gone to an output frame, the one that waits in its paired input frame moves to the \
         multiqueue",
        "Chinn 1995, section 4.1, case 1";
}
