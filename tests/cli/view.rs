//! `flitwork view`: what its page is answered, by a client of our own over a socket, and the folders that it exports.

use crate::harness::{Done, Folder, interrupt};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A page that is served.
struct Served<'a> {
    folder: &'a Folder,
    child: Child,
    /// Its host and port.
    host: String,
}

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> Served<'a> {
    fn new(folder: &'a Folder, args: &[&str]) -> Served<'a> {
        let mut child = folder.start(&[&["view"], args].concat());
        folder.wait_for(&mut child, "Ctrl-C ends it");
        let url = folder.read("stdout");
        let host = url.trim().strip_prefix("http://").unwrap();
        let host = host.strip_suffix('/').unwrap().to_owned();
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        Served {
            folder,
            child,
            host,
        }
    }

    /// What is answered to bytes that may be anything; nothing if the connection is closed.
    fn send(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // A server that has refused the beginning may not read the end.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer {
            status,
            head,
            body: all[end + 4..].to_vec(),
        })
    }

    fn ask(&self, method: &str, path: &str, headers: &str) -> Answer {
        let request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n");
        // The other way is not closed first: that would mean that nobody waits.
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|it| it == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{path}: {}", String::from_utf8_lossy(&all)));
        let head = String::from_utf8(all[..end].to_vec()).unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head,
            body: all[end + 4..].to_vec(),
        }
    }

    fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &format!("Host: {}\r\n", self.host))
    }

    fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// The answer once it is known.
    fn known(&self, path: &str, is_known: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..2000 {
            let found = self.json(path);
            if is_known(&found) {
                return found;
            }
            sleep(Duration::from_millis(20));
        }
        panic!("{path} is never known");
    }

    /// Waits until rows of packets are known.
    fn settle(&self) -> Value {
        self.known("/api/state", |it| {
            it["packets"]["known"] == true && !it["strip"]["ended"].is_null()
        })
    }

    fn stop(mut self) -> Done {
        interrupt(&self.child);
        self.folder.end(&mut self.child)
    }
}

