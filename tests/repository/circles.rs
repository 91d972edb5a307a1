//! The modules of a crate use each other in one direction: none of them is in a circle.
//!
//! A module here is a file beside `lib.rs` together with the folder of its name. What a module uses is read from its
//! text, without comments and tests: the first name of every path that begins at the crate, as `crate::` or as enough
//! `super::`.

use super::{root, rust_files};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn modules_use_each_other_one_way() {
    let mut checked = 0;
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let crate_folder = entry.unwrap().path();
        let name = crate_folder.file_name().unwrap().to_str().unwrap();
        let circles = in_circles(uses_of(&crate_folder.join("src")));
        assert!(circles.is_empty(), "crates/{name}: {circles:?}");
        checked += 1;
    }
    assert!(checked > 20, "{checked} crates");
}

/// What the modules of a crate use of each other.
fn uses_of(sources: &Path) -> Uses {
    let mut files = Vec::new();
    rust_files(sources, &mut files);
    let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
    let texts: Vec<String> = files.iter().map(read).collect();
    let of_tests: BTreeSet<String> = texts.iter().flat_map(|text| split(text).1).collect();
    let mut uses = Uses::new();
    for (path, text) in files.iter().zip(&texts) {
        let path = path.strip_prefix(sources).unwrap().with_extension("");
        let names: Vec<&str> = path.iter().map(|name| name.to_str().unwrap()).collect();
        let is_test = names.iter().any(|name| of_tests.contains(*name));
        if !is_test && !["lib", "main"].contains(&names[0]) {
            let of_module = uses.entry(names[0].to_owned()).or_default();
            let depth = names.iter().filter(|name| **name != "mod").count();
            of_module.extend(used(text, depth));
        }
    }
    uses
}

/// The code of a file without comments and tests, and the modules that it declares for tests only.
fn split(text: &str) -> (String, Vec<String>) {
    let (mut code, mut of_tests) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let next = lines.next().unwrap_or_default();
            if let Some((_, name)) = next.split_once("mod ").filter(|_| next.ends_with(';')) {
                of_tests.push(name.trim_end_matches(';').to_owned());
            } else if next.ends_with('{') {
                let indent = &line[..line.len() - line.trim_start().len()];
                let _ = lines.find(|line| *line == format!("{indent}}}"));
            }
        } else if !line.trim_start().starts_with("//") {
            code += line;
            code.push(' ');
        }
    }
    (code, of_tests)
}

/// The modules that a file names, as `crate::module` or in `use crate::{module, …}`. In a file that is so deep within the
/// crate, as many `super::` are the crate.
fn used(text: &str, depth: usize) -> BTreeSet<String> {
    let (code, _) = split(text);
    let above = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for root in ["crate::", &above] {
        found.extend(named_after(&code, root));
    }
    found
}

/// The first names after each path that begins with a root.
fn named_after(code: &str, root: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(root) {
        // `$crate` in a macro is a path for other crates, and a path may go on with `super::`.
        let goes_on = code[..at].ends_with(['$', ':']);
        let rest = &code[at + root.len()..];
        if goes_on || rest.starts_with("super::") {
            continue;
        }
        match rest.strip_prefix('{') {
            Some(list) => found.extend(first_names(list)),
            None => found.extend([first_name(rest)]),
        }
    }
    found
}

/// The first name of each path of a list that a brace ends.
fn first_names(list: &str) -> Vec<String> {
    let (mut names, mut depth, mut is_next) = (Vec::new(), 1, true);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => is_next = true,
            c if is_next && !c.is_whitespace() => {
                names.push(first_name(&list[at..]));
                is_next = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn first_name(path: &str) -> String {
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    path.chars().take_while(is_part).collect()
}

/// Modules that are in circles, or between circles: what remains after repeatedly removing the modules that use none of
/// the others, and those that none of the others uses.
fn in_circles(mut uses: Uses) -> Uses {
    loop {
        let modules: BTreeSet<String> = uses.keys().cloned().collect();
        for (module, used) in &mut uses {
            used.retain(|other| other != module && modules.contains(other));
        }
        let all_used: BTreeSet<String> = uses.values().flatten().cloned().collect();
        uses.retain(|module, used| !used.is_empty() && all_used.contains(module));
        if uses.len() == modules.len() {
            return uses;
        }
    }
}

#[test]
fn a_circle_is_found() {
    let uses = |files: &[(&str, &str)]| -> Uses {
        let files = files.iter();
        files
            .map(|(name, text)| ((*name).into(), used(text, 1)))
            .collect()
    };
    let line = [
        ("a", "use crate::b::{B, C};\n// crate::a is no use"),
        ("b", "use crate::{c::{D, a}, d};"),
        ("c", "#[cfg(test)]\nmod tests {\n    use crate::a;\n}"),
        ("d", "$crate::a::x!()"),
    ];
    assert!(in_circles(uses(&line)).is_empty());
    let mut circle = line;
    circle[3].1 = "fn f() -> crate::b::B { crate::b::g() }";
    let found = in_circles(uses(&circle));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["b", "d"]);
    circle[3].1 = "use super::{a::A, b};";
    let found = in_circles(uses(&circle));
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "b", "d"]);
    // A file in the folder of a module: its super is the module.
    let deep = "use super::x::y; use super::super::z; pub(super) fn f() {}";
    assert_eq!(used(deep, 2).into_iter().collect::<Vec<_>>(), ["z"]);
    assert_eq!(used(deep, 1).into_iter().collect::<Vec<_>>(), ["x"]);
}
