//! The router's rules, for those who ask why. Candidates are in the order of the priority; their ranks are their places
//! in it.

use flitwork_node::Rule;

/// Who leaves the network.
pub(super) static EJECT: Rule = Rule {
    name: "ejection",
    says: "of the words at their destination, at most eject_words leave the network, those of the highest priority",
    source: "Moscibroda and Mutlu 2009, section 3.1; more than one a cycle: Fallin and others 2012",
};

/// Who comes back.
pub(super) static REINJECT: Rule = Rule {
    name: "reinjection",
    says: "the first flit of the side buffer comes back if fewer words go on than there are links, or if another has \
           made room for it",
    source: "Fallin and others 2012, section 4",
};

/// Who makes room.
pub(super) static REDIRECT: Rule = Rule {
    name: "redirection",
    says: "once the first flit of the side buffer has found no link for redirection_cycles, the flit of the lowest \
           priority that came over a link takes its place in the buffer",
    source: "Fallin and others 2012, section 4",
};

/// Who enters.
pub(super) static ENTER: Rule = Rule {
    name: "a link is left",
    says: "the next word of the packet in the injection register enters if fewer words go on than there are links",
    source: "docs/src/routers/deflection.md, for Moscibroda and Mutlu 2009, section 3.1",
};

/// A word of a worm.
pub(super) static FOLLOW: Rule = Rule {
    name: "the link of its worm",
    says: "in the order of the priority: a word follows the one before it in its worm, unless another has taken the \
           link",
    source: "Moscibroda and Mutlu 2009, section 3.2",
};

/// A productive link.
pub(super) static PRODUCTIVE: Rule = Rule {
    name: "a productive link",
    says: "in the order of the priority: a word takes a free productive link that no other worm holds",
    source: "Moscibroda and Mutlu 2009, sections 3.1 and 3.2",
};

/// A productive link of another.
pub(super) static CUT: Rule = Rule {
    name: "a worm's productive link",
    says: "in the order of the priority: a head with no other productive link takes that of a worm of lower priority, \
           which is cut",
    source: "Moscibroda and Mutlu 2009, section 3.2",
};

/// Any link.
pub(super) static DEFLECT: Rule = Rule {
    name: "any link",
    says: "in the order of the priority: a word for which no productive link is free is deflected over one that no \
           other worm holds",
    source: "Moscibroda and Mutlu 2009, sections 3.1 and 3.2",
};

/// Any link of another.
pub(super) static DEFLECT_AND_CUT: Rule = Rule {
    name: "any worm's link",
    says: "in the order of the priority: a head for which nothing else is free is deflected over the link of a worm of \
           lower priority, which is cut",
    source: "Moscibroda and Mutlu 2009, section 3.2",
};

/// Who is put aside.
pub(super) static PUT_ASIDE: Rule = Rule {
    name: "side buffer",
    says: "the first flit that came over a link and is deflected goes into the side buffer instead, if there is room",
    source: "Fallin and others 2012, section 4",
};
