//! Checks of the parameters of a process.

use flitwork_schema::WrongValue;

/// Refuses a number outside `least` to `most`, and NaN.
pub(crate) fn within(
    parameter: &'static str,
    found: f64,
    (least, most): (f64, f64),
    unit: &str,
) -> Result<f64, WrongValue> {
    if (least..=most).contains(&found) && found.is_finite() {
        // Turns -0.0 into 0.0.
        return Ok(found + 0.0);
    }
    let allowed = if most == f64::MAX {
        format!("a number of at least {least} {unit}")
    } else {
        format!("a number from {least} to {most} {unit}")
    };
    Err(WrongValue::new(parameter, found, allowed))
}
