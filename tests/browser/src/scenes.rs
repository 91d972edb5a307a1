//! What a reader does.

use crate::driven::{DOWN, ENTER, ESCAPE, HOME, Outcome, PAGE_UP, Page, RIGHT, TAB, UP, serve};
use std::path::Path;
use std::process::Command;

/// A run of a few seconds with something to see.
const RUN: [&str; 9] = [
    "configs/chaos-mesh.toml",
    "--set",
    "traffic.load=0.22",
    "--set",
    "run.warmup_cycles=1000",
    "--set",
    "run.measure_cycles=4000",
    "--seed",
    "7",
];
const NOW: &str = "document.documentElement.dataset.now";
const FRAMES: &str = "document.documentElement.dataset.frames";

pub async fn all(page: &Page, program: &Path) -> Outcome<()> {
    let served = serve(program, &RUN)?;
    page.open(&served.url).await?;
    for step in [
        "play", "steps", "strip", "map", "outliers", "help", "narrow", "pointer",
    ] {
        let begun = std::time::Instant::now();
        match step {
            "play" => play(page).await?,
            "steps" => steps(page).await?,
            "strip" => strip(page).await?,
            "map" => map(page).await?,
            "outliers" => outliers(page).await?,
            "help" => help(page).await?,
            "narrow" => narrow(page).await?,
            _ => pointer(page).await?,
        }
        // A question that is refused stands in the browser's log, and is no fault of the page.
        page.is_quiet().await.or_else(|error| match step {
            "outliers" if error.to_string().contains("404") => Ok(()),
            _ => Err(error),
        })?;
        println!("{step}: fine, {} ms", begun.elapsed().as_millis());
    }
    drop(served);
    two_runs(page, program).await?;
    page.is_quiet().await?;
    println!("two runs: fine");
    folder(page, program).await?;
    page.is_quiet().await?;
    println!("a folder: fine");
    Ok(())
}

fn holds(is_so: bool, what: impl FnOnce() -> String) -> Outcome<()> {
    match is_so {
        true => Ok(()),
        false => Err(what().into()),
    }
}

async fn play(page: &Page) -> Outcome<()> {
    page.press(" ").await?;
    page.until("it plays", &format!("Number({NOW}) > 100"))
        .await?;
    page.press("]]").await?;
    page.until("it plays faster", &format!("Number({NOW}) > 600"))
        .await?;
    page.press(" ").await?;
    let at = page.number(NOW).await?;
    let frames = page.number(FRAMES).await?;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let later = page.number(NOW).await?;
    holds(later - at <= 10.0, || {
        format!("paused at {at}, it stands at {later}")
    })?;
    holds(frames > 50.0, || format!("only {frames} frames"))?;
    page.press("[[").await?;
    page.shot("1-played").await
}

async fn steps(page: &Page) -> Outcome<()> {
    let at = page.number(NOW).await?;
    for (key, by) in [(".", 1.0), (".", 2.0), (",", 1.0), (">", 11.0), ("<", 1.0)] {
        page.press(key).await?;
        page.until(
            &format!("{key} goes to {by} on"),
            &format!("Number({NOW}) === {}", at + by),
        )
        .await?;
    }
    // A step back shows what was there before.
    let sums = "document.querySelector('figcaption span').textContent";
    let before = page.value(sums).await?;
    page.press(".").await?;
    page.until("it goes on", &format!("Number({NOW}) === {}", at + 2.0))
        .await?;
    page.press(",").await?;
    page.until("it goes back", &format!("Number({NOW}) === {}", at + 1.0))
        .await?;
    let after = page.value(sums).await?;
    holds(before == after, || {
        format!("there and back: {before}, then {after}")
    })
}

