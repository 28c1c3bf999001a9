//! Chromium and Firefox, and the Node scripts that drive Chromium.

use std::path::PathBuf;
use std::process::Command;

use xtask::failure::{Context, Result};
use xtask::npm;
use xtask::process::{self, command, say};

/// Chromium without windows: what the tests do takes a quarter less time in it.
const SHELL: &str = "chromium-headless-shell";
/// The names under which systems have Chromium or Chrome, the first choice first.
const NAMES: &[&str] = &[SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// A browser that is here: the one that the variable names, or one of these names on PATH.
fn here(variable: &str, kind: &str, names: &[&str]) -> Result<Option<PathBuf>> {
    match std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from) {
        Some(path) if process::is_executable(&path) => Ok(Some(path)),
        Some(path) => {
            let path = path.display();
            Err(format!("{variable} is {path}, which is no program. Unset it or set it to a {kind}.").into())
        }
        None => Ok(process::which(names)),
    }
}

/// A Firefox, where there is one: the one that `FIREFOX` names, or on PATH. None is installed, so that a run takes no longer.
pub(crate) fn firefox() -> Result<Option<PathBuf>> {
    here("FIREFOX", "Firefox", &["firefox", "firefox-esr"])
}

/// The oldest Firefox that the tests were run in. In 140 Puppeteer does its waiting by `eval`, which the site's policy forbids.
const OLDEST_FIREFOX: u32 = 153;

/// Why there is no Firefox to test in, if there is none.
pub(crate) fn no_firefox() -> Option<String> {
    match firefox() {
        Ok(None) => Some(
            "there is no Firefox here. Install one (on Debian `apt-get install firefox-esr`), or set FIREFOX to where it is"
                .to_owned(),
        ),
        Ok(Some(path)) => {
            let version = process::output(command(&path).arg("--version")).ok()?;
            too_old(&version).map(|major| {
                format!("{} is Firefox {major}, and these tests need {OLDEST_FIREFOX} or later", path.display())
            })
        }
        // The stage says it.
        Err(_) => None,
    }
}

/// The number in what a Firefox says of its version, if the tests cannot be run in it.
fn too_old(version: &str) -> Option<u32> {
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split('.').next()?.parse().ok().filter(|major| *major < OLDEST_FIREFOX)
}

/// A Chromium: the one that `CHROME` names, or on PATH, or installed by the system's packages or by Playwright.
pub(crate) fn chromium() -> Result<PathBuf> {
    if let Some(path) = here("CHROME", "Chromium", NAMES)? {
        return Ok(path);
    }
    if process::which(&["apt-get"]).is_some() {
        let sudo = if is_root() { Some(false) } else { can_sudo().then_some(true) };
        if let Some(sudo) = sudo {
            say("installing Chromium with apt-get (a minute or two)");
            let apt = |arguments: &[&str]| {
                let mut words = if sudo { vec!["sudo", "-n", "apt-get"] } else { vec!["apt-get"] };
                words.extend(["-qq", "-o", "Dpkg::Use-Pty=0"]);
                words.extend(arguments);
                process::run(command(words[0]).args(&words[1..]).env("DEBIAN_FRONTEND", "noninteractive"))
            };
            let install = |name: &str| apt(&["install", "-y", "--no-install-recommends", name, "fonts-liberation"]);
            let either = || install(SHELL).or_else(|_| install("chromium"));
            let done = either().or_else(|_| apt(&["update"]).and_then(|()| either()));
            match (done, process::which(NAMES)) {
                (Ok(()), Some(path)) => return Ok(path),
                _ => say("that did not work; asking Playwright for its own Chromium"),
            }
        }
    }
    packages()?;
    let ask = "process.stdout.write(require('@playwright/test').chromium.executablePath())";
    let path = PathBuf::from(process::output(node().args(["-e", ask]))?);
    if !process::is_executable(&path) {
        say("installing Playwright's Chromium (about 150 MB)");
        process::run(command("npx").args(["playwright", "install", "chromium"]).current_dir(folder()))?;
    }
    if process::is_executable(&path) {
        return Ok(path);
    }
    Err("there is no Chromium. Install one, or set CHROME to where it is.".into())
}

/// `tests/browser`.
pub(crate) fn folder() -> PathBuf {
    process::root().join("tests/browser")
}

/// Makes sure that the locked npm packages of `tests/browser` are there.
pub(crate) fn packages() -> Result<()> {
    npm::need_node()?;
    let lock = process::read(&folder().join("package-lock.json"))?;
    let stamp = folder().join("node_modules/.ringside-lock");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    say("installing the browser tests' npm packages (seconds)");
    let mut npm = command("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder());
    process::run(npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))?;
    process::write(&stamp, lock)
}

/// Node, in `tests/browser`.
fn node() -> Command {
    let mut node = command("node");
    node.current_dir(folder());
    node
}

/// Runs `tests/browser/scripts/<name>.mjs` with `input` as its one argument, as JSON, and reads what it prints to
/// stdout, as JSON.
pub(crate) fn script(name: &str, input: &serde_json::Value) -> Result<serde_json::Value> {
    packages()?;
    let mut node = node();
    node.arg(format!("scripts/{name}.mjs")).arg(input.to_string()).env("CHROME", chromium()?);
    node.stderr(std::process::Stdio::inherit());
    let output = node.output().could_not(|| format!("run node scripts/{name}.mjs"))?;
    if !output.status.success() {
        return Err(format!("tests/browser/scripts/{name}.mjs failed; its message is above.").into());
    }
    serde_json::from_slice(&output.stdout).could_not(|| format!("read what scripts/{name}.mjs printed"))
}

fn is_root() -> bool {
    process::output(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn can_sudo() -> bool {
    process::which(&["sudo"]).is_some() && process::output(command("sudo").args(["-n", "true"])).is_ok()
}

#[cfg(test)]
mod tests {
    use super::too_old;

    #[test]
    fn a_firefox_says_how_old_it_is() {
        assert_eq!(too_old("Mozilla Firefox 140.10.2esr\n"), Some(140));
        assert_eq!(too_old("Mozilla Firefox 153.0esr"), None);
        assert_eq!(too_old("something else"), None);
    }
}
