//! Writes `content/figures/*.toml` as Rust constants. It only reads: `cargo xtask content` checks the files and says what is wrong where.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use serde::Deserialize;

/// What a figure shows of its file; `content/src/data/figures.rs` has the meanings.
#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    notes: String,
    examples: String,
    keep_rest: bool,
    ignore: Vec<String>,
    example: Vec<Example>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Example {
    label: String,
    state: String,
}

fn main() -> io::Result<()> {
    let folder = Path::new("../../content/figures");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.sort();
    let mut arms = String::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "toml")) {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let file: File = toml::from_str(&fs::read_to_string(path)?).unwrap_or_else(|_| {
            println!("cargo::warning=content/figures/{id}.toml can't be read; cargo xtask content says why");
            File::default()
        });
        write(&mut arms, &id, &file).map_err(io::Error::other)?;
    }
    let find = format!("match id.as_bytes() {{\n{arms}_ => None,\n}}\n");
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("find.rs"), find)
}

/// The figure's arm of the `match` in `find`.
fn write(arms: &mut String, id: &str, file: &File) -> std::fmt::Result {
    let File { notes, examples, keep_rest, ignore, example } = file;
    write!(arms, "b{id:?} => Some(&Figure {{ notes: {notes:?}, examples: Examples {{ label: {examples:?}, ")?;
    write!(arms, "keep_rest: {keep_rest}, ignore: &{ignore:?}, all: &[")?;
    for Example { label, state } in example {
        write!(arms, "Example {{ label: {label:?}, state: {state:?} }}, ")?;
    }
    arms.push_str("] } }),\n");
    Ok(())
}
