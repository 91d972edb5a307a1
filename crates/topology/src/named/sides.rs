//! The sides of a grid, as a configuration gives them.

use crate::{Built, Grid, GridError, MAX_NODES, Shape, TopologyEntry, keys};
use flitwork_schema::{Key, MistakeKind, RawTable, Refusal, settings};

/// A grid as a configuration gives it.
#[derive(Clone, Debug, Default)]
struct GivenSides {
    sides: Vec<u32>,
}

const KEYS: &[Key<GivenSides>] = &[keys::sides(|it| &mut it.sides)];

/// A topology of grids of one kind.
pub(crate) fn entry(
    name: &'static str,
    help: &'static str,
    grid: fn(&[u32]) -> Result<Grid, GridError>,
) -> TopologyEntry {
    TopologyEntry::new(name, help, KEYS, move |given, table| {
        let made = grid(&given.sides).map_err(|error| refused(&error, table))?;
        Ok(Shape::from(made))
    })
}

/// The refusal of sides that make no grid, shown at their place.
pub(super) fn refused(error: &GridError, table: &RawTable<'_>) -> Refusal {
    const KEY: &str = "sides";
    match error {
        GridError::Side {
            dimension, least, ..
        } => {
            let side = table.list(KEY).get(*dimension);
            let span = side.map_or(table.span(), |side| side.span.clone());
            let key = format!("{}[{dimension}]", table.key(KEY));
            let allowed = format!(
                "{least} or more nodes (on a torus a side of 1 would link a node to itself)"
            );
            Refusal::new(MistakeKind::Conflict, key, Some(span)).allowed(allowed)
        }
        GridError::Nodes(found) => {
            let found = match *found {
                u128::MAX => "far more".into(),
                found => found.to_string(),
            };
            let allowed = format!("2 to {MAX_NODES} nodes; these sides have {found}");
            table.conflict(KEY, allowed)
        }
        GridError::Dimensions(_) => table.conflict(KEY, error.to_string()),
    }
}

impl From<Grid> for Built {
    /// The grid with its settings.
    fn from(grid: Grid) -> Built {
        let given = GivenSides {
            sides: grid.sides(),
        };
        Built {
            topology: grid.kind(),
            keys: settings(KEYS, &given),
            shape: Shape::from(grid),
        }
    }
}
