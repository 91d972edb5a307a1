//! A temporary folder with configurations in it, and the binary running there.

use serde_json::Value;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A small mesh of Chaos routers with little traffic.
pub(crate) const SMALL: &str = r#"
[network]
topology = "mesh"
sides = [4, 4]

[router.chaos]

[traffic]
load = 0.1

[run]
warmup_cycles = 200
measure_cycles = 2000
"#;

/// Waits for a process. Time is counted in turns granted by the host, so the wait is longer on a busy host.
pub(crate) struct Patience {
    turns: u32,
}

impl Patience {
    /// On an idle host, 5 ms.
    const TURN: Duration = Duration::from_millis(5);
    /// 15 seconds on an idle host: the longest time that any run of these tests may take.
    const TURNS: u32 = 3000;

    pub(crate) fn new() -> Patience {
        Patience { turns: 0 }
    }

    /// Waits for a turn; returns whether any are left.
    pub(crate) fn waits(&mut self) -> bool {
        std::thread::sleep(Patience::TURN);
        (0..5).for_each(|_| std::thread::yield_now());
        self.turns += 1;
        self.turns <= Patience::TURNS
    }
}

pub(crate) struct Folder(TempDir);

/// How a run of the binary ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Folder {
    /// A folder that holds [`SMALL`] as `small.toml`.
    pub(crate) fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("small.toml", SMALL);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// The lines of a table without commas in its fields, the header separately, and without its provenance.
    pub(crate) fn table(&self, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let text = self.read(name);
        let mut lines = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split(',').map(str::to_owned).collect());
        (lines.next().unwrap(), lines.collect())
    }

    /// The binary in this folder, with an environment that doesn't depend on who runs the tests.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwork"));
        command
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        for name in [
            "RUST_LOG",
            "RUST_BACKTRACE",
            "COLUMNS",
            "NO_COLOR",
            "CLICOLOR_FORCE",
        ] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn flitwork(&self, args: &[&str]) -> Done {
        Done::of(&mut self.command(args))
    }

    /// A run that must succeed.
    pub(crate) fn fine(&self, args: &[&str]) -> Done {
        let done = self.flitwork(args);
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.err);
        done
    }

    /// A run that must be refused as bad input, with all of `says` on standard error.
    pub(crate) fn refuses(&self, args: &[&str], says: &[&str]) {
        let done = self.flitwork(args);
        assert_eq!(done.code, Some(2), "{args:?}: {done:?}");
        assert_eq!(done.out, "", "{args:?}");
        assert!(done.err.starts_with("error: "), "{args:?}: {}", done.err);
        for say in says {
            assert!(
                done.err.contains(say),
                "{args:?} doesn't say {say:?}: {}",
                done.err
            );
        }
        for never in [
            "panicked",
            "backtrace",
            "unwrap",
            "This is a fault",
            "\u{1b}[",
        ] {
            assert!(!done.err.contains(never), "{args:?}: {}", done.err);
        }
    }

    /// The slowest packet of a run, by its number, and its latency; `more` are further arguments.
    pub(crate) fn slowest(&self, run: &str, more: &[&str]) -> (String, u64) {
        let rows = [
            "trace", "packets", run, "--sort", "latency", "--limit", "1", "--jsonl",
        ];
        let rows = self.fine(&[&rows[..], more].concat());
        let row: Value = serde_json::from_str(rows.out.lines().next().unwrap()).unwrap();
        let packet = row["packet"].as_str().unwrap().to_owned();
        (packet, row["latency"].as_u64().unwrap())
    }

    /// Starts the binary, its output going to the files `stdout` and `stderr`.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        let file = |name| Stdio::from(File::create(self.path(name)).unwrap());
        self.command(args)
            .stdout(file("stdout"))
            .stderr(file("stderr"))
            .spawn()
            .unwrap()
    }

    /// Waits until a started binary has printed `text` on standard error.
    pub(crate) fn wait_for(&self, child: &mut Child, text: &str) {
        let mut patience = Patience::new();
        while !self.read("stderr").contains(text) {
            let ended = child.try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {}", self.read("stderr"));
            let is_patient = patience.waits();
            assert!(is_patient, "never printed {text}: {}", self.read("stderr"));
        }
    }

    /// How a started binary ended.
    pub(crate) fn end(&self, child: &mut Child) -> Done {
        let code = end(child);
        Done {
            code,
            out: self.read("stdout"),
            err: self.read("stderr"),
        }
    }
}

/// Waits for an end, and kills a process that doesn't end.
pub(crate) fn end(child: &mut Child) -> Option<i32> {
    let mut patience = Patience::new();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if !patience.waits() {
            child.kill().unwrap();
            panic!("not ended within {} turns", Patience::TURNS);
        }
    }
}

/// Ctrl-C, for one process.
pub(crate) fn interrupt(child: &Child) {
    let kill = format!("kill -INT {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &kill])
            .status()
            .unwrap()
            .success()
    );
}

impl Done {
    pub(crate) fn of(command: &mut Command) -> Done {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Done {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}
