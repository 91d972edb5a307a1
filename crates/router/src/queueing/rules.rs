//! The router's rules, for those who ask why; who goes first is said by its [order](super::Order).

flitwork_node::rules! {
    /// Who leaves the network.
    HOME = "home",
        "a packet that is whole and at its destination leaves the network at once, and as many as there are",
        "Chinn 1995, section 2.1";
}
