//! `naive`: packets on fixed paths, all over their first links, then all over their second: at most c d steps (Leighton, Maggs and Rao 1988,
//! section 2).

use super::frames::paths;
use super::method::{Ask, Made, Method};
use crate::exit::Exit;
use flitwork_schedule::frames::naive;
use serde_json::json;

pub(super) const METHOD: Method = Method {
    name: "naive",
    keys: &[],
    make,
};

fn make(ask: &Ask) -> Result<Made, Exit> {
    let scheduled = naive(&paths(ask)?);
    Ok(Made {
        says: vec![
            ("congestion", json!(scheduled.congestion)),
            ("dilation", json!(scheduled.dilation)),
            ("link_queue", json!(scheduled.link_queue)),
        ],
        plans: scheduled.plans,
    })
}
