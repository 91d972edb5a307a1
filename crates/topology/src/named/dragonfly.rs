//! `topology = "dragonfly"`: groups of nodes that are all linked, with global links between groups.
//!
//! ```text
//!   a nodes a group, all linked; h global links a node, p terminals a node; up to a h + 1 groups
//!
//!   ( )─( )   ═════   ( )─( )
//!    │ ╳ │     ═══     │ ╳ │        the global links of a group are numbered through, link j of its node i being i h + j
//!   ( )─( )           ( )─( )
//! ```
//!
//! Which group's link leads where is the arrangement (Hastings and others 2015, section 2), for G groups and link n of group g:
//!
//! | arrangement | to group |
//! |---|---|
//! | `absolute` | n, or n + 1 from n = g on: each group is linked to all others in the order of their numbers |
//! | `palm-tree` | g - n - 1, around the circle of groups |
//! | `canonical` | g + n + 1, around the circle |
//!
//! Kim and others 2008. With fewer groups than a h + 1 only the first G - 1 links of a group are there, or as many rounds of these as fit.

mod distances;

use super::{built, joined, joined_in};
use crate::{Graph, GraphBuilder, GraphError, MAX_COMPUTED_NODES, TopologyEntry, keys, layout};
use distances::ByGroups;
use flitwork_schema::{Allowed, Key, RawTable, Refusal, key};
use flitwork_types::NodeId;

#[derive(Clone, Debug, Default)]
struct Dragonfly {
    nodes: u32,
    global: u32,
    concentration: Option<u32>,
    groups: Option<u32>,
    global_cycles: Option<u32>,
    arrangement: Arrangement,
}

/// Which global links join which groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Arrangement {
    #[default]
    Absolute,
    PalmTree,
    Canonical,
}

flitwork_schema::named!(Arrangement { Absolute = "absolute", PalmTree = "palm-tree", Canonical = "canonical" });

#[rustfmt::skip]
const KEYS: &[Key<Dragonfly>] = &[
    key("group_nodes", |it| &mut it.nodes, Allowed::Whole(1, 64), "required", "nodes of a group: the a of a dragonfly"),
    keys::global_links(|it| &mut it.global),
    keys::concentration(|it| &mut it.concentration),
    keys::groups(|it| &mut it.groups),
    keys::global_cycles(|it| &mut it.global_cycles),
    key("arrangement", |it| &mut it.arrangement, Allowed::Choice(Arrangement::NAMES), "\"absolute\"", "which global links join which groups"),
];

const GROUPS: &str = "groups";

pub(crate) fn entry() -> TopologyEntry {
    let help = "groups of nodes that are all linked, and global links between the groups";
    TopologyEntry::new("dragonfly", help, KEYS, |given, table| {
        let of_group = (given.nodes, given.global);
        let groups = counted(of_group, given.groups, MAX_COMPUTED_NODES, table)?;
        built(table, "group_nodes", dragonfly(given, groups))
    })
}

/// How many groups there are, of so many nodes and global links each, with at most so many nodes in all.
pub(super) fn counted(
    (nodes, global): (u32, u32),
    given: Option<u32>,
    most_nodes: u32,
    table: &RawTable<'_>,
) -> Result<u32, Refusal> {
    let most = nodes * global + 1;
    let groups = given.unwrap_or(most);
    if groups > most {
        let allowed = format!("2 to {most}: a group has {} global links", nodes * global);
        return Err(table.conflict(GROUPS, allowed));
    }
    if groups * nodes > most_nodes {
        let allowed = format!("so many that there are at most {most_nodes} nodes");
        // Without a number of groups the links decide it.
        let key = given.map_or("global_links", |_| GROUPS);
        return Err(table.conflict(key, allowed));
    }
    Ok(groups)
}

fn dragonfly(given: &Dragonfly, groups: u32) -> Result<GraphBuilder, GraphError> {
    let Dragonfly {
        nodes: a,
        global: h,
        ..
    } = *given;
    let p = given.concentration.unwrap_or(h);
    let mut graph = Graph::of_known(groups * a, ByGroups::of(given, groups))?;
    for group in 0..groups {
        for one in 0..a {
            for other in one + 1..a {
                // A node's ports to the others of its group are in their order, without itself.
                let ends = (
                    (group * a + one, other as usize - 1),
                    (group * a + other, one as usize),
                );
                joined(&mut graph, ends.0, ends.1)?;
            }
        }
    }
    let end = |group: u32, link: u32| (group * a + link / h, (a - 1 + link % h) as usize);
    for ((one, from), (other, to)) in global_links(groups, a * h, given.arrangement) {
        joined_in(
            &mut graph,
            end(one, from),
            end(other, to),
            given.global_cycles,
        )?;
    }
    graph.set_terminals((0..groups * a * p).map(|terminal| NodeId(terminal / p)))?;
    graph.set_groups((0..groups * a).map(|node| node / a).collect())?;
    let local = (0..a - 1).map(|port| format!("group {port}"));
    let global = (0..h).map(|port| format!("global {port}"));
    graph.name_ports(local.chain(global).collect())?;
    name_and_place(&mut graph, groups, a, 0.0)?;
    Ok(graph)
}

