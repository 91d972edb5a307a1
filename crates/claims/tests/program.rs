//! The program, on claims about a program that prints what a test wants: the shell, which runs the script `study` where flitwork would run
//! a study. A program that a test has just written might still be open in another test's child.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ROWS: &str =
    r#"{"rows": [{"router": "chaos", "lost_part": 0.27, "lost_part_half_width": 0.02}]}"#;

/// A folder with a page, its claims, and a script.
struct Place(TempDir);

impl Place {
    fn new(script: &str, claims: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("pages")).unwrap();
        fs::write(path.join("pages/chaos.md"), "Chaos loses\na quarter.").unwrap();
        fs::write(path.join("pages/other.md"), "Nothing.").unwrap();
        fs::write(path.join("claims.toml"), claims).unwrap();
        fs::write(path.join("study"), script).unwrap();
        Place(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitwork-claims"));
        command.args(["--claims", "claims.toml", "--pages", "pages"]);
        if !options.contains(&"--flitwork") {
            command.args(["--flitwork", "/bin/sh"]);
        }
        command.args(options).current_dir(self.path());
        command
    }

    fn run(&self, options: &[&str]) -> Output {
        self.command(options).output().unwrap()
    }
}

fn claims(more: &str) -> String {
    format!(
        "[[command]]\nrun = 'study crossing --axes edges'\n[[command.claim]]\npage = 'chaos.md'\nsays = 'loses a quarter'\n\
         where = {{ router = 'chaos' }}\ncolumn = 'lost_part'\n{more}\n"
    )
}

fn prints(rows: &str) -> String {
    format!("cat <<'END'\n{rows}\nEND")
}

fn out(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned()
}

fn complaint(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// More claims than a pipe holds, to a reader that has gone, and to a disk that is full.
#[test]
fn a_closed_pipe_is_no_failure_and_a_full_disk_is_one() {
    let more = "[[command.claim]]\npage = 'chaos.md'\nsays = 'loses a quarter'\nwhere = { router = 'chaos' }\ncolumn = 'lost_part'\nat_most = 1.0\n";
    let place = Place::new(
        &prints(ROWS),
        &(claims("at_most = 1.0") + &more.repeat(4000)),
    );
    for options in [&["--list"][..], &[], &["--json"]] {
        let mut child = place
            .command(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0), "{options:?}");
        if cfg!(target_os = "linux") {
            let full = fs::OpenOptions::new()
                .write(true)
                .open("/dev/full")
                .unwrap();
            let done = place.command(options).stdout(full).output().unwrap();
            assert_eq!(done.status.code(), Some(1), "{options:?}");
            assert!(
                complaint(&done).contains("error: standard output"),
                "{}",
                complaint(&done)
            );
        }
    }
}

/// A command that was interrupted alone leaves its claims unknown.
#[test]
fn a_command_that_was_interrupted_ends_with_130() {
    let place = Place::new("exit 130", &claims("at_most = 1.0"));
    let done = place.run(&[]);
    assert_eq!(done.status.code(), Some(130), "{}", out(&done));
    assert!(out(&done).contains("1 not run"), "{}", out(&done));
}

/// Half a seed can't deadlock.
#[test]
fn a_count_is_a_whole_number() {
    let rows = ROWS
        .replace("0.27", "2.5")
        .replace("0.02", "0.02, \"seeds\": 20");
    let place = Place::new(&prints(&rows), &claims("count = 2\nof = 20"));
    let done = place.run(&[]);
    assert_eq!(done.status.code(), Some(3), "{}", out(&done));
    assert!(
        out(&done).contains("`lost_part` is 2.5; allowed: a whole number"),
        "{}",
        out(&done)
    );
}

#[test]
fn a_claim_that_holds_ends_with_0_and_another_with_3() {
    let place = Place::new(&prints(ROWS), &claims("value = 0.25\nhalf_width = 0.03"));
    let done = place.run(&[]);
    assert_eq!(done.status.code(), Some(0), "{}", complaint(&done));
    assert!(
        out(&done).starts_with("holds          chaos.md: loses a quarter\n"),
        "{}",
        out(&done)
    );
    assert!(
        out(&done).contains("page 0.250 ± 0.030; fresh 0.270 ± 0.020"),
        "{}",
        out(&done)
    );
    assert!(
        complaint(&done).contains("flitwork study crossing --axes edges --first-seed 1001 --json")
    );

    let place = Place::new(&prints(ROWS), &claims("at_least = 0.28"));
    let done = place.run(&["--json", "--out", "found.json"]);
    assert_eq!(done.status.code(), Some(3), "{}", complaint(&done));
    assert!(
        out(&done).contains("\"verdict\": \"doesnt-hold\""),
        "{}",
        out(&done)
    );
    assert!(out(&done).contains("\"clearly\": false"), "{}", out(&done));
    assert_eq!(
        fs::read_to_string(place.path().join("found.json")).unwrap(),
        out(&done)
    );
    let again = place.run(&["--out", "found.json"]);
    assert_eq!(again.status.code(), Some(2), "{}", complaint(&again));
    let over_claims = place.run(&["--out", "claims.toml", "--force"]);
    assert_eq!(
        over_claims.status.code(),
        Some(2),
        "{}",
        complaint(&over_claims)
    );
}

