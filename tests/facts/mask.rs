//! Masks whatever depends on the host or the build, and nothing else: times, versions, memory, the program's path.

/// Replaces whatever depends on the host.
pub(crate) const HOST: &str = "(host)";

/// Keys whose values depend on the host, in JSON and as columns.
pub(crate) const KEYS: [&str; 8] = [
    "command",
    "memory_bytes_per_router",
    "node_cycles_per_second",
    "node_steps",
    "packet_hops_per_second",
    "revision",
    "seconds",
    "version",
];

/// Masks an output of the program.
pub(crate) fn text(text: &str) -> String {
    let text = text
        .replace(crate::program::program(), "flitwork")
        .replace(env!("CARGO_MANIFEST_DIR"), ".");
    let mut in_seconds = false;
    let mut masked = String::with_capacity(text.len());
    for line in text.lines() {
        in_seconds = !line.is_empty() && (in_seconds || line.ends_with("  seconds"));
        let line = value_of_key(line)
            .or_else(|| speed(line))
            .or_else(|| memory(line))
            .or_else(|| settled(line))
            .or_else(|| last_number(line).filter(|_| in_seconds))
            .unwrap_or_else(|| line.to_owned());
        masked += &line;
        masked.push('\n');
    }
    masked
}

/// A line of JSON, or of the provenance in a table or figure, that has such a key.
fn value_of_key(line: &str) -> Option<String> {
    let json = |name: &&&str| {
        let value = line.trim_start().strip_prefix(&format!("\"{name}\": "));
        value.is_some_and(|value| !value.starts_with(['{', '[']))
    };
    if let Some(name) = KEYS.iter().find(json) {
        let indent = &line[..line.len() - line.trim_start().len()];
        let comma = if line.ends_with(',') { "," } else { "" };
        return Some(format!("{indent}\"{name}\": \"{HOST}\"{comma}"));
    }
    for begins in ["# ", ""] {
        let is = |name: &&&str| line.starts_with(&format!("{begins}{name} = \""));
        if let Some(name) = KEYS.iter().find(is) {
            return Some(format!("{begins}{name} = {HOST}"));
        }
    }
    None
}

/// The report's line on the run's speed.
fn speed(line: &str) -> Option<String> {
    let rest = line.strip_prefix("  speed ")?;
    let value = rest.trim_start();
    Some(format!(
        "  speed {}{HOST}",
        &rest[..rest.len() - value.len()]
    ))
}

/// What a router takes.
fn memory(line: &str) -> Option<String> {
    let rest = line.strip_prefix("memory ")?;
    let indent = &rest[..rest.len() - rest.trim_start().len()];
    rest.ends_with(" a router")
        .then(|| format!("memory {indent}{HOST}"))
}

/// A replayed node's line. How long a node of a live run continues after its last word depends on the host, and a
/// replay continues as long. A replay that ends earlier may not have reached the record's end, depending on how the
/// record is laid out in its file.
fn settled(line: &str) -> Option<String> {
    let (here, there) = line.strip_prefix("node ")?.split_once("; recorded: ")?;
    let (node, here) = here.split_once(": ")?;
    let (cycles, digest) = here.split_once(" cycles, ")?;
    let (recorded, other) = there.split_once(" cycles, ")?;
    Some(match cycles == recorded {
        true => format!("node {node}: {HOST} cycles, {digest}; recorded: as many cycles, {other}"),
        false => format!("node {node}: {here}"),
    })
}

/// A row of a table whose last column is seconds.
fn last_number(line: &str) -> Option<String> {
    let (begin, last) = line.rsplit_once(' ')?;
    last.parse::<f64>().ok()?;
    Some(format!("{} {HOST}", begin.trim_end()))
}

#[test]
fn only_what_depends_on_the_host_is_masked() {
    for (from, to) in [
        (
            "  speed                  3.32 M packet-hops/s, 9 k node-cycles/s (0.00 s)",
            "  speed                  (host)",
        ),
        (
            "node 3: 269 cycles, digest f; recorded: 269 cycles, digest f",
            "node 3: (host) cycles, digest f; recorded: as many cycles, digest f",
        ),
        (
            "node 3: 100 cycles, digest e; recorded: 269 cycles, digest f",
            "node 3: 100 cycles, digest e",
        ),
        ("    \"seconds\": 0.25,", "    \"seconds\": \"(host)\","),
        ("    \"seeds\": 2,", "    \"seeds\": 2,"),
        ("    \"seconds\": {", "    \"seconds\": {"),
        ("# revision = \"abc\"", "# revision = (host)"),
        ("# seed = 1", "# seed = 1"),
        (
            "memory             about 15 kB a router",
            "memory             (host)",
        ),
        ("memory is short", "memory is short"),
        (
            "  n   cycles  seconds\n  60   287.0    0.00\n\n  60  3",
            "  n   cycles  seconds\n  60   287.0 (host)\n\n  60  3",
        ),
    ] {
        assert_eq!(text(from).trim_end_matches('\n'), to);
    }
}
