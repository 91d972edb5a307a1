//! The numbers of maximum matchings, against all matchings.

use super::counted::{COUNTED_LINKS, Counted};
use crate::greedy_hp::assign::tests::{all_wants, hands, maximum_matchings};
use flitwork_node::draw_below;
use flitwork_types::{Cycle, NodeId, Port, PortSet};

/// Each maximum matching has a number, and each number is a maximum matching.
fn check(wants: &[PortSet], links: PortSet) {
    let counted = Counted::new(&hands(wants), links);
    let numbers = 0..counted.matchings();
    let numbered = numbers.map(|number| counted.matching(number).into_iter().collect());
    let mut numbered: Vec<Vec<Option<Port>>> = numbered.collect();
    numbered.sort_unstable();
    let mut all = maximum_matchings(wants, links);
    all.sort_unstable();
    assert_eq!(numbered, all, "{wants:?} at {links:?}");
}

#[test]
fn up_to_four_links_have_their_maximum_matchings_numbered() {
    for links in 0..=4 {
        for wants in all_wants(links) {
            check(&wants, PortSet::first(links));
        }
    }
}

/// The most matchings, 6!, and packets that want nothing, are among them.
#[test]
fn more_links_and_links_that_are_missing_too() {
    let all = PortSet::first(COUNTED_LINKS);
    check(&[all; COUNTED_LINKS], all);
    check(&[PortSet::EMPTY; COUNTED_LINKS], all);
    for case in 0..2000 {
        let draw = |below, index| draw_below(below, 1, NodeId(case), Cycle::ZERO, index);
        // Of eight ports of a node some have no link.
        let mut links = PortSet(draw(256, 0).into());
        while links.len() > COUNTED_LINKS {
            links.remove(links.iter().next().unwrap());
        }
        let packets = draw(links.len() as u32 + 1, 1);
        let wants = (0..packets).map(|packet| {
            let [some, others] = [0, 1].map(|half| draw(256, 2 + 2 * packet + half));
            // Few or many.
            PortSet(
                (if draw(2, 20) == 0 {
                    some
                } else {
                    some & others
                })
                .into(),
            )
        });
        check(&wants.collect::<Vec<_>>(), links);
    }
}
