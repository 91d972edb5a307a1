//! The lines of the text report, from the account, by the table of docs/src/introduction.md.

use crate::figures::outputs::{Figures, Latency, Shares, most, sum};
use crate::figures::statistics::{Estimate, Halves};
use crate::figures::steady::{halves, loads};
use flitwork_config::EnergyParameters;
use flitwork_experiment::load::Basis;
use flitwork_results::Ideal;

type Line = (String, String);

fn line(name: &str, value: impl Into<String>) -> Line {
    (name.to_owned(), value.into())
}

/// Rounded to two significant digits of the interval, or to two places.
fn shown(estimate: Estimate) -> String {
    let mean = estimate.mean;
    let Some(half) = estimate.half_width else {
        return format!("{mean:.2} ± ?");
    };
    let mut places = 0;
    while half > 0.0 && places < 9 && half * 10_f64.powi(places) < 10.0 {
        places += 1;
    }
    let places = if half > 0.0 { places as usize } else { 2 };
    format!("{mean:.places$} ± {half:.places$}")
}

fn ideal(ideal: &Ideal) -> Line {
    let how = match ideal.basis {
        Basis::Exact => String::new(),
        Basis::EvenSplit => ", with an even split".into(),
        Basis::BestMix(part) => format!(", {:.0} % by way of a node", 100.0 * part),
    };
    let throughput = ideal.throughput;
    line(
        "ideal throughput",
        format!("{throughput:.4} words/node/cycle{how}"),
    )
}

/// The lines from below the title to the seed.
pub(crate) fn lines(figures: &Figures<'_>) -> Vec<Line> {
    let account = figures.account;
    let mut lines = Vec::new();
    if account.open_loop {
        let (offered, accepted) = loads(account);
        let load = |load| format!("{} words/node/cycle", shown(load));
        lines.push(line("offered load", load(offered)));
        lines.push(line("accepted load", load(accepted)));
        lines.extend(figures.reported.ideal.as_ref().map(ideal));
        let halves = halves(account).filter(|_| figures.latency.is_hidden());
        lines.extend(halves.map(in_halves));
    }
    match &figures.steady {
        None => {}
        Some(None) => lines.push(line("steady state", "steady")),
        Some(Some(it)) => {
            let verdict = match it.name {
                "window too short" | "window cut short" => "not known",
                _ => "not steady",
            };
            lines.push(line("steady state", format!("{verdict}: {}", it.text)));
        }
    }
    let exact = |which: usize| figures.exact.as_ref().map(|exact| &exact[which]);
    lines.extend(latency("latency", &figures.latency, exact(0)));
    lines.extend(latency("network latency", &figures.network, exact(1)));
    if figures.by_class.len() > 1 {
        for (class, it) in &figures.by_class {
            lines.extend(latency(&format!("latency, class {class}"), it, None));
        }
    }
    lines.extend(by_distance(figures));
    let (made, entered, delivered) = figures.packets();
    lines.push(line(
        "packets",
        format!("{made} created, {delivered} delivered"),
    ));
    let owed = figures.owed();
    if made > delivered || owed > 0 {
        let (network, sources) = (entered - delivered, made - entered);
        let mut left = format!("{network} in the network, {sources} in the sources");
        if owed > 0 {
            left += &format!(", {owed} to be made");
        }
        lines.push(line("left over", left));
    }
    let (sources, destinations) = figures.shares();
    lines.extend(shares("fairness, sources", sources));
    lines.extend(shares("fairness, destinations", destinations));
    lines.extend(longest_wait(figures));
    if let Some(steps) = account.steps()
        && let Some(mean_ps) = steps.mean_ps
    {
        let (worst_ps, percent) = (steps.worst_ps, 100.0 * mean_ps / steps.worst_ps as f64);
        let value =
            format!("{mean_ps:.1} ps mean, {percent:.1} % of the worst case of {worst_ps} ps");
        lines.push(line("steps", value));
    }
    let a_packet = |value: Option<f64>| match value {
        Some(value) => format!("{value:.4} per packet"),
        None => "-".to_owned(),
    };
    let hops = a_packet(figures.a_packet(|life| life.hops));
    lines.push(line("hops", hops));
    let deroutes = a_packet(figures.a_packet(|life| life.deroutes));
    lines.push(line("deroutes", deroutes));
    lines.extend(places(figures));
    lines.extend(energy(figures));
    lines.extend(simulation(figures));
    lines
}

