//! The constants of the adaptive construction.

use crate::lower::construct::with_a_class;
use crate::lower::{Corner, LowerError};
use crate::store::Store;
use flitwork_types::NodeId;

/// Which queues a node has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queues {
    /// One of k (section 2.3).
    Central,
    /// One of k for each incoming link: as many as one central queue of 4k at most (section 2.4.1).
    Incoming,
    /// One of k for each outgoing link, likewise.
    Outgoing,
}

/// For which networks and problems the bound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveSetting {
    /// The queues of a node.
    pub queues: Queues,
    /// Whether the network is a torus: its packets stay in a contiguous submesh of half the side (section 2.4.2).
    pub wraps: bool,
    /// How many packets a node sends and receives at most, h (section 2.4.3).
    pub per_node: u32,
}

/// The constants of the construction, in packets, columns and steps (sections 2.3.3 and 2.4.3), rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdaptiveConstants {
    /// For what.
    pub setting: AdaptiveSetting,
    /// The network's side: n, or of a torus 2n.
    pub side: u32,
    /// A queue's size, k, or with queues of links a quarter of it.
    pub queue: u32,
    /// The corner's side, cn.
    pub corner: u32,
    /// The steps of a class, dn.
    pub class_steps: u32,
    /// The packets of a class, p.
    pub per_class: u32,
    /// The classes, l.
    pub classes: u32,
}

impl AdaptiveConstants {
    /// For a network of this side and queues of this size.
    ///
    /// # Errors
    /// [`LowerError::NoQueue`]; [`LowerError::PerNode`] for no packet a node, or more than fit into a queue;
    /// [`LowerError::TooLarge`]; [`LowerError::TooSmall`] where there is no class, and for more than one packet a node where n is
    /// below 52(k + 1 + h)²/h² (Theorem 2.15).
    pub fn for_setting(
        setting: AdaptiveSetting,
        side: u32,
        queue: u32,
    ) -> Result<AdaptiveConstants, LowerError> {
        let of = |side| AdaptiveConstants::of(setting, side, queue);
        with_a_class(side, (queue, setting.per_node, queue), of, |it| it.classes)
    }

    fn of(setting: AdaptiveSetting, side: u32, queue: u32) -> AdaptiveConstants {
        let n = u64::from(if setting.wraps { side / 2 } else { side });
        let h = u64::from(setting.per_node);
        let k = u64::from(queue)
            * if setting.queues == Queues::Central {
                1
            } else {
                4
            };
        let (corner, class_steps) = match h {
            1 => (n / (2 * (k + 2)), 2 * n / 5),
            _ => (h * n / (3 * (k + 1 + h)), 5 * h * n / 9),
        };
        // (k + 1)(cn + c²n) + dn, where c²n = cn cn / n.
        let per_class = ((k + 1) * (corner * n + corner * corner) / n.max(1)) + class_steps;
        let classes = h * corner * corner / (2 * per_class.max(1));
        // h²n and 52(k + 1 + h)².
        let [has, needs] = [
            h * h * n,
            52 * (k + 1 + h).saturating_pow(2).min(u64::MAX / 52),
        ];
        let is_large_enough = h == 1 || has >= needs;
        let [corner, class_steps, per_class, classes] =
            [corner, class_steps, per_class, classes].map(|it| it as u32);
        AdaptiveConstants {
            setting,
            side,
            queue,
            corner,
            class_steps,
            per_class,
            classes: if is_large_enough { classes } else { 0 },
        }
    }

    /// The side of the 0-box, of the nodes before the edge of the 1-box: there, and nowhere else, a rule may let packets leave
    /// shortest paths (section 2.4.4). On the edge itself it must not: the adversary exchanges packets that can go on north and
    /// east both, and on the edge only one of these ways is left.
    pub fn before_the_edge(&self) -> u32 {
        self.corner - 1
    }

    /// The steps that every rule of the class takes at least (Theorems 2.13 and 2.15).
    pub fn bound_steps(&self) -> u32 {
        self.classes * self.class_steps
    }

    /// The queues.
    pub fn store(&self) -> Store {
        let k = self.queue as usize;
        match self.setting.queues {
            Queues::Central => Store::Central(k),
            Queues::Incoming => Store::Incoming(k),
            Queues::Outgoing => Store::Outgoing(k),
        }
    }

    /// The side of the mesh in which packets are, n.
    fn mesh_side(&self) -> u32 {
        if self.setting.wraps {
            self.side / 2
        } else {
            self.side
        }
    }

    /// The first column and row of the mesh in which packets are: on a torus it lies across the links that wrap.
    fn origin(&self) -> u32 {
        if self.setting.wraps {
            self.side - self.side / 4
        } else {
            0
        }
    }

    /// The node in a column and a row.
    pub(super) fn node(&self, corner: Corner, column: u32, row: u32) -> NodeId {
        let (side, of_mesh) = (self.side, self.mesh_side());
        let node = corner.node(of_mesh, column, row).0;
        let along = |at: u32| (at + self.origin()) % side;
        NodeId(along(node / of_mesh) * side + along(node % of_mesh))
    }

    /// The column and the row of a node, if it is in the mesh in which packets are.
    pub(super) fn place(&self, corner: Corner, node: NodeId) -> Option<(u32, u32)> {
        let (side, of_mesh) = (self.side, self.mesh_side());
        let along = |at: u32| (at + side - self.origin()) % side;
        let (x, y) = (along(node.0 % side), along(node.0 / side));
        let is_inside = x < of_mesh && y < of_mesh;
        is_inside.then(|| corner.place(of_mesh, NodeId(y * of_mesh + x)))
    }
}
