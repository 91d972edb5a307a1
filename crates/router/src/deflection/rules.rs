//! The router's rules, for those who ask why. Candidates are in the order of the priority; their ranks are their places
//! in it.

flitwork_node::rules! {
    /// Who leaves the network.
    EJECT = "ejection",
        "of the words at their destination, at most eject_words leave the network, those of the highest priority",
        "Moscibroda and Mutlu 2009, section 3.1; more than one a cycle: Fallin and others 2012";

    /// Who comes back.
    REINJECT = "reinjection",
        "the first flit of the side buffer comes back if fewer words go on than there are links, or if another has \
         made room for it",
        "Fallin and others 2012, section 4";

    /// Who makes room.
    REDIRECT = "redirection",
        "once the first flit of the side buffer has found no link for redirection_cycles, the flit of the lowest \
         priority that came over a link takes its place in the buffer",
        "Fallin and others 2012, section 4";

    /// Who enters.
    ENTER = "a link is left",
        "the next word of the packet in an injection register enters if fewer words go on than there are links; terminals \
         take turns",
        "docs/src/routers/deflection.md, for Moscibroda and Mutlu 2009, section 3.1";

    /// A word of a worm.
    FOLLOW = "the link of its worm",
        "in the order of the priority: a word follows the one before it in its worm, unless another has taken the \
         link",
        "Moscibroda and Mutlu 2009, section 3.2";

    /// A productive link.
    PRODUCTIVE = "a productive link",
        "in the order of the priority: a word takes a free productive link that no other worm holds",
        "Moscibroda and Mutlu 2009, sections 3.1 and 3.2";

    /// A productive link of another.
    CUT = "a worm's productive link",
        "in the order of the priority: a head with no other productive link takes that of a worm of lower priority, \
         which is cut",
        "Moscibroda and Mutlu 2009, section 3.2";

    /// Any link.
    DEFLECT = "any link",
        "in the order of the priority: a word for which no productive link is free is deflected over one that no \
         other worm holds",
        "Moscibroda and Mutlu 2009, sections 3.1 and 3.2";

    /// Any link of another.
    DEFLECT_AND_CUT = "any worm's link",
        "in the order of the priority: a head for which nothing else is free is deflected over the link of a worm of \
         lower priority, which is cut",
        "Moscibroda and Mutlu 2009, section 3.2";

    /// Who is put aside.
    PUT_ASIDE = "side buffer",
        "the first flit that came over a link and is deflected goes into the side buffer instead, if there is room",
        "Fallin and others 2012, section 4";
}
