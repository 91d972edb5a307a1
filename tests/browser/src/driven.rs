//! A browser that is driven, and the program whose page it shows.

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MouseActions, PointerAction, WheelAction, WheelActions,
};
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::time::sleep;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub const ENTER: char = '\u{e007}';
pub const TAB: char = '\u{e004}';
pub const ESCAPE: char = '\u{e00c}';
pub const UP: char = '\u{e013}';
pub const RIGHT: char = '\u{e014}';
pub const DOWN: char = '\u{e015}';
pub const HOME: char = '\u{e011}';
pub const PAGE_UP: char = '\u{e00e}';

/// A process that ends with its owner.
pub struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A WebDriver.
pub struct Driver {
    _process: Owned,
    port: u16,
}

impl Driver {
    pub async fn start() -> Outcome<Driver> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("chromedriver: {error}"))?;
        Ok(Driver {
            _process: Owned(process),
            port,
        })
    }

    /// A browser; it takes a while until the driver answers.
    pub async fn browser(&self, folder: PathBuf) -> Outcome<Page> {
        let options = json!({
            "goog:chromeOptions": {"args": [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1440,900",
                "--force-device-scale-factor=1", "--hide-scrollbars"
            ]},
            "goog:loggingPrefs": {"browser": "ALL"},
        });
        let Value::Object(options) = options else {
            return Err("options are an object".into());
        };
        let options: Capabilities = options;
        let begun = Instant::now();
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            let connected = builder
                .capabilities(options.clone())
                .connect(&format!("http://127.0.0.1:{}", self.port))
                .await;
            match connected {
                Ok(client) => return Ok(Page { client, folder }),
                Err(error) if begun.elapsed() > PATIENCE => return Err(error.into()),
                Err(_) => sleep(Duration::from_millis(100)).await,
            }
        }
    }
}

/// The program, serving a page.
pub struct Served {
    _process: Owned,
    pub url: String,
}

/// Serves a page with these arguments.
pub fn serve(program: &Path, arguments: &[&str]) -> Outcome<Served> {
    let mut process = Command::new(program)
        .arg("view")
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let out = process.stdout.take().ok_or("its output is piped")?;
    let process = Owned(process);
    let mut url = String::new();
    BufReader::new(out).read_line(&mut url)?;
    match url.trim() {
        "" => Err(format!("flitwork view {arguments:?} prints no address").into()),
        url => Ok(Served {
            _process: process,
            url: url.to_owned(),
        }),
    }
}

/// The browser's own log.
#[derive(Debug)]
struct Log;

impl WebDriverCompatibleCommand for Log {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (
            http::Method::POST,
            Some(json!({"type": "browser"}).to_string()),
        )
    }
}

/// A page in a browser.
pub struct Page {
    client: Client,
    folder: PathBuf,
}

impl Page {
    pub async fn close(self) -> Outcome<()> {
        Ok(self.client.close().await?)
    }

    pub async fn size(&self, width: u32, height: u32) -> Outcome<()> {
        self.client.set_window_size(width, height).await?;
        Ok(())
    }

    /// Opens a page and waits until it shows a frame.
    pub async fn open(&self, url: &str) -> Outcome<()> {
        self.client.goto(url).await?;
        self.until(
            "a frame is shown",
            "Number(document.documentElement.dataset.frames) > 0",
        )
        .await
    }

    /// What an expression of the page comes to.
    pub async fn value(&self, expression: &str) -> Outcome<Value> {
        Ok(self
            .client
            .execute(&format!("return {expression}"), Vec::new())
            .await?)
    }

    pub async fn number(&self, expression: &str) -> Outcome<f64> {
        let value = self.value(&format!("Number({expression})")).await?;
        value
            .as_f64()
            .ok_or_else(|| format!("{expression} is {value}").into())
    }

    pub async fn text(&self, selector: &str) -> Outcome<String> {
        let value = self
            .value(&format!(
                "document.querySelector({selector:?})?.innerText ?? ''"
            ))
            .await?;
        Ok(value.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until an expression of the page holds.
    pub async fn until(&self, what: &str, expression: &str) -> Outcome<()> {
        let begun = Instant::now();
        while self.value(&format!("Boolean({expression})")).await? != Value::Bool(true) {
            if begun.elapsed() > PATIENCE {
                return Err(format!("{what}: {expression} doesn't come to hold").into());
            }
            sleep(Duration::from_millis(30)).await;
        }
        Ok(())
    }

    /// Presses keys, one after another.
    pub async fn press(&self, keys: &str) -> Outcome<()> {
        let mut actions = KeyActions::new("keyboard".into());
        for value in keys.chars() {
            actions = actions
                .then(KeyAction::Down { value })
                .then(KeyAction::Up { value });
        }
        Ok(self.client.perform_actions(actions).await?)
    }

    /// Goes with the tabulator until an expression of the focused element `it` holds.
    pub async fn tab_to(&self, what: &str, expression: &str) -> Outcome<()> {
        for _ in 0..150 {
            self.press(&TAB.to_string()).await?;
            let holds = format!("(it => Boolean({expression}))(document.activeElement)");
            if self.value(&holds).await? == Value::Bool(true) {
                return Ok(());
            }
        }
        Err(format!("the tabulator never comes to {what}").into())
    }

    /// Clicks at a part of an element's width and height.
    pub async fn click(&self, selector: &str, (across, down): (f64, f64)) -> Outcome<()> {
        let (x, y) = self.at(selector, (across, down)).await?;
        let mouse = MouseActions::new("mouse".into())
            .then(PointerAction::MoveTo {
                duration: None,
                x,
                y,
            })
            .then(PointerAction::Down {
                button: fantoccini::actions::MOUSE_BUTTON_LEFT,
            })
            .then(PointerAction::Up {
                button: fantoccini::actions::MOUSE_BUTTON_LEFT,
            });
        Ok(self.client.perform_actions(mouse).await?)
    }

    /// Turns the wheel there.
    pub async fn wheel(&self, selector: &str, at: (f64, f64), delta_y: i64) -> Outcome<()> {
        let (x, y) = self.at(selector, at).await?;
        let wheel = WheelActions::new("wheel".into()).then(WheelAction::Scroll {
            duration: None,
            x: x as i64,
            y: y as i64,
            delta_x: 0,
            delta_y,
        });
        Ok(self.client.perform_actions(wheel).await?)
    }

    async fn at(&self, selector: &str, (across, down): (f64, f64)) -> Outcome<(f64, f64)> {
        let of = |name: &str| {
            format!("document.querySelector({selector:?}).getBoundingClientRect().{name}")
        };
        let x = self.number(&of("left")).await? + across * self.number(&of("width")).await?;
        let y = self.number(&of("top")).await? + down * self.number(&of("height")).await?;
        Ok((x.round(), y.round()))
    }

    /// Takes a picture.
    pub async fn shot(&self, name: &str) -> Outcome<()> {
        sleep(Duration::from_millis(150)).await;
        let picture = self.client.screenshot().await?;
        std::fs::write(self.folder.join(format!("{name}.png")), picture)?;
        Ok(())
    }

    /// Complains if the browser has logged an error: of a script, or because the page's policy forbids something.
    pub async fn is_quiet(&self) -> Outcome<()> {
        let log = self.client.issue_cmd(Log).await?;
        let entries = log.as_array().cloned().unwrap_or_default();
        let errors = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        let errors: Vec<String> = errors.map(|entry| entry["message"].to_string()).collect();
        match errors.is_empty() {
            true => Ok(()),
            false => Err(format!("the browser's log: {}", errors.join("; ")).into()),
        }
    }
}