impl Answer {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A run that `flitwork trace` can be asked about, too.
fn trace(folder: &Folder, question: &[&str], settings: &[&str]) -> Value {
    let args = [&["trace"], question, settings, &["--json"]].concat();
    folder.fine(&args).json()
}

/// A mesh in which packets hold each other up.
fn busy(folder: &Folder) {
    let text = crate::harness::SMALL.replace("load = 0.1", "load = 0.4");
    folder.write("busy.toml", text);
}

#[test]
fn nodes_and_packets_are_what_trace_says() {
    let folder = Folder::new();
    busy(&folder);
    let worm = crate::harness::SMALL.replace("[router.chaos]", "[router.wormhole]");
    folder.write("worm.toml", worm.replace("load = 0.1", "load = 0.3"));
    let clocked = &["--engine", "clocked"][..];
    for (run, settings) in [
        ("busy.toml", &[][..]),
        ("busy.toml", clocked),
        ("worm.toml", &[]),
    ] {
        let served = Served::new(&folder, &[&[run], settings].concat());
        for at in ["5@300", "0@0", "15@1234", "6@301"] {
            let (node, cycle) = at.split_once('@').unwrap();
            let found = served.json(&format!("/api/node?node={node}&cycle={cycle}"));
            assert_eq!(found, trace(&folder, &["node", run, at], settings), "{at}");
            let time = found["time"].as_u64().unwrap();
            let by_time = served.json(&format!("/api/node?node={node}&time={time}"));
            assert_eq!(by_time, found, "{at}");
        }
        served.settle();
        let slowest = served.json("/api/latencies");
        let rows = slowest["slowest"].as_array().unwrap();
        assert!(rows.len() > 20);
        for row in rows.iter().take(3) {
            let packet = row["packet"].as_str().unwrap();
            let found = served.json(&format!("/api/packet?packet={packet}"));
            let why = trace(&folder, &["why", run, packet], settings);
            assert_eq!(found["why"], why, "{packet}");
            assert_eq!(found["latency"], row["latency"], "{packet}");
            let way = found["way"].as_array().unwrap();
            assert_eq!(way[0]["node"], row["source"]);
            assert_eq!(way.last().unwrap()["node"], row["destination"]);
            assert_eq!(way.len() as u64 - 1, row["hops"].as_u64().unwrap());
        }
        let done = served.stop();
        assert_eq!(done.code, Some(130), "{}", done.err);
    }
}

#[test]
fn packets_and_their_latencies_are_what_trace_says() {
    let folder = Folder::new();
    busy(&folder);
    let served = Served::new(&folder, &["busy.toml"]);
    served.settle();
    let listed = served.json("/api/packets?where=source.x%20%3C%202&sort=latency&limit=7");
    let asked = [
        "trace",
        "packets",
        "busy.toml",
        "--json",
        "--sort",
        "latency",
        "--where",
        "source.x < 2",
    ];
    let all = folder.fine(&asked);
    let rows: Vec<Value> = all
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed["packets"].as_array().unwrap()[..], rows[..7]);
    assert_eq!(listed["all"].as_u64().unwrap() as usize, rows.len());
    let all = folder.fine(&["trace", "packets", "busy.toml", "--json"]);
    let rows = all
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut latencies: Vec<u64> = rows.filter_map(|row| row["latency"].as_u64()).collect();
    latencies.sort();
    let found = served.json("/api/latencies");
    let width = found["width"].as_u64().unwrap();
    let bins: Vec<u64> = found["bins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_u64().unwrap())
        .collect();
    let counted = |bin: usize| {
        latencies
            .iter()
            .filter(|it| **it / width == bin as u64)
            .count() as u64
    };
    assert_eq!(bins, (0..bins.len()).map(counted).collect::<Vec<u64>>());
    assert_eq!(
        found["delivered"].as_u64().unwrap() as usize,
        latencies.len()
    );
    assert_eq!(found["longest"].as_u64(), latencies.last().copied());
    let half = found["quantiles"][0].as_u64().unwrap();
    assert!(latencies.iter().filter(|it| **it <= half).count() * 2 >= latencies.len());
    assert!(latencies.iter().filter(|it| **it < half).count() * 2 < latencies.len());
}

#[test]
fn frames_count_what_events_say() {
    let folder = Folder::new();
    busy(&folder);
    let served = Served::new(&folder, &["busy.toml"]);
    let (from, to) = (500u64, 560u64);
    let events = folder.fine(&[
        "trace",
        "events",
        "busy.toml",
        "--json",
        "--words",
        "--from",
        "500",
        "--to",
        "560",
    ]);
    let events: Vec<Value> = events
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let far = served.get("/api/far").body;
    let far: Vec<u32> = far
        .chunks(4)
        .map(|it| u32::from_le_bytes(it.try_into().unwrap()))
        .collect();
    let about = served.json("/api/run");
    let ports = about["runs"][0]["ports"].as_array().unwrap().clone();
    assert_eq!(far.len(), 16 * ports.len());
    // Backwards, too: what comes first must not matter.
    for (from, to) in [(0, from), (from, to), (0, 3), (from, to)] {
        let answer = served.get(&format!("/api/frame?from={from}&to={to}&layers=7"));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let bytes = answer.body;
        assert_eq!(bytes.len(), 48 + 2 * 16 * (2 + ports.len()));
        let short = |at: usize| u64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        if from != 500 {
            continue;
        }
        for node in 0..16 {
            let at = |it: &&Value| it["node"].as_u64() == Some(node as u64);
            let deroutes = events
                .iter()
                .filter(at)
                .filter(|it| it["deroute"] == true)
                .count();
            assert_eq!(short(48 + 2 * (16 + node)), deroutes as u64, "node {node}");
            for (port, name) in ports.iter().enumerate() {
                let words = events
                    .iter()
                    .filter(at)
                    .filter(|it| it["kind"] == "word" && it["port"] == *name)
                    .count();
                assert_eq!(
                    short(48 + 2 * (32 + node * ports.len() + port)),
                    words as u64,
                    "node {node} {name}"
                );
            }
        }
        let all: u64 = (0..16).map(|node| short(48 + 2 * node)).sum();
        assert_eq!(all, u64::from_le_bytes(bytes[24..32].try_into().unwrap()));
        let rows = folder.fine(&["trace", "packets", "busy.toml", "--json"]);
        let rows = rows
            .out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let is_in = |row: &Value| {
            row["injected"].as_u64().is_some_and(|at| at < to)
                && row["delivered"].as_u64().is_none_or(|at| at >= to)
        };
        assert_eq!(all, rows.filter(is_in).count() as u64);
    }
    let strip = served.settle()["strip"].clone();
    let until = strip["until"].as_u64().unwrap();
    let end = served
        .get(&format!("/api/frame?from=0&to={}&layers=0", until + 1000))
        .body;
    assert_eq!((end[0], end[1]), (0, 1), "it has ended");
    let sum = |name: &str| -> u64 {
        strip[name]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it.as_u64().unwrap())
            .sum()
    };
    assert_eq!(
        sum("deroutes"),
        u64::from_le_bytes(end[32..40].try_into().unwrap())
    );
    assert_eq!(
        sum("words"),
        u64::from_le_bytes(end[40..48].try_into().unwrap())
    );
}

