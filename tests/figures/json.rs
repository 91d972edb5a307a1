//! The expected results.json: the row of results.csv, and what doesn't fit into a cell.

use crate::figures::outputs::Figures;
use serde_json::{Value, json};

impl Figures<'_> {
    /// results.json.
    pub(crate) fn json(&self) -> Value {
        let unsteady = self.steady.as_ref().and_then(|verdict| verdict.as_ref());
        let mut found = json!(self.results_csv());
        found["provenance"] = self.reported.provenance.clone();
        found["unsteady"] = json!(unsteady.map(|it| &it.json));
        found["latency_by_class"] = json!(self.by_class_csv());
        found["latency_by_distance"] = json!(self.by_distance_csv());
        found["failure"] = self.reported.failure.clone();
        found
    }
}
