//! `flitwork paper roberts-symvonis --simulate`: rows, the picture, interruption, messages.

use crate::harness::{Folder, interrupt};

#[test]
fn four_supernodes_and_their_picture() {
    let folder = Folder::new();
    let line = "paper roberts-symvonis --simulate --k 4 --f 12 --supernodes 2 --pattern reversal --plot s.svg --json";
    let args: Vec<&str> = line.split(' ').collect();
    let done = folder.fine(&args);
    let json = done.json();
    let row = &json["rows"][0];
    let keys = ["side", "n", "cycle", "rounds", "rounds_with_worms", "worms"];
    let counts = keys.map(|key| row[key].as_u64().unwrap());
    assert_eq!(counts, [9, 18, 32, 6561, 81, 324]);
    assert_eq!(row["rounds_played"], row["rounds_equal"]);
    assert!(folder.read("s.svg").contains("9 x 9 nodes"));
}

#[test]
fn an_interruption_leaves_the_rows_that_are_done() {
    let folder = Folder::new();
    // The second row alone has 6,561 rounds of 64 worms.
    let line =
        "-v paper roberts-symvonis --simulate --full --supernodes 1,8 --seeds 1 --play 0 --json";
    let args: Vec<&str> = line.split(' ').collect();
    let mut child = folder.start(&args);
    folder.wait_for(&mut child, "8 x 8 supernodes");
    interrupt(&child);
    let done = folder.end(&mut child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    assert!(done.err.contains("interrupted"), "{}", done.err);
    let json = done.json();
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["supernodes"], 1);
}

#[test]
fn what_is_refused_says_what_is_allowed() {
    let folder = Folder::new();
    for (line, says) in [
        ("--simulate --f 13", &["--f", "13 packets", "32"][..]),
        ("--simulate --k 5", &["--k", "5 words", "16"]),
        ("--simulate --supernodes 0", &["--supernodes"]),
        (
            "--simulate --supernodes 2,4096",
            &["--supernodes", "1 to 455"],
        ),
        ("--simulate --k 65536", &["--k", "65535", "--play 0"]),
        (
            "--simulate --pattern bit-reversal",
            &["--pattern", "random, reversal and transpose"],
        ),
        (
            "--simulate --full --many-to-one",
            &["--full", "--many-to-one"],
        ),
        ("--f 12", &["--simulate"]),
    ] {
        let args = ["paper", "roberts-symvonis"].into_iter();
        let args: Vec<&str> = args.chain(line.split(' ')).collect();
        folder.refuses(&args, says);
    }
}