#[test]
fn only_its_own_page_is_answered() {
    let folder = Folder::new();
    let served = Served::new(&folder, &["small.toml"]);
    let port = served.host.split_once(':').unwrap().1.to_owned();
    let own = format!("Host: 127.0.0.1:{port}\r\n");
    for path in ["/", "/app.js", "/api/run"] {
        for host in [
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:1",
            "localhost",
            &format!("[::1]:{port}"),
            "",
        ] {
            let answer = served.ask("GET", path, &format!("Host: {host}\r\n"));
            assert_eq!(answer.status, 403, "{host} {path}");
            assert!(
                answer.text().contains("allowed: 127.0.0.1:"),
                "{}",
                answer.text()
            );
        }
        let two = format!("{own}Host: evil.example\r\n");
        assert!(served.ask("GET", path, &two).status >= 400);
        for origin in [
            "http://evil.example",
            "null",
            &format!("https://127.0.0.1:{port}"),
            "http://127.0.0.1:1",
        ] {
            let answer = served.ask("GET", path, &format!("{own}Origin: {origin}\r\n"));
            assert_eq!(answer.status, 403, "{origin} {path}");
        }
        for origin in [
            format!("http://127.0.0.1:{port}"),
            format!("http://localhost:{port}"),
        ] {
            let answer = served.ask("GET", path, &format!("{own}Origin: {origin}\r\n"));
            assert_eq!(answer.status, 200, "{origin} {path}");
            for header in [
                "content-security-policy: default-src 'none'",
                "x-content-type-options: nosniff",
                "cache-control: no-store",
            ] {
                assert!(answer.head.contains(header), "{header}: {}", answer.head);
            }
        }
        let localhost = served.ask("GET", path, &format!("Host: localhost:{port}\r\n"));
        assert_eq!(localhost.status, 200);
        for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
            assert_eq!(served.ask(method, path, &own).status, 405, "{method}");
        }
        let body = format!("{own}Content-Length: 3\r\n\r\nabc");
        assert_eq!(served.ask("GET", path, &body).status, 413);
    }
    let foreign = format!("{own}Sec-Fetch-Site: cross-site\r\n");
    assert_eq!(served.ask("GET", "/api/run", &foreign).status, 403);
    assert_eq!(served.ask("GET", "/", &foreign).status, 200);
    // Nothing but what it shows, whatever the address says.
    for path in [
        "/../small.toml",
        "/small.toml",
        "/..%2fsmall.toml",
        "//etc/passwd",
        "/api",
        "/api/run/../../small.toml",
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, 404, "{path}: {}", answer.text());
    }
    assert_eq!(served.get(&format!("/{}", "a".repeat(5000))).status, 414);
}