/// One end of a global link: the group, and which of its links it is.
pub(super) type End = (u32, u32);

/// The links between groups of so many links each, each once.
fn global_links(groups: u32, links: u32, arrangement: Arrangement) -> Vec<(End, End)> {
    let others = groups - 1;
    // Full rounds of links to all other groups.
    let rounds = links / others;
    let mut all = Vec::new();
    for round in 0..rounds {
        for group in 0..groups {
            for link in 0..others {
                let (far, back) = match arrangement {
                    Arrangement::Absolute if link < group => (link, group - 1),
                    Arrangement::Absolute => (link + 1, group),
                    Arrangement::PalmTree => {
                        ((group + groups - link - 1) % groups, others - 1 - link)
                    }
                    Arrangement::Canonical => ((group + link + 1) % groups, others - 1 - link),
                };
                if group < far {
                    let first = round * others;
                    all.push(((group, first + link), (far, first + back)));
                }
            }
        }
    }
    all
}

/// The links between groups in the absolute arrangement.
pub(super) fn absolute(groups: u32, links: u32) -> Vec<(End, End)> {
    global_links(groups, links, Arrangement::Absolute)
}

/// Names nodes by their groups, and places these on a circle, the nodes of each on a smaller one; the first is so many places before the one
/// farthest out.
pub(super) fn name_and_place(
    graph: &mut GraphBuilder,
    groups: u32,
    nodes: u32,
    before: f64,
) -> Result<(), GraphError> {
    let all = || 0..groups * nodes;
    graph.name_nodes(
        all()
            .map(|node| format!("{node} (group {}, {})", node / nodes, node % nodes))
            .collect(),
    )?;
    graph.place_nodes(layout::of_groups(groups, nodes, before))
}

#[cfg(test)]
mod tests {
    use super::{Arrangement, global_links};
    use std::collections::BTreeSet;

    /// Each end is one link's, and each two groups are linked as often as any others.
    #[test]
    fn arrangements_use_each_end_once() {
        for arrangement in [
            Arrangement::Absolute,
            Arrangement::PalmTree,
            Arrangement::Canonical,
        ] {
            for (groups, links) in [(2, 1), (3, 2), (9, 8), (5, 8), (4, 8), (33, 32)] {
                let all = global_links(groups, links, arrangement);
                let ends: BTreeSet<_> =
                    all.iter().flat_map(|(one, other)| [*one, *other]).collect();
                assert_eq!(
                    ends.len(),
                    2 * all.len(),
                    "{arrangement:?} {groups} {links}"
                );
                let rounds = links / (groups - 1);
                assert_eq!(all.len() as u32, rounds * groups * (groups - 1) / 2);
                let pairs: BTreeSet<_> = all.iter().map(|(one, other)| (one.0, other.0)).collect();
                assert_eq!(pairs.len() as u32, groups * (groups - 1) / 2);
                assert!(
                    all.iter()
                        .all(|(one, other)| one.1 < links && other.1 < links)
                );
            }
        }
    }

    /// Three groups of two links, by hand: absolute links 0 and 1 of group 0 lead to groups 1 and 2, those of group 1 to 0 and 2; palm tree link 0 of
    /// group 0 leads back around to group 2, canonical to group 1.
    #[test]
    fn three_groups_by_hand() {
        let of = |arrangement| global_links(3, 2, arrangement);
        assert_eq!(
            of(Arrangement::Absolute),
            [((0, 0), (1, 0)), ((0, 1), (2, 0)), ((1, 1), (2, 1))]
        );
        assert_eq!(
            of(Arrangement::PalmTree),
            [((0, 0), (2, 1)), ((0, 1), (1, 0)), ((1, 1), (2, 0))]
        );
        assert_eq!(
            of(Arrangement::Canonical),
            [((0, 0), (1, 1)), ((0, 1), (2, 0)), ((1, 0), (2, 1))]
        );
    }
}