fn latency(name: &str, latency: &Latency, exact: Option<&Latency>) -> Vec<Line> {
    let undecided = ["window too short", "window cut short"];
    if let (Some(reason), None) = (latency.not_steady, latency.mean)
        && !undecided.contains(&reason)
    {
        return vec![line(name, format!("not steady ({reason})"))];
    }
    let doubt = latency.not_steady.map_or("", |rule| match rule {
        "window too short" | "window cut short" => " (not known to be steady)",
        _ => " (not steady)",
    });
    let [mean, below] = in_unit(latency, "cycles");
    let mut lines = vec![line(name, mean + doubt), line("", below)];
    if let Some(exact) = exact.filter(|exact| exact.mean.is_some()) {
        lines.extend(in_unit(exact, "ps").map(|it| line("", it)));
    }
    lines
}

/// The mean and the percentiles.
fn in_unit(latency: &Latency, unit: &str) -> [String; 2] {
    let mean = match latency.mean {
        None => "no packet".to_owned(),
        Some(exact) if exact.batches == 0 => format!("{:.2} {unit} mean", exact.mean),
        Some(mean) => format!("{} {unit} mean", shown(mean)),
    };
    let percentiles = [("p50", 500), ("p99", 990), ("p99.9", 999)];
    let percentiles = percentiles
        .iter()
        .filter_map(|(name, of)| Some(format!("{name} {}, ", latency.percentile(*of)?)));
    let percentiles: String = percentiles.collect();
    let below = match latency.greatest() {
        Some(most) => format!("{percentiles}max {most} {unit}"),
        None => "-".to_owned(),
    };
    [mean, below]
}

fn by_distance(figures: &Figures<'_>) -> Option<Line> {
    let say = |(hops, latency): (&u32, &Latency)| {
        let hops = match hops {
            1 => "1 hop".to_owned(),
            hops => format!("{hops} hops"),
        };
        Some(format!("{:.2} at {hops}", latency.mean?.mean))
    };
    let rows = &figures.by_distance;
    let mut value = say(rows.first_key_value()?)?;
    if rows.len() > 1 {
        value += &format!(", {}", say(rows.last_key_value()?)?);
    }
    let doubt = figures.latency.not_steady.map_or("", |rule| match rule {
        "window too short" | "window cut short" => "; not known to be steady",
        _ => "; not steady",
    });
    let value = format!("{value} (cycles, mean{doubt})");
    Some(line("latency by distance", value))
}

fn longest_wait(figures: &Figures<'_>) -> Option<Line> {
    let (node, cycles) = figures.longest_wait()?;
    let part = 100.0 * cycles as f64 / figures.account.time();
    let waits = format!("{cycles} cycles to inject (node {node}), {part:.1} % of the window");
    Some(line("longest wait", waits))
}

fn in_halves(halves: Halves) -> Line {
    let Halves {
        first,
        second,
        change,
        half_width,
    } = halves;
    let drifts = change.abs() > 0.01 && change.abs() > half_width;
    let verdict = if drifts { "drifts" } else { "no drift" };
    let by = match change.is_finite() {
        true => format!(" ({:+.1} ± {:.1} %)", 100.0 * change, 100.0 * half_width),
        false => String::new(),
    };
    line(
        "",
        format!("by halves {first:.4}, {second:.4}{by}: {verdict}"),
    )
}

fn shares(name: &str, shares: Option<Shares>) -> Vec<Line> {
    let Some(shares) = shares else {
        return Vec::new();
    };
    let ((least, low), (most, high)) = (shares.least, shares.most);
    let ends = format!("{low:.4} (node {least}) to {high:.4} (node {most}) words/cycle");
    let jain = shares.jain.map(|jain| format!(", Jain's index {jain:.4}"));
    let below = format!("mean {:.4}{}", shares.mean, jain.unwrap_or_default());
    vec![line(name, ends), line("", below)]
}