/// Of five claims of 0.27 ± 0.02 three hold, one of them by less than the interval, one doesn't, and one has no column.
#[test]
fn outcomes_are_counted() {
    let more = |column: &str, bound: &str| {
        format!(
            "[[command.claim]]\npage = 'chaos.md'\nsays = 'Chaos loses'\ncolumn = '{column}'\n{bound}\n"
        )
    };
    let text = claims("at_least = 0.26")
        + &more("lost_part", "at_least = 0.2")
        + &more("lost_part", "at_most = 0.3")
        + &more("lost_part", "at_most = 0.2")
        + &more("gained", "value = 1");
    let place = Place::new(&prints(ROWS), &text);
    let done = place.run(&["--out", "found.json"]);
    assert_eq!(done.status.code(), Some(3), "{}", complaint(&done));
    let text = out(&done);
    for says in [
        "page at least 0.26; fresh 0.270 ± 0.020, by less than the interval",
        "page at least 0.2; fresh 0.270 ± 0.020, by more than the interval",
        "5 claims of 1 command, seeds from 1001 on: 3 hold, 1 of them by less than the interval; 1 don't hold; 1 not found\n",
        "By chance up to 1 of as many true ones don't hold",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let json = fs::read_to_string(place.path().join("found.json")).unwrap();
    for says in [
        "\"fresh_mean\": 0.27",
        "\"fresh_half_width\": 0.02",
        "\"hold\": 3",
        "\"hold_within_interval\": 1",
        "\"dont_hold\": 1",
        "\"not_found\": 1",
        "\"not_run\": 0",
        "\"first_seed\": 1001",
    ] {
        assert!(json.contains(says), "{says}: {json}");
    }
}

/// With two commands at a time the first waits for the second, and is the first to be reported all the same.
#[test]
fn rows_are_in_the_order_of_the_file() {
    let script = format!(
        "if test \"$1\" = crossing; then while ! test -e second; do sleep 0.01; done; else touch second; fi\n{}",
        prints(ROWS)
    );
    let one = claims("at_least = 0.1");
    let two = one
        .replace("crossing", "duplex")
        .replace("loses a quarter", "Chaos loses");
    let done = Place::new(&script, &format!("{one}\n{two}")).run(&["--jobs", "2", "--json"]);
    assert_eq!(done.status.code(), Some(0), "{}", complaint(&done));
    let text = out(&done);
    assert!(
        text.find("loses a quarter") < text.find("Chaos loses"),
        "{text}"
    );
}

/// Claims of a page are chosen by its name without its folder, and others of the same command are left out; commands by a part of theirs.
#[test]
fn claims_are_chosen_by_page_and_command() {
    let one = claims("value = 1");
    let other =
        "[[command.claim]]\npage = 'part/other.md'\nsays = 'Nothing'\ncolumn = 'x'\nvalue = 1\n";
    let text = format!("{one}{other}{}", one.replace("crossing", "duplex"));
    let place = Place::new("touch ran", &text);
    fs::create_dir(place.path().join("pages/part")).unwrap();
    fs::write(place.path().join("pages/part/other.md"), "Nothing.").unwrap();
    let listed = |options: &[&str]| {
        let done = place.run(&[&["--list"], options].concat());
        assert_eq!(done.status.code(), Some(0), "{}", complaint(&done));
        let text = out(&done);
        text.lines().last().unwrap().to_owned()
    };
    assert_eq!(listed(&[]), "3 claims of 2 commands");
    assert_eq!(listed(&["--page", "other"]), "1 claim of 1 command");
    assert_eq!(listed(&["--page", "chaos,other"]), "3 claims of 2 commands");
    assert_eq!(listed(&["--command", "duplex"]), "1 claim of 1 command");
    let none = place.run(&["--page", "other", "--command", "duplex"]);
    assert_eq!(none.status.code(), Some(2), "{}", complaint(&none));
}

#[test]
fn what_results_do_not_have_ends_with_3() {
    for (script, why) in [
        (prints("{\"rows\": []}"), "0 rows have router = \"chaos\""),
        (prints("no JSON"), "isn't JSON"),
        (
            "echo 'error: --axes' >&2; exit 2".to_owned(),
            "exit status: 2: error: --axes",
        ),
    ] {
        let done = Place::new(&script, &claims("at_least = 0.1")).run(&[]);
        assert_eq!(done.status.code(), Some(3), "{}", complaint(&done));
        assert!(out(&done).starts_with("NOT FOUND"), "{}", out(&done));
        assert!(out(&done).contains(why), "{}", out(&done));
    }
}

/// The results of a command with `{out}` are in the file that it names.
#[test]
fn results_may_be_in_a_file() {
    let text = claims("value = 7").replace("--axes edges'", "--out {out}'\nseeds = 'seed'");
    let text = text
        .replace("where = { router = 'chaos' }", "table = ''")
        .replace("lost_part", "cycles");
    let place = Place::new(
        "echo '{\"cycles\": 7}' > \"$3\"; test \"$4 $5\" = '--seed 9'",
        &text,
    );
    let done = place.run(&["--first-seed", "9"]);
    assert_eq!(
        done.status.code(),
        Some(0),
        "{}{}",
        out(&done),
        complaint(&done)
    );
}

#[test]
fn bad_input_ends_with_2_and_says_where() {
    let refused = |claims: &str, options: &[&str]| {
        let done = Place::new("exit 0", claims).run(options);
        assert_eq!(done.status.code(), Some(2), "{}", complaint(&done));
        complaint(&done)
    };
    let unknown = refused(&claims("values = 1"), &[]);
    assert!(
        unknown.contains("claims.toml, line 8: unknown field `values`"),
        "{unknown}"
    );
    let unsaid = refused(&claims("value = 1").replace("a quarter", "a third"), &[]);
    assert!(
        unsaid.contains("claims.toml, line 3: says is \"loses a third\""),
        "{unsaid}"
    );
    let page = refused(&claims("value = 1"), &["--page", "other"]);
    assert!(
        page.contains("--page is \"other\"\n  allowed: chaos"),
        "{page}"
    );
    let command = refused(&claims("value = 1"), &["--command", "duplex"]);
    assert!(command.contains("--command is \"duplex\""), "{command}");
    let program = refused(&claims("value = 1"), &["--flitwork", "nothing"]);
    assert!(
        program.contains("--flitwork: nothing isn't there"),
        "{program}"
    );
    assert!(refused(&claims("value = 1"), &["--jobs", "0"]).contains("from 1 on"));
}

/// The shell is found by a name, in the second folder of PATH: the first one's is a folder. A file here comes before it, and a name in a folder
/// is looked for here alone.
#[test]
fn the_program_is_a_file_or_a_name_in_path() {
    use std::os::unix::fs::symlink;
    // The shell prints by itself: no other program is in this PATH.
    let place = Place::new(&format!("echo '{ROWS}'"), &claims("at_most = 1.0"));
    let at = |name: &str| place.path().join(name);
    fs::create_dir_all(at("first/tool")).unwrap();
    fs::create_dir_all(at("second/sub")).unwrap();
    for name in ["second/tool", "second/sub/tool"] {
        symlink("/bin/sh", at(name)).unwrap();
    }
    let path = std::env::join_paths([at("first"), at("second")]).unwrap();
    let run = |name: &str| {
        let mut command = place.command(&["--flitwork", name]);
        command.env("PATH", &path).output().unwrap()
    };
    for (name, code) in [("tool", 0), ("sub/tool", 2), ("other", 2)] {
        let done = run(name);
        assert_eq!(
            done.status.code(),
            Some(code),
            "{name}: {}",
            complaint(&done)
        );
    }
    // One that fails.
    symlink("/bin/false", at("tool")).unwrap();
    assert_eq!(run("tool").status.code(), Some(3));
}

/// Pages' own seeds go from 1 up to 300.
#[test]
fn seeds_of_pages_are_no_news() {
    let place = Place::new(&prints(ROWS), &claims("at_most = 1.0"));
    for (seed, is_told) in [("300", true), ("301", false)] {
        let done = place.run(&["--first-seed", seed]);
        let told = complaint(&done);
        assert_eq!(done.status.code(), Some(0), "{told}");
        let says = format!("warning: --first-seed {seed}: pages used seeds from 1 up to 300");
        assert_eq!(told.contains(&says), is_told, "{told}");
    }
}

#[test]
fn claims_are_listed_without_running() {
    let place = Place::new("touch ran", &claims("value = 1"));
    let done = place.run(&["--list", "--page", "chaos"]);
    assert_eq!(done.status.code(), Some(0), "{}", complaint(&done));
    assert!(
        out(&done).contains("  chaos.md: loses a quarter\n\n1 claim of 1 command"),
        "{}",
        out(&done)
    );
    assert!(!place.path().join("ran").exists());
}

/// The first command ends, the second one waits: Ctrl-C then reports the first, and ends the second.
#[test]
fn an_interruption_reports_what_is_done() {
    let script = format!(
        "if test \"$1\" = crossing; then {}\nelse touch waits; exec sleep 600; fi",
        prints(ROWS)
    );
    let one = claims("at_least = 0.1");
    let place = Place::new(
        &script,
        &format!("{one}\n{}", one.replace("crossing", "duplex")),
    );
    let mut child = place.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !place.path().join("waits").exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the second command isn't run"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    interrupt(&mut child);
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130), "{}", out(&done));
    assert!(out(&done).contains("1 hold"), "{}", out(&done));
    assert!(out(&done).contains("1 not run"), "{}", out(&done));
}

fn interrupt(child: &mut Child) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
}
