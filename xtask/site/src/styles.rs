//! The style sheets, each in one file and shortened: the one that is written into every page, and those that come with what
//! they are for.

use std::path::Path;
use std::process::Stdio;

use xtask::failure::{Context, Result};
use xtask::npm::esbuild;
use xtask::process;

/// What every page needs: imports the rest.
const PAGE: &str = "app/styles/page.css";
/// Where those lie that are downloaded with what they are for.
const ON_DEMAND: &str = "app/styles/on-demand";

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Styles {
    /// What every page needs.
    pub(crate) page: String,
    /// The others: file name and text.
    pub(crate) on_demand: Vec<(String, String)>,
    /// What is wrong in them, for people.
    pub(crate) warnings: String,
}

/// Bundles and shortens them.
pub(crate) fn bundle() -> Result<Styles> {
    let page = process::root().join(PAGE);
    let folder = process::root().join(ON_DEMAND);
    let names = process::files_under(&folder)?;
    let paths = names.iter().map(|name| folder.join(name)).chain([page.clone()]);
    let out = process::scratch("styles")?;
    let mut esbuild = esbuild()?;
    esbuild.args(paths).args(["--bundle", "--minify", "--entry-names=[name]", "--log-level=warning", "--color=false"]);
    // They are copied as they are.
    esbuild.arg("--external:fonts/*").arg(format!("--outdir={}", out.display()));
    let output = esbuild.stdin(Stdio::null()).output().could_not(|| "run esbuild".to_owned())?;
    let warnings = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        return Err(format!("esbuild refuses the style sheets:\n{warnings}").into());
    }
    let read =
        |path: &Path| process::read_text(&out.join(path.file_name().unwrap_or_default())).map(|css| bounded(&css));
    let on_demand = names.into_iter().map(|name| Ok((name.clone(), read(Path::new(&name))?))).collect::<Result<_>>()?;
    let styles = Styles { page: read(&page)?, on_demand, warnings };
    std::fs::remove_dir_all(&out).could_not(|| format!("remove {}", out.display()))?;
    Ok(styles)
}

/// Text in front of a room is at least `--least` large (`app/src/shell/projector/fit.rs`), and as large as a sheet says elsewhere.
fn bounded(css: &str) -> String {
    const UNITS: [&str; 2] = ["px", "em"];
    const SIZES: [&str; 4] = ["font:", "font-size:", "--text:", "--total:"];
    let is_font = |before: &str| {
        let property = before.rsplit(['{', ';']).next().unwrap_or_default();
        SIZES.iter().any(|name| property.starts_with(name)) && !property.contains('(')
    };
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = UNITS.iter().filter_map(|unit| rest.find(unit)).min() {
        let (piece, after) = rest.split_at(at + 2);
        let before = piece.get(..at).unwrap_or_default().trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let size = piece.get(before.len()..).unwrap_or_default();
        out.push_str(before);
        // A unit alone is a part of a word.
        if size.len() > 2 && is_font(&out) && out.ends_with([':', ' ']) {
            out.extend(["max(", size, ",var(--least,0px))"]);
        } else {
            out.push_str(size);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_of_text_is_bounded_and_nothing_else() {
        assert_eq!(bounded("a{font-size:13px;margin:2px}"), "a{font-size:max(13px,var(--least,0px));margin:2px}");
        assert_eq!(bounded("a{font:600 12.5px/1.4 Mono}"), "a{font:600 max(12.5px,var(--least,0px))/1.4 Mono}");
        assert_eq!(bounded("code{font-size:.84em;gap:1em}"), "code{font-size:max(.84em,var(--least,0px));gap:1em}");
        let as_it_was = ".item{font:inherit}a{font-size:max(16px,calc(30*var(--px)));line-height:20px}@media (max-width:900px){b{color:red}}";
        assert_eq!(bounded(as_it_was), as_it_was);
    }
}
