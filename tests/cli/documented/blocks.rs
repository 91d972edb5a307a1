//! The commands in a page's blocks of code, with what is shown of their output.

/// A command that a page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// The line of the page, from 1, in which its block begins.
    pub(crate) line: usize,
    /// The command on one line, or a whole script.
    pub(crate) command: String,
    /// Commands before it in its block that don't run the program, such as `ulimit`.
    pub(crate) before: String,
    /// The lines of its output that are shown.
    pub(crate) output: Vec<String>,
    /// Its exit code, if the page shows it.
    pub(crate) code: Option<i32>,
}

/// What is to be done with a page, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Run(Shown),
    /// A block of TOML whose first line is a comment with a path in `/tmp`.
    Write {
        path: String,
        text: String,
    },
}

/// The blocks of a page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) steps: Vec<Step>,
    /// Commands that run other programs.
    pub(crate) others: Vec<String>,
    /// Blocks of text without a command.
    pub(crate) texts: Vec<Vec<String>>,
}

impl Page {
    pub(crate) fn new(text: &str) -> Page {
        let mut page = Page::default();
        for block in blocks(text) {
            match block.language {
                "toml" => page.steps.extend(block.file()),
                "sh" | "text" | "console" => page.read(&block),
                _ => {}
            }
        }
        page
    }

    /// The commands that run the program.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &Shown> {
        self.steps.iter().filter_map(|step| match step {
            Step::Run(shown) => Some(shown),
            Step::Write { .. } => None,
        })
    }

    /// Says that a block of text is what a command prints: that with this text in it.
    ///
    /// # Errors
    /// If there is no such block or no such command.
    pub(crate) fn attach(&mut self, first_line: &str, command: &str) -> Result<(), String> {
        let begins = |text: &&Vec<String>| text.first().is_some_and(|line| line == first_line);
        let text = self.texts.iter().find(begins);
        let text = text.ok_or(format!("no block begins with {first_line:?}"))?;
        let shown = self.steps.iter_mut().find_map(|step| match step {
            Step::Run(shown) if shown.command.contains(command) => Some(shown),
            _ => None,
        });
        let shown = shown.ok_or(format!("no command contains {command:?}"))?;
        shown.output.extend(text.iter().cloned());
        Ok(())
    }

    fn read(&mut self, block: &Block<'_>) {
        let lines = block.joined();
        let is_script = |line: &str| line.starts_with("for ") || line.starts_with("RUN=");
        if lines.iter().any(|line| line.starts_with("$ ")) {
            self.typed(block.line, &lines);
        } else if block.lines.first().is_some_and(|line| is_script(line)) {
            self.steps.push(Step::Run(Shown {
                line: block.line,
                command: block.lines.join("\n"),
                ..Shown::default()
            }));
        } else if block.language == "sh" || lines.iter().any(|line| own(line).is_some()) {
            for line in lines {
                match own(&line) {
                    Some(command) => self.steps.push(Step::Run(Shown {
                        line: block.line,
                        command,
                        ..Shown::default()
                    })),
                    None => self.others.push(line),
                }
            }
        } else {
            self.texts.push(lines);
        }
    }

    /// A block of commands behind `$`, each followed by its output.
    fn typed(&mut self, number: usize, lines: &[String]) {
        let mut runs: Vec<Shown> = Vec::new();
        let (mut before, mut is_code, mut is_own) = (String::new(), false, false);
        for line in lines {
            let Some(command) = line.strip_prefix("$ ") else {
                match runs.last_mut() {
                    Some(run) if is_code => run.code = run.code.or(line.trim().parse().ok()),
                    Some(run) if is_own => run.output.push(line.clone()),
                    _ => {}
                }
                continue;
            };
            is_code = command == "echo $?";
            is_own = command.contains("flitwork ");
            if is_own {
                runs.push(Shown {
                    line: number,
                    command: command.to_owned(),
                    before: std::mem::take(&mut before),
                    ..Shown::default()
                });
            } else if !is_code {
                before += &format!("{command}\n");
            }
        }
        self.others.extend(before.lines().map(str::to_owned));
        self.steps.extend(runs.into_iter().map(Step::Run));
    }
}

/// A command that runs the program, as if it were on the path.
fn own(line: &str) -> Option<String> {
    let built = line.strip_prefix("cargo run --release -- ");
    let own = built.or_else(|| line.strip_prefix("flitwork "));
    own.map(|rest| format!("flitwork {rest}"))
}

/// A fenced block of code.
struct Block<'t> {
    line: usize,
    language: &'t str,
    lines: Vec<&'t str>,
}

impl Block<'_> {
    /// Its lines; one that ends with a backslash goes on in the next.
    fn joined(&self) -> Vec<String> {
        let mut joined: Vec<String> = Vec::new();
        let mut goes_on = false;
        for line in &self.lines {
            let (line, more) = match line.strip_suffix('\\') {
                Some(line) => (line, true),
                None => (*line, false),
            };
            match joined.last_mut() {
                Some(last) if goes_on => *last += line.trim_start(),
                _ => joined.push(line.to_owned()),
            }
            goes_on = more;
        }
        joined
    }

    fn file(&self) -> Option<Step> {
        let path = self.lines.first()?.strip_prefix("# ")?;
        path.starts_with("/tmp/").then(|| Step::Write {
            path: path.to_owned(),
            text: self.lines.join("\n"),
        })
    }
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                open = Some(Block {
                    line: index + 1,
                    language: language.trim(),
                    lines: Vec::new(),
                });
            }
            (Some(_), Some(block)) => blocks.push(block),
            (None, Some(mut block)) => {
                block.lines.push(line);
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    blocks
}

/// A page with every kind of block.
const PAGE: &str = "Text.
```sh
cargo test
cargo run --release -- run a.toml
flitwork run b.toml \\
    --seed 2      # a comment
```
```toml
# /tmp/one.toml
seed = 1
```
```text
results
  digest 1
```
```text
$ ulimit -v 10
$ flitwork run /tmp/one.toml
error: too small
$ echo $?
2
$ xxd run.flog
```
";

#[test]
fn blocks_are_read() {
    let mut page = Page::new(PAGE);
    assert_eq!(page.others, ["cargo test", "xxd run.flog"]);
    let commands: Vec<&str> = page.shown().map(|it| it.command.as_str()).collect();
    assert_eq!(
        commands,
        [
            "flitwork run a.toml",
            "flitwork run b.toml --seed 2      # a comment",
            "flitwork run /tmp/one.toml"
        ]
    );
    let last = page.shown().last().unwrap();
    assert_eq!(last.before, "ulimit -v 10\n");
    assert_eq!((last.code, last.line), (Some(2), 16));
    assert_eq!(last.output, ["error: too small"]);
    let file = Step::Write {
        path: "/tmp/one.toml".into(),
        text: "# /tmp/one.toml\nseed = 1".into(),
    };
    assert!(page.steps.contains(&file));
    assert!(page.attach("results", "c.toml").is_err());
    page.attach("results", "run a.toml").unwrap();
    assert_eq!(
        page.shown().next().unwrap().output,
        ["results", "  digest 1"]
    );
}
