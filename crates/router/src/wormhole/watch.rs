//! What can be observed in the middle of a cycle.

/// Observes a node's registers between the stages of a cycle. `()` observes nothing, and costs nothing.
pub(super) trait Watch<S, B> {
    /// Words have arrived, and heads have been routed: next, those heads bid for output lanes whose time has come.
    #[inline(always)]
    fn heads_bid(&mut self, _state: &S) {}

    /// Output lanes have been given away: next, the words of some input lanes bid for the switch, and the heads of others
    /// speculatively.
    #[inline(always)]
    fn words_bid(&mut self, _state: &S, (_bids, _hopeful): (B, B)) {}
}

impl<S, B> Watch<S, B> for () {}
