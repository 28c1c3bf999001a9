//! Where things are, and running other programs.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::failure::{Context, Result};

/// The repository's root.
pub fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// A path from the command line: relative to the folder in which the command was typed.
pub fn given_path(text: &str) -> PathBuf {
    env::current_dir().unwrap_or_else(|_| root()).join(text)
}

/// Says what happens now. To stderr, so that it comes in order with what other programs print.
pub fn say(text: impl std::fmt::Display) {
    eprintln!("\x1b[1m»\x1b[0m {text}");
}

/// A command run in the repository's root.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs a command to its end; its output is shown.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().could_not(|| format!("run `{}`", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status}).", shown(command)).into()) }
}

/// Runs a command to its end and returns what it printed; its errors are shown only if it fails.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().could_not(|| format!("run `{}`", shown(command)))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{}` failed ({}):\n{}", shown(command), output.status, errors.trim()).into())
}

/// The first of `names` on PATH.
pub fn which(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().find_map(|name| folders.iter().map(|f| f.join(name)).find(|p| is_executable(p)))
}

/// Whether this file can be run.
pub fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Every file under a folder, sorted, as paths relative to it with `/` between their parts.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn files_under(folder: &Path) -> Result<Vec<String>> {
    fn visit(folder: &Path, prefix: &str, found: &mut Vec<String>) -> Result<()> {
        let entries = folder.read_dir().could_not(|| format!("read {}", folder.display()))?;
        for entry in entries {
            let entry = entry.could_not(|| format!("read {}", folder.display()))?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                visit(&entry.path(), &format!("{name}/"), found)?;
            } else {
                found.push(name);
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    visit(folder, "", &mut found)?;
    found.sort();
    Ok(found)
}

/// Reads a file, with a message that names it.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).could_not(|| format!("read {}", path.display()))
}

/// Reads a file as text, with a message that names it.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).could_not(|| format!("read {}", path.display()))
}

/// Writes a file, with the folders that it needs.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).could_not(|| format!("create {}", parent.display()))?;
    }
    std::fs::write(path, bytes).could_not(|| format!("write {}", path.display()))
}

/// A folder of this process alone, empty, for what is wanted for a moment.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn scratch(name: &str) -> Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("ringside-{name}-{}-{count}", std::process::id()));
    std::fs::create_dir_all(&folder).could_not(|| format!("create {}", folder.display()))?;
    Ok(folder)
}

/// Copies a folder with all that is in it.
///
/// # Errors
/// It could not be done; the message says what and why.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    files_under(from)?.iter().try_for_each(|file| write(&to.join(file), read(&from.join(file))?))
}
