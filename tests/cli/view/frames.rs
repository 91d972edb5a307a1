//! The numbers of frames are what events sum to.

use super::served::{Served, busy, lines};
use crate::harness::Folder;
use serde_json::Value;

/// The numbers of one answer of `/api/frame` with all layers, of 16 nodes.
struct Frame {
    bytes: Vec<u8>,
    ports: usize,
}

impl Frame {
    const HEAD: usize = 48;

    fn get(served: &Served, (from, to): (u64, u64), ports: usize) -> Self {
        let answer = served.get(&format!("/api/frame?from={from}&to={to}&layers=7"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let bytes = answer.body;
        assert_eq!(bytes.len(), Self::HEAD + 2 * 16 * (2 + ports));
        Self { bytes, ports }
    }

    fn short(&self, at: usize) -> u64 {
        let at = Self::HEAD + 2 * at;
        u64::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    fn packets(&self, node: usize) -> u64 {
        self.short(node)
    }

    fn deroutes(&self, node: usize) -> u64 {
        self.short(16 + node)
    }

    fn words(&self, node: usize, port: usize) -> u64 {
        self.short(32 + node * self.ports + port)
    }
}

/// The `at`-th of the long numbers at the beginning of a frame.
fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().unwrap())
}

#[test]
fn frames_count_what_events_say() {
    let folder = Folder::new();
    busy(&folder);
    let served = Served::new(&folder, &["busy.toml"]);
    let (from, to) = (500u64, 560u64);
    let asked = "trace events busy.toml --jsonl --words --from 500 --to 560";
    let events = lines(&folder, &asked.split(' ').collect::<Vec<_>>());
    let rows = lines(&folder, &["trace", "packets", "busy.toml", "--jsonl"]);
    let far = served.get("/api/far").body.len() / 4;
    let about = served.json("/api/run");
    let ports = about["runs"][0]["ports"].as_array().unwrap().clone();
    assert_eq!(far, 16 * ports.len());
    // Backwards, too: what comes first must not matter.
    for (from, to) in [(0, from), (from, to), (0, 3), (from, to)] {
        let frame = Frame::get(&served, (from, to), ports.len());
        if from != 500 {
            continue;
        }
        for node in 0..16 {
            let at = |it: &&Value| it["node"].as_u64() == Some(node as u64);
            let deroutes = events.iter().filter(at).filter(|it| it["deroute"] == true);
            assert_eq!(frame.deroutes(node), deroutes.count() as u64, "node {node}");
            for (port, name) in ports.iter().enumerate() {
                let goes = |it: &&Value| it["kind"] == "word" && it["port"] == *name;
                let words = events.iter().filter(at).filter(goes).count() as u64;
                assert_eq!(frame.words(node, port), words, "node {node} {name}");
            }
        }
        let all: u64 = (0..16).map(|node| frame.packets(node)).sum();
        assert_eq!(all, long(&frame.bytes, 3));
        let is_in = |row: &&Value| {
            row["injected"].as_u64().is_some_and(|at| at < to)
                && row["delivered"].as_u64().is_none_or(|at| at >= to)
        };
        assert_eq!(all, rows.iter().filter(is_in).count() as u64);
    }
    the_strip_sums_to_the_whole(&served);
}

fn the_strip_sums_to_the_whole(served: &Served) {
    let strip = served.settle()["strip"].clone();
    let past = strip["until"].as_u64().unwrap() + 1000;
    let end = served.get(&format!("/api/frame?from=0&to={past}&layers=0"));
    assert_eq!((end.body[0], end.body[1]), (0, 1), "it has ended");
    let sum = |name: &str| -> u64 {
        let each = strip[name].as_array().unwrap();
        each.iter().map(|it| it.as_u64().unwrap()).sum()
    };
    assert_eq!(sum("deroutes"), long(&end.body, 4));
    assert_eq!(sum("words"), long(&end.body, 5));
}
