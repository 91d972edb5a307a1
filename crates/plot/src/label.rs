//! Numbers as text.

/// `value` with as many decimals as `step` needs: 0.25, 1,500, 2×10⁸.
pub(crate) fn label(value: f64, step: f64, greatest: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if greatest >= 1e6 || step < 1e-4 {
        return scientific(value, step);
    }
    let places = (-step.log10().floor()).max(0.0) as usize;
    let plain = format!("{:.places$}", value.abs());
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut text = if value < 0.0 {
        "−".to_owned()
    } else {
        String::new()
    };
    for (index, digit) in whole.chars().enumerate() {
        // Four digits are readable without a comma.
        if index > 0 && (whole.len() - index) % 3 == 0 && whole.len() > 4 {
            text.push(',');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push('.');
        text.push_str(fraction);
    }
    text
}

fn scientific(value: f64, step: f64) -> String {
    let exponent = value.abs().log10().floor();
    let mantissa = value / 10f64.powf(exponent);
    let places = (exponent - step.log10().floor()).clamp(0.0, 9.0) as usize;
    let power: String = (exponent as i32)
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            digit => {
                ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize]
            }
        })
        .collect();
    let mantissa = format!("{mantissa:.places$}").replace('-', "−");
    if mantissa == "1" {
        format!("10{power}")
    } else {
        format!("{mantissa}×10{power}")
    }
}

/// `value` to about three digits, for an end of the scale that isn't a round number.
pub(crate) fn short(value: f64) -> String {
    let text = match value.abs() {
        size if size == 0.0 || (1e3..1e6).contains(&size) => format!("{value:.0}"),
        size if (10.0..1e3).contains(&size) => format!("{}", (value * 10.0).round() / 10.0),
        size if (0.01..10.0).contains(&size) => format!("{}", (value * 1e3).round() / 1e3),
        _ => format!("{value:.1e}"),
    };
    text.replace('-', "−")
}
