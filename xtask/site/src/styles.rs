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
/// Where those of the figures lie. Together they are one sheet: it is downloaded with the first figure, and then there for all.
const WIDGETS: &str = "app/styles/widgets";
/// What that sheet is called, without its ending.
const SHEET: &str = "widgets";

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
    let out = process::scratch("styles")?;
    let sheet = out.join(format!("{SHEET}.css"));
    process::write(&sheet, widgets()?)?;
    let paths = names.iter().map(|name| folder.join(name)).chain([page.clone(), sheet]);
    let mut esbuild = esbuild()?;
    esbuild.args(paths).args(["--bundle", "--minify", "--entry-names=[name]", "--log-level=warning", "--color=false"]);
    // They are copied as they are.
    esbuild.arg("--external:fonts/*").arg(format!("--outdir={}", out.display())).arg("--allow-overwrite");
    let output = esbuild.stdin(Stdio::null()).output().could_not(|| "run esbuild".to_owned())?;
    let warnings = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if !output.status.success() {
        return Err(format!("esbuild refuses the style sheets:\n{warnings}").into());
    }
    let read = |path: &Path| process::read_text(&out.join(path.file_name().unwrap_or_default()));
    let names = names.into_iter().chain([format!("{SHEET}.css")]);
    let on_demand = names.map(|name| Ok((name.clone(), read(Path::new(&name))?))).collect::<Result<_>>()?;
    let styles = Styles { page: read(&page)?, on_demand, warnings };
    std::fs::remove_dir_all(&out).could_not(|| format!("remove {}", out.display()))?;
    Ok(styles)
}

/// A sheet that imports those of the figures, what several share first.
fn widgets() -> Result<String> {
    let folder = process::root().join(WIDGETS);
    let mut names = process::files_under(&folder)?;
    names.sort_by_key(|name| !name.starts_with("shared/"));
    Ok(names.iter().map(|name| format!("@import \"{}\";\n", folder.join(name).display())).collect())
}