/// How full nodes and links were.
fn places(figures: &Figures<'_>) -> Vec<Line> {
    let account = figures.account;
    let mut lines = Vec::new();
    if let Some(buffers) = account.buffers() {
        let (node, busiest) = figures.busiest(&buffers);
        let (mean, unit) = (figures.held_mean(&buffers), buffers.unit);
        let most = most(&buffers);
        lines.push(line(
            buffers.name,
            format!("{mean:.3} {unit} mean, {busiest:.3} at node {node}, {most} at most"),
        ));
    }
    let means = figures.node_means();
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let name = format!("{} in a node", account.unit());
    lines.push(line(&name, format!("{mean:.3} mean")));
    let mean = figures.link_words();
    lines.push(line("words per link", format!("{mean:.1} mean")));
    let (mean, most) = figures.wire_words();
    let mut both = String::new();
    if account.half_duplex {
        both += ", both directions together";
        if account.nominal_ps.is_some() {
            both += ", of a word per cycle of the nominal clock";
        }
    }
    let percent = |words: f64| 100.0 * words / account.time();
    let (mean, most) = (percent(mean), percent(most as f64));
    lines.push(line(
        "link utilisation",
        format!("{mean:.2} % mean, {most:.2} % busiest{both}"),
    ));
    lines
}

fn energy(figures: &Figures<'_>) -> Vec<Line> {
    let (work, words) = (figures.account.work(), figures.words_delivered());
    let count = |count: u64| match words {
        0 => count.to_string(),
        words => format!(
            "{count} ({:.2} per delivered word)",
            count as f64 / words as f64
        ),
    };
    let mut lines = vec![
        line("buffer writes, words", count(work.writes)),
        line("buffer reads, words", count(work.reads)),
        line("crossbar, words", count(work.crossbar)),
        line("links, words", count(work.links)),
        line("decisions", count(work.decisions)),
    ];
    let Some(parts) = figures.joules() else {
        assert_eq!(figures.account.prices, EnergyParameters::default());
        return lines;
    };
    for (name, part) in &parts {
        let name = match *name {
            "buffer_write" => "energy, buffer writes",
            "buffer_read" => "energy, buffer reads",
            "crossbar" => "energy, crossbars",
            "link" => "energy, links",
            "decision" => "energy, decisions",
            "leak" => "energy, leakage",
            "clock" => "energy, clocks",
            "idle_clock" => "energy, idle clocks",
            "step" => "energy, steps",
            _ => "energy, handshakes",
        };
        lines.extend(part.map(|part| line(name, joules(part))));
    }
    let total = sum(&parts);
    let a_word = match words {
        0 => String::new(),
        words => format!(" ({} per delivered word)", joules(total / words as f64)),
    };
    lines.push(line("energy", joules(total) + &a_word));
    lines
}

/// With the unit prefix that leaves at least one digit before the point, and two places.
fn joules(value: f64) -> String {
    let prefixes = [("", 1.0), ("m", 1e-3), ("µ", 1e-6), ("n", 1e-9)];
    let prefix = prefixes.iter().find(|(_, scale)| value >= *scale);
    let (prefix, scale) = prefix.copied().unwrap_or(("p", 1e-12));
    format!("{:.2} {prefix}J", value / scale)
}

fn simulation(figures: &Figures<'_>) -> Vec<Line> {
    let (account, reported) = (figures.account, figures.reported);
    let (cycles, measured) = (account.cycles, account.seen.cycles());
    let rate = |count: f64| {
        let value = count / reported.seconds;
        let (scale, suffix) = [(1e9, " G"), (1e6, " M"), (1e3, " k")]
            .into_iter()
            .find(|(scale, _)| value >= *scale)
            .unwrap_or((1.0, " "));
        format!("{:.2}{suffix}", value / scale)
    };
    let hops = rate(figures.packet_hops() as f64);
    let node_cycles = rate(cycles as f64 * account.nodes() as f64);
    vec![
        line("simulated", format!("{cycles} cycles, {measured} measured")),
        line(
            "speed",
            format!(
                "{hops} packet-hops/s, {node_cycles} node-cycles/s ({:.2} s)",
                reported.seconds
            ),
        ),
        line("digest", reported.digest.clone()),
        line("seed", reported.seed.to_string()),
    ]
}
