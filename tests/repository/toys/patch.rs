//! Patches in git's format: enough of it to apply those that add files and lines.

/// What a patch does to the files of a tree.
#[derive(Debug)]
pub(super) struct Patch {
    pub(super) places: Vec<Place>,
}

/// What it does to one file.
#[derive(Debug)]
pub(super) struct Place {
    /// The file, from the root of the tree.
    pub(super) path: String,
    pub(super) is_new: bool,
    hunks: Vec<Vec<Line>>,
}

#[derive(Debug)]
enum Line {
    Kept(String),
    Added(String),
    Removed(String),
}

impl Patch {
    pub(super) fn parse(text: &str) -> Patch {
        let mut places: Vec<Place> = Vec::new();
        let (mut is_new, mut is_hunk) = (false, false);
        for line in text.lines() {
            if line.starts_with("diff ") {
                is_hunk = false;
            } else if let Some(old) = line.strip_prefix("--- ") {
                is_new = old == "/dev/null";
            } else if let Some(path) = line.strip_prefix("+++ b/") {
                let path = path.to_owned();
                let hunks = Vec::new();
                places.push(Place {
                    path,
                    is_new,
                    hunks,
                });
            } else if line.starts_with("@@ ") {
                is_hunk = true;
                let place = places.last_mut().expect("a file before its lines");
                place.hunks.push(Vec::new());
            } else if is_hunk {
                let hunk = places.last_mut().and_then(|it| it.hunks.last_mut());
                let hunk = hunk.expect("a hunk");
                let rest = || line[1..].to_owned();
                hunk.push(match line.chars().next() {
                    Some('+') => Line::Added(rest()),
                    Some('-') => Line::Removed(rest()),
                    Some(' ') => Line::Kept(rest()),
                    _ => panic!("{line:?} is no line of a patch"),
                });
            }
        }
        Patch { places }
    }
}

impl Place {
    fn count(&self, of: fn(&Line) -> bool) -> usize {
        self.hunks.iter().flatten().filter(|line| of(line)).count()
    }

    pub(super) fn added(&self) -> usize {
        self.count(|line| matches!(line, Line::Added(_)))
    }

    pub(super) fn removed(&self) -> usize {
        self.count(|line| matches!(line, Line::Removed(_)))
    }

    /// The file's text with the patch applied; the kept and removed lines must occur in the file, in one place only.
    pub(super) fn apply(&self, text: &str) -> Result<String, String> {
        let mut lines: Vec<&str> = text.lines().collect();
        for hunk in &self.hunks {
            let before: Vec<&str> = hunk.iter().filter_map(Line::before).collect();
            let after: Vec<&str> = hunk.iter().filter_map(Line::after).collect();
            let fits = |start: &usize| lines[*start..].starts_with(&before);
            let mut starts = (0..=lines.len()).filter(fits);
            let (start, another) = (starts.next(), starts.next());
            let start = start.ok_or_else(|| format!("{before:?} isn't in the file"))?;
            if another.is_some() && !self.is_new {
                return Err(format!("{before:?} is in the file more than once"));
            }
            lines.splice(start..start + before.len(), after);
        }
        let lines = lines.into_iter().map(|line| format!("{line}\n"));
        Ok(lines.collect())
    }
}

impl Line {
    /// The line before the patch.
    fn before(&self) -> Option<&str> {
        match self {
            Line::Kept(text) | Line::Removed(text) => Some(text),
            Line::Added(_) => None,
        }
    }

    /// The line after the patch.
    fn after(&self) -> Option<&str> {
        match self {
            Line::Kept(text) | Line::Added(text) => Some(text),
            Line::Removed(_) => None,
        }
    }
}

#[test]
fn patches_are_applied_where_they_fit() {
    let patch = Patch::parse(
        "diff --git a/new.rs b/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1,2 @@\n+a\n+b\n\
         diff --git a/old.rs b/old.rs\n--- a/old.rs\n+++ b/old.rs\n@@ -1,2 +1,3 @@ fn\n x\n+y\n z\n",
    );
    let [new, old] = &patch.places[..] else {
        panic!("{patch:?}");
    };
    assert_eq!(
        (new.path.as_str(), new.is_new, new.added()),
        ("new.rs", true, 2)
    );
    assert_eq!((old.path.as_str(), old.is_new), ("old.rs", false));
    assert_eq!((old.added(), old.removed()), (1, 0));
    assert_eq!(new.apply("").unwrap(), "a\nb\n");
    assert_eq!(old.apply("w\nx\nz\n").unwrap(), "w\nx\ny\nz\n");
    assert!(old.apply("x\ny\n").is_err());
    assert!(old.apply("x\nz\nx\nz\n").is_err());
}
