//! Why an algorithm can't route a problem.

/// What of an algorithm, a problem or a network doesn't fit the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// A value of a key of the algorithm.
    Key(&'static str),
    /// How many packets nodes send.
    Packets,
    /// How far packets go.
    Distances,
    /// The kind of network.
    Topology,
    /// How many dimensions it has, or how long they are.
    Sides,
}

/// Why an algorithm can't route a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What doesn't fit.
    pub misfit: Misfit,
    /// What was found: of a key its value.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

impl Unfit {
    /// A key's value that doesn't fit the problem.
    pub fn key(key: &'static str, found: impl ToString, allowed: impl Into<String>) -> Unfit {
        Unfit {
            misfit: Misfit::Key(key),
            found: found.to_string(),
            allowed: allowed.into(),
        }
    }

    /// A problem or a network that the algorithm isn't for.
    pub fn problem(misfit: Misfit, found: impl Into<String>, allowed: impl Into<String>) -> Unfit {
        Unfit {
            misfit,
            found: found.into(),
            allowed: allowed.into(),
        }
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Misfit::Key(key) = self.misfit {
            write!(f, "{key} is ")?;
        }
        write!(f, "{}; allowed: {}", self.found, self.allowed)
    }
}
