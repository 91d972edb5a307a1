//! The router's rules, for those who ask why; who goes first is said by its [order](super::Order).

use flitwork_node::Rule;

/// Who leaves the network.
pub(super) static HOME: Rule = Rule {
    name: "home",
    says: "a packet that is whole and at its destination leaves the network at once, and as many as there are",
    source: "Chinn 1995, section 2.1",
};
