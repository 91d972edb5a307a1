//! GreedyHP's rules, for those who ask why.

use flitwork_node::Rule;

/// Who enters.
pub(super) static ENTER: Rule = Rule {
    name: "a link is left",
    says: "the packet in the injection register enters if fewer packets have come over links and go on than there are \
           links",
    source: "docs/src/routers/greedy-hp.md, for Chinn 1995, section 4.3",
};

/// Who gets an outlink.
pub(super) static GREEDY: Rule = Rule {
    name: "greedy",
    says: "the outlinks take their turns in one of two orders, drawn at random; each takes a random one of those that \
           it is productive for",
    source: "Chinn 1995, section 4.3",
};

/// Where those go whom no outlink has taken.
pub(super) static LEFT_OVER: Rule = Rule {
    name: "left over",
    says: "a packet that no outlink has taken takes a free one, drawn at random, in the order of the ports",
    source: "Chinn 1995, section 4.3; \"in an arbitrary way\" is at random here",
};
