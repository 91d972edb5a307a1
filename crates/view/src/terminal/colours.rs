//! Which colours a terminal has.

use crate::palette::{COLOURS, heat_scale};
use ratatui::style::{Color, Style};

/// What a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colours {
    /// All.
    All,
    /// Those of a palette of 256.
    Indexed,
    /// None: heat is shown by characters.
    None,
}

/// From nothing to the most, without colours.
const SHADES: [char; 8] = [' ', '.', ':', '-', '=', '+', '*', '#'];

impl Colours {
    /// What the environment says: `NO_COLOR` forbids, `COLORTERM` promises all.
    pub(super) fn of_environment() -> Colours {
        let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let all = std::env::var("COLORTERM").unwrap_or_default();
        match (is_set("NO_COLOR"), all.as_str()) {
            (true, _) => Colours::None,
            (false, "truecolor" | "24bit") => Colours::All,
            (false, _) => Colours::Indexed,
        }
    }

    /// How heat from 0 to 1 looks, with characters on it that can be read.
    pub(super) fn heat(self, heat: f64) -> Style {
        let place = (heat.clamp(0.0, 1.0) * (COLOURS - 1) as f64).round() as usize;
        let Some(&[red, green, blue]) = heat_scale().get(place) else {
            return Style::new();
        };
        let text = if heat > 0.5 {
            Color::Black
        } else {
            Color::White
        };
        let behind = match self {
            Colours::All => Color::Rgb(red, green, blue),
            Colours::Indexed => Color::Indexed(indexed([red, green, blue])),
            Colours::None => return Style::new(),
        };
        Style::new().bg(behind).fg(text)
    }

    /// What stands for heat where there are no colours.
    pub(super) fn shade(self, heat: f64) -> char {
        let place = (heat.clamp(0.0, 1.0) * (SHADES.len() - 1) as f64).ceil() as usize;
        match self {
            Colours::None => SHADES.get(place).copied().unwrap_or('#'),
            Colours::All | Colours::Indexed => ' ',
        }
    }
}

/// The nearest colour in the cube of 6 x 6 x 6 that xterm's palette has from 16 on.
fn indexed(rgb: [u8; 3]) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |channel: u8| {
        let far = |step: &u8| step.abs_diff(channel);
        let places = STEPS.iter().enumerate();
        let place = places.min_by_key(|(_, step)| far(step));
        place.map_or(0, |(place, _)| place as u8)
    };
    16 + 36 * nearest(rgb[0]) + 6 * nearest(rgb[1]) + nearest(rgb[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xterm's palette: 16 is black, 231 white, 196 red, 21 blue.
    #[test]
    fn the_cube_is_xterms() {
        assert_eq!(indexed([0, 0, 0]), 16);
        assert_eq!(indexed([255, 255, 255]), 231);
        assert_eq!(indexed([255, 10, 0]), 196);
        assert_eq!(indexed([0, 0, 250]), 21);
    }

    #[test]
    fn what_isnt_nothing_can_be_seen_without_colours() {
        assert_eq!(Colours::None.shade(0.0), ' ');
        assert_eq!(Colours::None.shade(0.001), '.');
        assert_eq!(Colours::None.shade(1.0), '#');
    }
}
