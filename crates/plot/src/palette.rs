//! Colours that can be distinguished in print and by colour-blind readers.

use crate::picture::Color;

/// Axes and text.
pub(crate) const INK: Color = Color(34, 34, 34);
/// The lines behind the data.
pub(crate) const GRID: Color = Color(228, 228, 228);
/// The background of shaded stretches.
pub(crate) const SHADE: Color = Color(243, 243, 243);
/// The paper.
pub(crate) const PAPER: Color = Color(255, 255, 255);

/// Okabe and Ito, "Color universal design" (2008), black first, without yellow, which is too pale for
/// lines.
const SERIES: [Color; 7] = [
    Color(0, 0, 0),
    Color(0, 114, 178),
    Color(213, 94, 0),
    Color(0, 158, 115),
    Color(204, 121, 167),
    Color(86, 180, 233),
    Color(230, 159, 0),
];

/// The colour of the series with that number.
pub(crate) fn series(index: usize) -> Color {
    SERIES[index % SERIES.len()]
}

/// Viridis (van der Walt and Smith, matplotlib 2.0), perceptually uniform, at `share` from 0 to 1.
pub(crate) fn viridis(share: f64) -> Color {
    let color = colorous::VIRIDIS.eval_rational((255.0 * share).round() as usize, 256);
    Color(color.r, color.g, color.b)
}

/// From light yellow at 0 to dark red at 1, for lines on paper: "YlOrRd" (Brewer 2003) without its palest part.
pub(crate) fn heat(share: f64) -> Color {
    let color = colorous::YELLOW_ORANGE_RED.eval_continuous(0.25 + 0.75 * share);
    Color(color.r, color.g, color.b)
}

/// From white at 0 to nearly black at 1.
pub(crate) fn greys(share: f64) -> Color {
    let level = 255 - (240.0 * share).round() as u8;
    Color(level, level, level)
}