async fn strip(page: &Page) -> Outcome<()> {
    page.until(
        "the run is known",
        "document.getElementById('known').textContent.includes('ends before')",
    )
    .await?;
    page.tab_to("the strip", "it.id === 'strip'").await?;
    let at = page.number(NOW).await?;
    page.press(&PAGE_UP.to_string()).await?;
    page.until(
        "it goes on by a tenth",
        &format!("Number({NOW}) > {}", at + 400.0),
    )
    .await?;
    page.press(&HOME.to_string()).await?;
    page.until("it goes home", &format!("Number({NOW}) === 0"))
        .await?;
    page.press("g").await?;
    page.press("3000").await?;
    page.press(&ENTER.to_string()).await?;
    page.until("it goes to a time", &format!("Number({NOW}) === 3000"))
        .await?;
    page.press(&format!("{ESCAPE}m")).await?;
    page.until(
        "deroutes are shown",
        "document.getElementById('measure').value === 'deroutes'",
    )
    .await?;
    page.shot("2-deroutes").await?;
    page.press("m").await?;
    page.shot("3-links").await?;
    page.press("m").await
}

async fn map(page: &Page) -> Outcome<()> {
    page.press("f").await?;
    page.press(&format!("{RIGHT}{RIGHT}{RIGHT}{DOWN}{DOWN}{UP}{ENTER}"))
        .await?;
    // From node 0, where the first key begins: two to the right and, after all, one down: 16 + 2.
    page.until(
        "a node is shown",
        "document.querySelector('#node h3')?.textContent.startsWith('Node 18 (2, 1)')",
    )
    .await?;
    let inside = page.text("#node").await?;
    holds(inside.contains("before its cycle 3\u{202f}000"), || {
        inside.clone()
    })?;
    holds(inside.contains("multiqueue"), || inside.clone())?;
    page.shot("4-node").await?;
    page.press("++++").await?;
    page.shot("5-zoomed").await?;
    page.press("0").await
}

async fn outliers(page: &Page) -> Outcome<()> {
    page.until(
        "packets are known",
        "document.querySelector('#latency table')",
    )
    .await?;
    page.press(&format!("{ESCAPE}l")).await?;
    page.shot("6-latencies").await?;
    page.tab_to("the slowest packet", "it.matches('#latency button.packet')")
        .await?;
    let name = page.text("#latency button.packet").await?;
    let latency = page.text("#latency tbody td:nth-child(2)").await?;
    page.press(&ENTER.to_string()).await?;
    page.until(
        "its causes are shown",
        "document.querySelector('#packet .stack')",
    )
    .await?;
    let heading = page.text("#packet h3").await?;
    holds(heading == format!("Packet {name}"), || {
        format!("{heading}, not {name}")
    })?;
    // All stretches together are the latency.
    let total = "[...document.querySelectorAll('#packet .charges td:nth-child(3)')].reduce((sum, it) => sum + Number(it.textContent.replace(/\\D/g, '')), 0)";
    let total = page.number(total).await?;
    let asked: f64 = latency
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>()
        .parse()?;
    holds(total == asked, || {
        format!("{name}: charges of {total}, a latency of {asked}")
    })?;
    page.tab_to("its injection", "it.textContent === 'Go to its injection'")
        .await?;
    page.press(&ENTER.to_string()).await?;
    page.press(">>>").await?;
    page.shot("7-packet").await?;
    page.tab_to(
        "a culprit",
        "it.matches('#packet .charges td:last-child button')",
    )
    .await?;
    let culprit = page.value("document.activeElement.textContent").await?;
    page.press(&ENTER.to_string()).await?;
    let shown =
        format!("document.querySelector('#packet h3')?.textContent === 'Packet ' + {culprit}");
    page.until("the culprit is shown", &shown).await?;
    page.press("/").await?;
    page.press(&format!("{name}{ENTER}")).await?;
    let shown = format!("document.querySelector('#packet h3')?.textContent === 'Packet {name}'");
    page.until("a packet is found by its name", &shown).await?;
    page.press(&format!("{ESCAPE}/")).await?;
    page.press(&format!("4.99999999{ENTER}")).await?;
    page.until(
        "what isn't there is refused",
        "document.querySelector('#packet .error')?.textContent.includes('never enters')",
    )
    .await
}

