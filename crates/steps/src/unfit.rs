//! Why an algorithm can't route a problem.

/// Why an algorithm can't route a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The algorithm's own key that doesn't fit the problem; none if no key of the algorithm helps.
    pub key: Option<&'static str>,
    /// What was found: of a key its value.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

impl Unfit {
    /// A key's value that doesn't fit the problem.
    pub fn key(key: &'static str, found: impl ToString, allowed: impl Into<String>) -> Unfit {
        Unfit {
            key: Some(key),
            found: found.to_string(),
            allowed: allowed.into(),
        }
    }

    /// A problem or a network that the algorithm isn't for.
    pub fn problem(found: impl Into<String>, allowed: impl Into<String>) -> Unfit {
        Unfit {
            key: None,
            found: found.into(),
            allowed: allowed.into(),
        }
    }
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(key) = self.key {
            write!(f, "{key} is ")?;
        }
        write!(f, "{}; allowed: {}", self.found, self.allowed)
    }
}
