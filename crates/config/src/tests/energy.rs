//! `[energy]`: what it means, and that it is written out if it is given.

use super::{SHORT, message, overridden, right};
use crate::EnergyParameters;

#[test]
fn nothing_has_a_price_by_default() {
    for text in [SHORT.to_owned(), format!("{SHORT}[energy]\n")] {
        let resolved = right(&text);
        assert_eq!(resolved.energy, EnergyParameters::default());
        assert!(!resolved.energy.any());
        assert!(!resolved.to_toml().contains("energy"));
    }
}

#[test]
fn prices_are_taken_and_written_out() {
    let some = right(&format!(
        "{SHORT}[energy]\nlink_pj = 2\nleak_pj_per_node_cycle = 0.125\n"
    ));
    let prices = EnergyParameters {
        link_pj: Some(2.0),
        leak_pj_per_node_cycle: Some(0.125),
        ..EnergyParameters::default()
    };
    assert_eq!(some.energy, prices);
    assert_eq!(right(&some.to_toml()).energy, prices);
    let all = "buffer_write_pj = 0.1\nbuffer_read_pj = 1e-3\ncrossbar_pj = 0\nlink_pj = 1e12\n\
        decision_pj = 0.3333333333333333\nleak_pj_per_node_cycle = 7\n";
    let all = right(&format!("{SHORT}[energy]\n{all}"));
    assert_eq!(all.energy.decision_pj, Some(1.0 / 3.0));
    assert_eq!(right(&all.to_toml()), all);
    let set = overridden(&["energy.crossbar_pj=1.5"]).unwrap();
    assert_eq!(set.energy.crossbar_pj, Some(1.5));
}

#[test]
fn invalid_prices_are_refused() {
    for (line, found) in [
        ("link_pj = -1", "energy.link_pj is -1"),
        ("link_pj = 1e13", "energy.link_pj is 1e13"),
        ("link_pj = nan", "energy.link_pj is nan"),
        ("link_pj = \"2 pJ\"", "energy.link_pj is \"2 pJ\""),
        ("link_nj = 1", "link_nj"),
    ] {
        let text = message(&format!("{SHORT}[energy]\n{line}\n"));
        assert!(text.contains("x.toml:8:") && text.contains(found), "{text}");
    }
}