async fn help(page: &Page) -> Outcome<()> {
    page.press(&ESCAPE.to_string()).await?;
    page.press("?").await?;
    page.until("keys are shown", "document.getElementById('keys').open")
        .await?;
    page.shot("8-keys").await?;
    page.press(&ESCAPE.to_string()).await?;
    page.until("keys are gone", "!document.getElementById('keys').open")
        .await?;
    page.press("t").await?;
    page.until(
        "it is dark",
        "document.documentElement.dataset.theme === 'dark'",
    )
    .await?;
    page.press(&format!("/{TAB}")).await?;
    let ring = page
        .value("getComputedStyle(document.activeElement).outlineStyle")
        .await?;
    holds(ring == "solid", || format!("the focus is drawn as {ring}"))?;
    page.shot("9-dark").await?;
    page.press("t").await
}

async fn narrow(page: &Page) -> Outcome<()> {
    page.size(420, 900).await?;
    page.until("it is narrow", "innerWidth < 600").await?;
    let wider = page
        .number("document.documentElement.scrollWidth - innerWidth")
        .await?;
    holds(wider <= 0.0, || {
        format!("the page is {wider} pixels wider than its window")
    })?;
    page.shot("10-narrow").await?;
    page.size(1440, 900).await
}

async fn pointer(page: &Page) -> Outcome<()> {
    page.click("#strip", (0.5, 0.5)).await?;
    page.until("it goes to the middle", &format!("Number({NOW}) > 1000"))
        .await?;
    page.click("canvas.map", (0.52, 0.52)).await?;
    page.until("the node is shown", "document.querySelector('#node h3')")
        .await?;
    page.wheel("canvas.map", (0.5, 0.5), -600).await?;
    page.shot("11-pointer").await
}

async fn two_runs(page: &Page, program: &Path) -> Outcome<()> {
    let mut arguments = vec![RUN[0], RUN[0]];
    arguments.extend(&RUN[1..]);
    arguments.extend(["--set-b", "router.chaos.stall_threshold_cycles=40"]);
    let served = serve(program, &arguments)?;
    page.open(&served.url).await?;
    page.until(
        "the difference is found",
        "document.querySelector('#difference .sums')",
    )
    .await?;
    page.press("d").await?;
    page.until(
        "the node is shown in both",
        "document.querySelectorAll('#node .datapath').length === 2",
    )
    .await?;
    let at = page.text("#difference").await?;
    holds(at.is_empty() || at.contains("part at node"), || at.clone())?;
    page.press(">>>>>>>>>>").await?;
    page.until("it goes on", &format!("Number({NOW}) > 10"))
        .await?;
    page.shot("12-two-runs").await
}

async fn folder(page: &Page, program: &Path) -> Outcome<()> {
    let parent = std::env::temp_dir().join(format!("flitwork-browser-{}", std::process::id()));
    let folder = parent.join("exported");
    std::fs::create_dir_all(&parent)?;
    let done = Command::new(program)
        .arg("view")
        .args(RUN)
        .arg("--export")
        .arg(&folder)
        .output()?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    holds(done.status.success(), || said.clone())?;
    page.open(&format!("file://{}", folder.join("index.html").display()))
        .await?;
    page.press(" ").await?;
    page.until("it plays to its end", &format!("Number({NOW}) > 4000"))
        .await?;
    page.press("l").await?;
    page.tab_to("the slowest packet", "it.matches('#latency button.packet')")
        .await?;
    page.press(&ENTER.to_string()).await?;
    page.until(
        "its causes are shown",
        "document.querySelector('#packet .stack')",
    )
    .await?;
    page.shot("13-folder").await?;
    std::fs::remove_dir_all(&parent)?;
    Ok(())
}
