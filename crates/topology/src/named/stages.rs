//! What networks of stages share: packets enter before the first and leave after the last.
//!
//! ```text
//!   0 ─▶ ( ) ──▶ ( ) ──▶ ( ) ─▶ 0      rows of switches with k links on and k back; between two stages
//!   1 ─▶ ( ) ──▶ ( ) ──▶ ( ) ─▶ 1      channels are exchanged: one digit of their number changes places
//!            ╲ ╱     ╲ ╱               with the last
//! ```
//!
//! A channel's number is its switch's, times k, plus its port's. Links go both ways, and packets use one: from any switch of the first stage all shortest paths to
//! one of the last lead on through each stage once.

use super::joined;
use crate::{Graph, GraphBuilder, GraphError, layout};
use flitwork_types::NodeId;

/// Stages of switches with `radix` links on and back, `radix ^ digits` channels between two stages. Between a stage and the next, the digit of each
/// of `exchanged` changes places with digit 0.
pub(super) fn stages(
    (radix, digits): (u32, u32),
    exchanged: &[u32],
) -> Result<GraphBuilder, GraphError> {
    let channels = radix.pow(digits);
    let width = channels / radix;
    let count = exchanged.len() as u32 + 1;
    let mut graph = Graph::of_nodes(width * count)?;
    for (stage, digit) in (0..).zip(exchanged) {
        for channel in 0..channels {
            let to = exchange(channel, *digit, radix);
            let (one, other) = (
                stage * width + channel / radix,
                (stage + 1) * width + to / radix,
            );
            let ports = (channel % radix, radix + to % radix);
            joined(
                &mut graph,
                (one, ports.0 as usize),
                (other, ports.1 as usize),
            )?;
        }
    }
    let at = |first: u32| (0..channels).map(move |channel| NodeId(first + channel / radix));
    graph.set_terminals(at((count - 1) * width))?;
    graph.set_entries(at(0))?;
    name_rows(&mut graph, (count, width), radix, ("stage", ["on", "back"]))?;
    graph.place_nodes(layout::of_stages(count, width))?;
    Ok(graph)
}

/// Sets the levels of `count` rows of `width` switches, and names the switches, and their ports: `radix` one way and as many the other.
pub(super) fn name_rows(
    graph: &mut GraphBuilder,
    (count, width): (u32, u32),
    radix: u32,
    (row, ways): (&str, [&str; 2]),
) -> Result<(), GraphError> {
    let nodes = || 0..count * width;
    graph.set_levels(nodes().map(|node| (node / width) as u16).collect())?;
    let ports = ways.map(|way| (0..radix).map(move |port| format!("{way} {port}")));
    graph.name_ports(ports.into_iter().flatten().collect())?;
    let name = |node: u32| format!("{node} ({row} {}, {})", node / width, node % width);
    graph.name_nodes(nodes().map(name).collect())
}

/// A number in which a digit and digit 0 have changed places.
fn exchange(number: u32, digit: u32, radix: u32) -> u32 {
    let weight = radix.pow(digit);
    let (low, high) = (number % radix, number / weight % radix);
    number + high + low * weight - low - high * weight
}

#[cfg(test)]
mod tests {
    use super::exchange;

    /// 0 1 2 in base 3 is 5: exchanging the digits at both ends makes 2 1 0, which is 21.
    #[test]
    fn two_digits_change_places() {
        assert_eq!(exchange(5, 2, 3), 21);
        assert_eq!(exchange(5, 1, 3), 7);
        assert_eq!(exchange(5, 0, 3), 5);
    }
}
