//! What is wrong with a parameter of a process.

use std::fmt;

/// A parameter outside of what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    /// The parameter's name, as the field of its structure.
    pub parameter: &'static str,
    /// What was found.
    pub found: String,
    /// What is allowed.
    pub allowed: String,
}

impl ParameterError {
    pub(crate) fn new(
        parameter: &'static str,
        found: impl fmt::Display,
        allowed: impl fmt::Display,
    ) -> ParameterError {
        ParameterError {
            parameter,
            found: found.to_string(),
            allowed: allowed.to_string(),
        }
    }
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParameterError {
            parameter,
            found,
            allowed,
        } = self;
        write!(f, "{parameter} is {found}; allowed: {allowed}")
    }
}

impl std::error::Error for ParameterError {}

/// Refuses a number outside `least` to `most`, and what is no number.
pub(crate) fn within(
    parameter: &'static str,
    found: f64,
    (least, most): (f64, f64),
    unit: &str,
) -> Result<f64, ParameterError> {
    if (least..=most).contains(&found) && found.is_finite() {
        // A zero keeps no sign.
        return Ok(found + 0.0);
    }
    let allowed = if most == f64::MAX {
        format!("a number of at least {least} {unit}")
    } else {
        format!("a number from {least} to {most} {unit}")
    };
    Err(ParameterError::new(parameter, found, allowed))
}