#[test]
fn malformed_questions_are_refused_and_say_what_is_allowed() {
    let folder = Folder::new();
    let served = Served::new(&folder, &["small.toml"]);
    served.settle();
    for (path, status, says) in [
        ("/api/frame", 400, "from"),
        (
            "/api/frame?from=9&to=3&layers=1",
            400,
            "to isn't before from",
        ),
        ("/api/frame?from=-1&to=3&layers=1", 400, "from"),
        ("/api/frame?from=0&to=3&layers=999", 400, "layers"),
        (
            "/api/frame?from=0&to=3&layers=1&path=/etc/passwd",
            400,
            "path",
        ),
        (
            "/api/frame?run=2&from=0&to=3&layers=1",
            400,
            "allowed: 0 to 0",
        ),
        ("/api/node?node=5", 400, "one of time and cycle"),
        (
            "/api/node?node=5&time=1&cycle=1",
            400,
            "one of time and cycle",
        ),
        ("/api/node?node=16&time=1", 404, "allowed: 0 to 15"),
        ("/api/node?node=5&cycle=4000000", 404, "allowed: 0 to"),
        ("/api/node?node=99999999999&time=1", 400, "node"),
        ("/api/packet?packet=nonsense", 400, "SOURCE.SERIAL"),
        ("/api/packet?packet=16.0", 404, "allowed: 0 to 15"),
        ("/api/packet?packet=3.99999999", 404, "never enters"),
        (
            "/api/packets?where=latncy%20%3E%203",
            400,
            "there is no column latncy",
        ),
        (
            "/api/packets?sort=nothing",
            400,
            "there is no column nothing",
        ),
        ("/api/nothing", 404, "nothing here"),
    ] {
        let answer = served.get(path);
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
        assert!(answer.text().contains(says), "{path}: {}", answer.text());
    }
    assert_eq!(served.json("/api/difference")["state"], "one run");
}

#[test]
fn garbage_is_survived() {
    let folder = Folder::new();
    let served = Served::new(&folder, &["small.toml"]);
    let seed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos() as u64;
    println!("seed {seed}");
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let parts = [
        "GET",
        " ",
        "/",
        "/api/frame",
        "?",
        "&",
        "=",
        "from",
        "to",
        "layers",
        "node",
        "packet",
        "run",
        "where",
        "%",
        "%00",
        "%ff",
        "18446744073709551615",
        "99999999999999999999",
        "-1",
        "1e9",
        "3.4",
        "HTTP/1.1",
        "\r\n",
        "Host: ",
        "Content-Length: ",
        "\u{0}",
        "é",
        "Transfer-Encoding: chunked\r\n",
        "(((((",
        "&&",
    ];
    for round in 0..400 {
        let mut bytes = Vec::new();
        // Half of them are questions with nonsense in them.
        if round % 2 == 0 {
            bytes.extend(b"GET /api/");
            let kinds = [
                "frame?",
                "node?",
                "packet?",
                "packets?where=",
                "latencies?",
                "far?",
                "state?",
            ];
            bytes.extend(kinds[random.random_range(0..kinds.len())].as_bytes());
        }
        for _ in 0..random.random_range(1..25) {
            match random.random_range(0..8) {
                0 => bytes
                    .extend((0..random.random_range(1..9)).map(|_| random.random::<u32>() as u8)),
                _ => bytes.extend(parts[random.random_range(0..parts.len())].as_bytes()),
            }
        }
        if round % 2 == 0 {
            bytes.extend(format!(" HTTP/1.1\r\nHost: {}\r\n\r\n", served.host).bytes());
        }
        let answer = served.send(&bytes);
        let status = answer.map_or(400, |answer| answer.status);
        let is_fine = status == 200 || (400..500).contains(&status) || status == 503;
        assert!(
            is_fine,
            "{seed}, {status}: {:?}",
            String::from_utf8_lossy(&bytes)
        );
    }
    assert_eq!(served.get("/").status, 200);
    let done = served.stop();
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert!(!done.err.contains("bug in the program"), "{}", done.err);
}

#[test]
fn two_runs_part_where_trace_diff_says() {
    let folder = Folder::new();
    busy(&folder);
    let other = [
        "busy.toml",
        "busy.toml",
        "--set-b",
        "router.chaos.stall_threshold_cycles=40",
    ];
    let served = Served::new(&folder, &other);
    let found = served.known("/api/difference", |it| it["state"] != "searching");
    let said = folder
        .fine(&[&["trace", "diff"], &other[..], &["--json"]].concat())
        .json();
    assert_eq!(found["state"], "found");
    assert_eq!(found["difference"], said["difference"]);
    assert_eq!(served.json("/api/run")["runs"].as_array().unwrap().len(), 2);
    let node = served.json("/api/node?run=1&node=3&time=700");
    let set = ["--set", "router.chaos.stall_threshold_cycles=40"];
    assert_eq!(node, trace(&folder, &["node", "busy.toml", "3@700"], &set));
    drop(served);
    let served = Served::new(&folder, &["busy.toml", "busy.toml"]);
    let found = served.known("/api/difference", |it| it["state"] != "searching");
    assert_eq!(found["state"], "same");
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = Folder::new();
    folder.write(
        "live.toml",
        format!("{}engine = \"live\"\n", crate::harness::SMALL),
    );
    folder.refuses(&["view", "live.toml"], &["no two live runs are the same"]);
    folder.refuses(&["view", "nothing.toml"], &["nothing.toml"]);
    folder.refuses(
        &["view", "small.toml", "--set", "traffic.load=9"],
        &["traffic.load"],
    );
    folder.refuses(&["view", "small.toml", "--port", "0"], &["--port"]);
    folder.refuses(&["view", "small.toml", "--port", "70000"], &["--port"]);
    folder.write(
        "large.toml",
        crate::harness::SMALL.replace("[4, 4]", "[5, 5]"),
    );
    folder.refuses(
        &["view", "small.toml", "large.toml"],
        &["16 nodes, and the other has 25"],
    );
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let says = [&*format!("127.0.0.1:{port}"), "another port, or no --port"];
    folder.refuses(&["view", "small.toml", "--port", &port], &says);
}

