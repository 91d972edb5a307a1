//! Whatever else is asked is refused.

use super::served::Served;
use crate::harness::Folder;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::time::{SystemTime, UNIX_EPOCH};

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

/// What questions are made of, and what they shouldn't be made of.
const PARTS: [&str; 31] = [
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

/// Half of it questions with nonsense in them.
fn garbage(random: &mut Pcg64Mcg, is_question: bool, host: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if is_question {
        let kinds = [
            "frame?",
            "node?",
            "packet?",
            "packets?where=",
            "latencies?",
            "far?",
            "state?",
        ];
        bytes.extend(b"GET /api/");
        bytes.extend(kinds[random.random_range(0..kinds.len())].as_bytes());
    }
    for _ in 0..random.random_range(1..25) {
        if random.random_range(0..8) == 0 {
            bytes.extend((0..random.random_range(1..9)).map(|_| random.random::<u32>() as u8));
        } else {
            bytes.extend(PARTS[random.random_range(0..PARTS.len())].as_bytes());
        }
    }
    if is_question {
        bytes.extend(format!(" HTTP/1.1\r\nHost: {host}\r\n\r\n").bytes());
    }
    bytes
}

#[test]
fn garbage_is_survived() {
    let folder = Folder::new();
    let served = Served::new(&folder, &["small.toml"]);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = since.as_nanos() as u64;
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    for round in 0..400 {
        let bytes = garbage(&mut random, round % 2 == 0, &served.host);
        let answer = served.send(&bytes);
        let status = answer.map_or(400, |answer| answer.status);
        let is_fine = status == 200 || (400..500).contains(&status) || status == 503;
        let sent = String::from_utf8_lossy(&bytes);
        assert!(is_fine, "seed {seed}, {status}: {sent:?}");
    }
    assert_eq!(served.get("/").status, 200, "seed {seed}");
    let done = served.stop();
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert!(!done.err.contains("bug in the program"), "{}", done.err);
}
