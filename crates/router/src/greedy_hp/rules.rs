//! GreedyHP's rules, for those who ask why.

flitwork_node::rules! {
    /// Who enters.
    ENTER = "a link is left",
        "the packet in an injection register enters if fewer packets go on than there are links; terminals take turns",
        "docs/src/routers/greedy-hp.md, for Chinn 1995, section 4.3";

    /// Who gets an outlink.
    GREEDY = "greedy",
        "the outlinks take their turns in one of two orders, drawn at random; each takes a random one of those that \
         it is productive for",
        "Chinn 1995, section 4.3";

    /// Where those go whom no outlink has taken.
    LEFT_OVER = "left over",
        "a packet that no outlink has taken takes a free one, drawn at random, in the order of the ports",
        "Chinn 1995, section 4.3; \"in an arbitrary way\" is at random here";
}
