//! Colours that can be told apart in light and dark, in print, and by colour-blind readers.
//!
//! Heat is shown in cividis (Nuñez, Anderton and Renslow, "Optimizing colormaps with consideration for color vision
//! deficiency", 2018): it looks nearly the same to readers with and without red-green deficiency, and the more there is of
//! something the lighter it is.

/// How many colours the scale has.
pub const COLOURS: usize = 256;

/// The scale, from nothing to the most: red, green, blue.
pub fn heat_scale() -> Vec<[u8; 3]> {
    let colour = |place| colorous::CIVIDIS.eval_rational(place, COLOURS);
    let scale = (0..COLOURS).map(colour);
    scale.map(|it| [it.r, it.g, it.b]).collect()
}

/// The scale as a page takes it, `#rrggbb`.
pub fn scale_text() -> Vec<String> {
    let scale = heat_scale().into_iter();
    scale
        .map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A channel as light, by sRGB's curve.
    fn linear(channel: u8) -> f64 {
        let share = f64::from(channel) / 255.0;
        match share <= 0.04045 {
            true => share / 12.92,
            false => ((share + 0.055) / 1.055).powf(2.4),
        }
    }

    fn luminance(rgb: [f64; 3]) -> f64 {
        0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]
    }

    /// Machado, Oliveira and Fernandes 2009, severity 1: how linear light looks to a deuteranope, and to a protanope.
    const DEUTERANOPIA: [[f64; 3]; 3] = [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ];
    const PROTANOPIA: [[f64; 3]; 3] = [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ];
    const USUAL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn more_is_lighter_to_every_reader() {
        let scale = heat_scale();
        assert_eq!(scale.len(), COLOURS);
        for eyes in [USUAL, DEUTERANOPIA, PROTANOPIA] {
            let seen = scale.iter().map(|colour| {
                let light = colour.map(linear);
                luminance(eyes.map(|row| (0..3).map(|it| row[it] * light[it]).sum()))
            });
            let seen: Vec<f64> = seen.collect();
            // Rounding to 8 bits may bring neighbours to one luminance; eight steps further it is always more.
            assert!(seen.windows(9).all(|it| it[0] < it[8]), "{seen:?}");
            let contrast = (seen[255].max(0.0) + 0.05) / (seen[0].max(0.0) + 0.05);
            assert!(contrast > 7.0, "{contrast}");
        }
    }
}
