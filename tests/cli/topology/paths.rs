//! What `flitwork topology` reads and writes, and options that name what is there, or that nothing reads.

use crate::clashes::keeps;
use crate::harness::Folder;
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn a_network_is_drawn_into_a_new_file() {
    let folder = Folder::new();
    folder.fine(&["topology", "small.toml", "--plot", "n.svg"]);
    let drawn = folder.read("n.svg");
    assert!(
        drawn.contains("<circle") && drawn.contains("mesh of 4 x 4, 16 nodes"),
        "{drawn}"
    );
    let there = ["--plot: n.svg", "--force"];
    keeps(&folder, "n.svg", "topology small.toml --plot n.svg", &there);
    let torus = "topology small.toml --set network.topology=torus --plot n.svg --force";
    folder.fine(&torus.split(' ').collect::<Vec<_>>());
    assert!(folder.read("n.svg").contains("torus of 4 x 4"));
    // Folders that aren't there are created, as by all commands.
    folder.fine(&["topology", "small.toml", "--plot", "new/deep/n.svg"]);
    assert!(folder.read("new/deep/n.svg").contains("mesh of 4 x 4"));
}

#[test]
fn what_is_read_is_never_drawn_over() {
    let folder = Folder::new();
    fs::hard_link(folder.path("small.toml"), folder.path("twin.svg")).unwrap();
    symlink("small.toml", folder.path("link.svg")).unwrap();
    fs::create_dir(folder.path("in")).unwrap();
    let read = [
        "which is read and never overwritten",
        "allowed: another file",
    ];
    for path in [
        "small.toml",
        "./small.toml",
        "in/../small.toml",
        "twin.svg",
        "link.svg",
    ] {
        let command = format!("topology small.toml --plot {path} --force");
        keeps(&folder, "small.toml", &command, &read);
    }
    // The file of links is read, too.
    folder.write("l.csv", "0,0,1,1\n1,1,0,0\n");
    folder.write(
        "l.toml",
        "[network]\ntopology = \"links\"\nfile = \"l.csv\"\n[rule.fifo]\nqueues = \"unbounded\"\n\
         [traffic]\nprocess = \"once\"\npattern = \"reversal\"\n",
    );
    keeps(
        &folder,
        "l.csv",
        "topology l.toml --plot l.csv --force",
        &read,
    );
    // The log is another file than the drawing.
    let both = ["topology", "small.toml", "--plot", "x", "--log", "x"];
    folder.refuses(&both, &["--plot", "--log", "allowed: "]);
    assert!(!folder.path("x").exists());
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let folder = Folder::new();
    let large = ["topology", "small.toml", "--set", "network.sides=[65,64]"];
    folder.fine(&large);
    let most = "allowed: at most 4096 in a drawing";
    folder.refuses(
        &[&large[..], &["--plot", "large.svg"]].concat(),
        &["--plot: the network has 4160 nodes", most],
    );
    assert!(!folder.path("large.svg").exists());
    let force = ["topology", "small.toml", "--force"];
    folder.refuses(&force, &["--force: no output is named", "allowed: "]);
    fs::create_dir(folder.path("in")).unwrap();
    let done = folder.flitwork(&["topology", "small.toml", "--plot", "in", "--force"]);
    assert!(
        done.code != Some(0) && done.err.contains("--plot: in"),
        "{done:?}"
    );
}

/// Figures are printed even if the drawing can't be written.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_the_drawing_only() {
    let folder = Folder::new();
    let program = env!("CARGO_BIN_EXE_flitwork");
    let script = format!("ulimit -f 1; exec {program} topology small.toml --plot n.svg");
    let done = crate::harness::Done::of(
        std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(folder.path("")),
    );
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(
        done.err.contains("--plot: n.svg: can't be written"),
        "{done:?}"
    );
    assert!(done.out.contains("bisection          4 links"), "{done:?}");
    assert!(!folder.path("n.svg").exists());
}

#[test]
fn keys_that_nothing_reads_are_refused_or_named() {
    let folder = Folder::new();
    for (set, says) in [
        ("network.nodse=4", "unknown key network.nodse"),
        ("network.nodes=4", "only with network.topology = "),
        (
            "network.interval=5",
            "only with network.topology = \"express-mesh\"; it is \"mesh\"",
        ),
        ("network.topology=ring", "network.nodes is missing"),
        ("traffic.hot_fraction=0.5", "only with another pattern"),
        ("clocks.jitter_ps=9", "only with run.engine = \"clocked\""),
        ("rule.fifo.k=2", "allowed: only without a router"),
    ] {
        folder.refuses(&["topology", "small.toml", "--set", set], &[says]);
    }
    // What the command line leaves unread of the file is named.
    folder.write(
        "express.toml",
        "[network]\ntopology = \"express-mesh\"\nsides = [9, 9]\ninterval = 3\n[router.chaos]\n[traffic]\nload = 0.1\n",
    );
    for (command, unread) in [
        (
            "topology small.toml --set network.topology=ring --set network.nodes=9",
            "small.toml:4:9: with --set network.topology=ring, network.sides has no effect",
        ),
        (
            "topology express.toml --set network.topology=mesh",
            "express.toml:4:12: with --set network.topology=mesh, network.interval has no effect",
        ),
    ] {
        let said = folder.fine(&command.split(' ').collect::<Vec<_>>()).err;
        assert_eq!(said, format!("warning: {unread}\n"));
    }
    let unknown = ["topology", "small.toml", "--engine", "sync"];
    let done = folder.flitwork(&unknown);
    assert_eq!(done.code, Some(2), "{done:?}");
}
