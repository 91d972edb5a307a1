//! How many frames a second a page shows while it plays, the simulation included.

use crate::driven::{Outcome, Page, serve};
use std::path::Path;
use std::time::{Duration, Instant};

const FRAMES: &str = "document.documentElement.dataset.frames";
const NOW: &str = "document.documentElement.dataset.now";

pub async fn measure(page: &Page, program: &Path) -> Outcome<()> {
    // How often [ and ] are pressed from one cycle a frame on: 1, 5, 20 cycles.
    for (side, load, presses) in [(64, "0.2", [0, 2, 4]), (364, "0.03", [0, 2, 4])] {
        let sides = format!("network.sides=[{side},{side}]");
        let load = format!("traffic.load={load}");
        let served = serve(
            program,
            &[
                "configs/chaos-mesh.toml",
                "--set",
                &sides,
                "--set",
                &load,
                "--set",
                "run.warmup_cycles=1000",
                "--set",
                "run.measure_cycles=100000",
                "--memory",
                "2GB",
            ],
        )?;
        page.open(&served.url).await?;
        for faster in presses {
            page.press(&"[".repeat(12)).await?;
            page.press(&"]".repeat(2 + faster)).await?;
            let speed = page
                .value("document.getElementById('speed').selectedOptions[0].textContent")
                .await?;
            page.press(" ").await?;
            tokio::time::sleep(Duration::from_secs(1)).await;
            let (begun, frames, from) = (
                Instant::now(),
                page.number(FRAMES).await?,
                page.number(NOW).await?,
            );
            tokio::time::sleep(Duration::from_secs(6)).await;
            let (shown, to) = (page.number(FRAMES).await? - frames, page.number(NOW).await?);
            let rate = shown / begun.elapsed().as_secs_f64();
            page.press(" ").await?;
            println!("{side} x {side}, {speed}: {rate:.1} frames a second, cycles {from} to {to}");
        }
        page.shot(&format!("measured-{side}")).await?;
    }
    Ok(())
}
