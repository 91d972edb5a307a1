//! Units as people read them.

/// The unit of loads, which terminals share: of nodes where each has one. The names of columns are the same in every network.
pub fn load_unit(counts_terminals: bool) -> &'static str {
    match counts_terminals {
        true => "words/terminal/cycle",
        false => "words/node/cycle",
    }
}