#[test]
fn a_network_that_is_stuck_is_shown_to_its_end() {
    let folder = Folder::new();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/deadlock.toml");
    let served = Served::new(&folder, &[config]);
    let state = served.settle();
    let ended = state["strip"]["ended"].as_str().unwrap();
    assert!(ended.contains("the network is stuck"), "{ended}");
    let until = state["strip"]["until"].as_u64().unwrap();
    let frame = served
        .get(&format!("/api/frame?from=0&to={until}&layers=1"))
        .body;
    assert_eq!(frame[1], 1);
    assert!(
        u64::from_le_bytes(frame[24..32].try_into().unwrap()) > 0,
        "packets are left"
    );
}

#[test]
fn a_record_is_shown_in_causal_steps() {
    let folder = Folder::new();
    folder.fine(&[
        "run",
        "small.toml",
        "--engine",
        "live",
        "--record",
        "run.flog",
    ]);
    let served = Served::new(&folder, &["run.flog"]);
    assert_eq!(served.json("/api/run")["runs"][0]["unit"], "causal steps");
    let state = served.settle();
    assert_eq!(state["differs"], Value::Null);
    let found = served.json("/api/latencies");
    let packet = found["slowest"][0]["packet"].as_str().unwrap().to_owned();
    let why = folder
        .fine(&["trace", "why", "run.flog", &packet, "--json"])
        .json();
    assert_eq!(
        served.json(&format!("/api/packet?packet={packet}"))["why"],
        why
    );
}

#[test]
fn a_folder_holds_samples_and_the_slowest_packets() {
    let folder = Folder::new();
    busy(&folder);
    std::fs::create_dir(folder.path("full")).unwrap();
    folder.write("full/file", "");
    folder.refuses(
        &["view", "busy.toml", "--export", "full"],
        &["--export: full isn't empty"],
    );
    folder.refuses(
        &["view", "busy.toml", "--export", "busy.toml"],
        &["isn't a folder"],
    );
    folder.refuses(
        &["view", "busy.toml", "--export", "new", "--port", "4000"],
        &["--port"],
    );
    std::fs::create_dir(folder.path("empty")).unwrap();
    for name in ["empty", "in/new"] {
        let done = folder.fine(&["view", "busy.toml", "--export", name]);
        assert_eq!(done.out, format!("{name}/index.html\n"));
        let data = folder.read(&format!("{name}/data.js"));
        let data = data.strip_prefix("globalThis.FLITWORK_DATA = ").unwrap();
        let data: Value = serde_json::from_str(data.trim_end().strip_suffix(';').unwrap()).unwrap();
        let run = &data["runs"][0];
        let frames = run["frames"].as_array().unwrap();
        assert!((2..=120).contains(&frames.len()));
        assert_eq!(frames.last().unwrap()["to"], run["state"]["strip"]["until"]);
        let slowest = run["latencies"]["slowest"][0]["packet"].as_str().unwrap();
        let why = trace(&folder, &["why", "busy.toml", slowest], &[]);
        assert_eq!(run["packets"][slowest]["why"], why);
        // Nothing half-written is left beside it.
        let around = folder.path(name);
        let left = std::fs::read_dir(around.parent().unwrap()).unwrap();
        let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(!names.into_iter().any(|name| name.ends_with(".new")));
    }
}
