//! A page that is served, and a client of our own that asks it.

use crate::harness::{Done, Folder, interrupt};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

/// A page that is served.
pub(super) struct Served<'a> {
    pub(super) folder: &'a Folder,
    pub(super) child: Child,
    /// Its host and port.
    pub(super) host: String,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: Vec<u8>,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'a> Served<'a> {
    pub(super) fn new(folder: &'a Folder, args: &[&str]) -> Served<'a> {
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
    pub(super) fn send(&self, bytes: &[u8]) -> Option<Answer> {
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

    pub(super) fn ask(&self, method: &str, path: &str, headers: &str) -> Answer {
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

    pub(super) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &format!("Host: {}\r\n", self.host))
    }

    pub(super) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// The answer once it is known.
    pub(super) fn known(&self, path: &str, is_known: impl Fn(&Value) -> bool) -> Value {
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
    pub(super) fn settle(&self) -> Value {
        self.known("/api/state", |it| {
            it["packets"]["known"] == true && !it["strip"]["ended"].is_null()
        })
    }

    pub(super) fn stop(mut self) -> Done {
        interrupt(&self.child);
        self.folder.end(&mut self.child)
    }
}

impl Answer {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A run that `flitwork trace` can be asked about, too.
pub(super) fn trace(folder: &Folder, question: &[&str], settings: &[&str]) -> Value {
    let args = [&["trace"], question, settings, &["--json"]].concat();
    folder.fine(&args).json()
}

/// A mesh in which packets hold each other up.
pub(super) fn busy(folder: &Folder) {
    let text = crate::harness::SMALL.replace("load = 0.1", "load = 0.4");
    folder.write("busy.toml", text);
}

/// What `flitwork` prints with `--jsonl`, a value a line.
pub(super) fn lines(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let done = folder.fine(args);
    done.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
