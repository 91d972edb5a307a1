//! Broken permutations, traces, records and configurations as files.

use super::{Case, SMALL, with};

/// Permutations as text and as JSON.
const PERMUTATIONS: &[(&str, &[u8])] = &[
    ("p", b"# none\n"),
    ("p", b"0 1\n0 2\n"),
    ("p", b"0 1\n3\n"),
    ("p", b"0 0\n1 1\n"),
    ("p", b"0,1\n"),
    ("p", b"\x89PNG\r\n\x1a\n\xff"),
    ("p.json", b"{\"packets\": [[0, 1],\n [2, 1]]}"),
    ("p.json", b"{\"packets\": [[0]]}"),
    ("p.json", b"{\"packets\": [[0, 1, 2]]}"),
    ("p.json", b"{\"packets\": [[0, \"1\"]]}"),
    ("p.json", b"{\"packets\": 3}"),
    ("p.json", b"{\"name\": \"x\"}"),
    ("p.json", b"[1, 0, 2"),
    ("p.json", b"[1, 0]"),
];

/// Traces as CSV, of 4 nodes.
const TRACES: &[&str] = &[
    "# none\n",
    "cycle,src,dst,words,id,class,after\n",
    "cycle,src,dst\n0,0,1\n",
    "cycle,src,dst,words\n0,0,1,2\n",
    "cycle,src,words\n0,0,1\n",
    "cycle,src,dst,src\n0,0,1,0\n",
    "cycle,src,dst,words,id,class,after\n0,9,1,1,0,0,\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,0,0,0,\n",
    "cycle,src,dst,words,id,class,after\n0,0,0,1,0,0,\n",
    "cycle,src,dst,words,id,class,after\n5,0,1,1,0,0,\n4,0,1,1,1,0,\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,1,0,0,\n0,1,0,1,0,0,\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,1,0,0,0\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,1,0,0,1\n0,1,0,1,1,0,0\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,1,0,0,x\n",
    "cycle,src,dst,words,id,class,after\n-1,0,1,1,0,0,\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,1,0,999,\n",
    "cycle,src,dst,words,id,class,after\n0,0,1\n",
    "cycle,src,dst,words,id,class,after\n0,0,1,1,0,0,\"\n",
    "cycle;src;dst\n0;0;1\n",
];

/// Files that aren't records.
const RECORDS: &[(&str, &[u8])] = &[("r.flog", b"")];

/// Files that aren't configurations, and a command that reads one.
const CONFIGURATIONS: &[(&str, &[u8])] = &[
    ("saturate", b"\x7fELF\0\xff\xfe\0"),
    ("sweep", &[0; 100]),
    ("saturate", &[0; 100]),
    ("sweep", b"\xef\xbb\xbf[network]\r\ntopology = 3\r\n"),
    ("saturate", b"\xef\xbb\xbf[network]\r\ntopology = 3\r\n"),
];

/// Commands, and paths at which there is no file that they can read.
const PATHS: &[(&str, &str)] = &[
    ("check", "none.toml"),
    ("replay", "x.toml/y.toml"),
    ("merge", "x.toml/y.toml"),
    ("saturate", "."),
    ("merge", "."),
    ("run", "/dev/null"),
    ("replay", "/dev/null"),
    ("merge", "/dev/null"),
    ("run", ""),
    ("check", ""),
    ("replay", ""),
    ("merge", ""),
];

/// The same for keys.
const KEYS: &[(&str, &str)] = &[
    ("traffic.trace.file", "none.toml"),
    ("traffic.file", "x.toml/y.toml"),
    ("traffic.trace.file", "."),
    ("traffic.file", "/dev/null"),
];

fn escaped(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string().replace("\\\"", "\"")
}

const DELAYS: &[&str] = &[
    "",
    "stage,node,port\n",
    "stage,node,port,ps\ndecision,*,*,0\n",
    "stage,node,port,ps\ndecision,1,*,5\n",
    "stage,node,port,ps\ndecision,16,*,5\n",
    "stage,node,port,ps\ndecision,0,north,5\n",
    "stage,node,port,ps\ndecision,*,*,5\ndecision,*,*,5\n",
    "stage,node,port,ps\nrequest,*,*,5\n",
    "stage,node,port,least_ps,most_ps,law\ndecision,*,*,5,4,data\n",
];

/// A permutation as traffic.
const PERMUTATION: &str = "load = 0.1\npattern = \"permutation\"";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, bytes) in PERMUTATIONS {
        let text = with(
            super::MESH,
            "[router.chaos]",
            &format!("{PERMUTATION}\nfile = {name:?}"),
        );
        let wrong = format!("{name} is {}", escaped(bytes));
        cases.push(Case::text(wrong, text).with(name, *bytes));
    }
    for trace in TRACES {
        let traffic = "process = \"trace\"\n[traffic.trace]\nfile = \"t.csv\"\nnodes = 4";
        let text = with(super::MESH, "[router.wormhole]", traffic);
        let wrong = format!("t.csv is {}", escaped(trace.as_bytes()));
        cases.push(Case::text(wrong, text).with("t.csv", *trace));
    }
    for bytes in [&b""[..], b"netrace", b"BZh9"] {
        let traffic = "process = \"trace\"\n[traffic.trace]\nfile = \"t.tra.bz2\"";
        let text = with(super::MESH, "[router.wormhole]", traffic);
        let wrong = format!("t.tra.bz2 is {}", escaped(bytes));
        cases.push(Case::text(wrong, text).with("t.tra.bz2", bytes));
    }
    for table in DELAYS {
        let nodes =
            "load = 0.1\n[clocks.self-timed]\nword_ps = 3\n[clocks.delays]\nfile = \"d.csv\"";
        let text = with(super::MESH, "[router.chaos]", nodes);
        let wrong = format!("d.csv is {}", escaped(table.as_bytes()));
        cases.push(Case::text(wrong, text).with("d.csv", *table));
    }
    for (name, bytes) in RECORDS {
        cases.push(Case::new(escaped(bytes), &["replay", name]).with(name, *bytes));
    }
    for (command, bytes) in CONFIGURATIONS {
        cases.push(Case::new(escaped(bytes), &[command, "x.toml"]).with("x.toml", *bytes));
    }
    cases.extend(paths());
    cases
}

/// Files that aren't there, or aren't files.
fn paths() -> Vec<Case> {
    let commands = PATHS.iter().map(|(command, path)| {
        Case::new("x.toml is there", &[command, path]).with("x.toml", SMALL)
    });
    let keys = KEYS.iter().map(|(key, path)| {
        let (router, traffic) = match *key {
            "traffic.trace.file" => ("[router.wormhole]", "process = \"trace\""),
            _ => ("[router.chaos]", PERMUTATION),
        };
        let set = format!("{key}={path}");
        let text = with(super::MESH, router, traffic);
        Case::new("", &["check", "x.toml", "--set", &set]).with("x.toml", text)
    });
    commands.chain(keys).collect()
}
