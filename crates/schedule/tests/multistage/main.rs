//! The multistage method: the paper's claims, and what is known to contradict them.

mod exhaustive;
mod known;

use flitwork_schedule::multistage::Mesh;
use flitwork_topology::Grid;

/// A mesh, as the paper names it.
fn mesh(rows: u32, columns: u32) -> Mesh {
    Mesh::new(&Grid::mesh(&[columns, rows]).expect("a grid")).expect("a mesh")
}
