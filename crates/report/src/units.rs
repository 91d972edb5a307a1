//! Units as people read them.

/// The unit of loads: only nodes that send and receive share them. The names of columns are the same in every network.
pub fn load_unit(has_switches: bool) -> &'static str {
    match has_switches {
        true => "words/terminal/cycle",
        false => "words/node/cycle",
    }
}
