//! The page's files, embedded in the program.

/// The page.
pub(crate) const PAGE: &str = include_str!("assets/index.html");
/// How it looks.
pub(crate) const STYLE: &str = include_str!("assets/style.css");
/// What it does: the later ones use the earlier ones.
pub(crate) const SCRIPTS: [(&str, &str); 13] = [
    ("format.js", include_str!("assets/format.js")),
    ("source.js", include_str!("assets/source.js")),
    ("heat.js", include_str!("assets/heat.js")),
    ("layout.js", include_str!("assets/layout.js")),
    ("map.js", include_str!("assets/map.js")),
    ("maps.js", include_str!("assets/maps.js")),
    ("player.js", include_str!("assets/player.js")),
    ("strip.js", include_str!("assets/strip.js")),
    ("inside.js", include_str!("assets/inside.js")),
    ("journey.js", include_str!("assets/journey.js")),
    ("latencies.js", include_str!("assets/latencies.js")),
    ("keys.js", include_str!("assets/keys.js")),
    ("app.js", include_str!("assets/app.js")),
];

/// Each file with its path and its kind.
pub(super) fn served() -> Vec<(String, &'static str, &'static str)> {
    const SCRIPT: &str = "text/javascript; charset=utf-8";
    let mut files = vec![
        ("/".to_owned(), "text/html; charset=utf-8", PAGE),
        ("/style.css".to_owned(), "text/css; charset=utf-8", STYLE),
    ];
    let scripts = SCRIPTS.iter();
    files.extend(scripts.map(|(name, text)| (format!("/{name}"), SCRIPT, *text)));
    files
}
