//! Errors in the parameters of a process.

use std::fmt;

/// A parameter with a value that isn't allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    /// The parameter's name, as that of its field.
    pub parameter: &'static str,
    /// The value that was found.
    pub found: String,
    /// The values that are allowed.
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

/// Refuses a number outside `least` to `most`, and NaN.
pub(crate) fn within(
    parameter: &'static str,
    found: f64,
    (least, most): (f64, f64),
    unit: &str,
) -> Result<f64, ParameterError> {
    if (least..=most).contains(&found) && found.is_finite() {
        // Turns -0.0 into 0.0.
        return Ok(found + 0.0);
    }
    let allowed = if most == f64::MAX {
        format!("a number of at least {least} {unit}")
    } else {
        format!("a number from {least} to {most} {unit}")
    };
    Err(ParameterError::new(parameter, found, allowed))
}
