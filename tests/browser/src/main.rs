//! Drives the page of `flitwork view` in a headless Chromium, as a reader does who has nothing but a keyboard, and then
//! with a pointer; takes screenshots on the way.
//!
//! ```sh
//! cargo run --manifest-path tests/browser/Cargo.toml -- PROGRAM FOLDER [measure]
//! ```
//!
//! PROGRAM is `flitwork`; screenshots go to FOLDER. Needs `chromedriver` and `chromium` (Debian: chromium-driver, chromium).
//! With `measure` it counts frames a second instead, at 64 x 64 and 364 x 364 nodes.

mod driven;
mod measure;
mod scenes;

use driven::{Driver, Outcome};
use std::path::PathBuf;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    let usage = "PROGRAM FOLDER [measure]";
    let program = PathBuf::from(arguments.next().ok_or(usage)?);
    let folder = PathBuf::from(arguments.next().ok_or(usage)?);
    std::fs::create_dir_all(&folder)?;
    let driver = Driver::start().await?;
    let page = driver.browser(folder).await?;
    let done = match arguments.next().as_deref() {
        Some("measure") => measure::measure(&page, &program).await,
        _ => scenes::all(&page, &program).await,
    };
    if done.is_err() {
        // What it looked like when it went wrong.
        let _ = page.shot("failed").await;
    }
    page.close().await?;
    done
}
