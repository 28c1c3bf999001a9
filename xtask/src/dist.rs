//! Makes the deployable site: `public/` with fonts named by their content, the app's modules, the rendered course, and a page for
//! every route, so that deep links work on plain static hosting.

use std::path::Path;

use ringside_core::catalogue::{self, Entry};
use ringside_core::query::Kind;
use serde_json::json;

use crate::content::{Rendered, Route};
use crate::failure::{Context, Result};
use crate::html::{self, Assets};
use crate::offline;
use crate::prerender;
use crate::process;
use crate::split::{self, Program};
use crate::worker::Worker;

/// What [`write`] notes for the commands that work on a built site. By it a folder is known to be one.
const MANIFEST: &str = "routes.json";

/// What is in it.
pub(crate) struct Manifest {
    /// The path under which the site is served, with slashes around it.
    pub(crate) public_url: String,
    /// The folder of the content, with a slash at its end.
    pub(crate) content: String,
    /// What [`html::page`] makes pages of.
    pub(crate) template: String,
    /// Every page.
    pub(crate) routes: Vec<Route>,
}

/// Fails if the site would take the place of something else.
pub(crate) fn check_out(out: &Path) -> Result<()> {
    let other =
        out.exists() && !out.join(MANIFEST).is_file() && out.read_dir().map_or(true, |mut all| all.next().is_some());
    if other {
        return Err(
            format!("{} is there and is no built site. Remove it, or choose another folder.", out.display()).into()
        );
    }
    Ok(())
}

/// Puts the site in the place of the one that is there.
pub(crate) fn publish(site: &Path, out: &Path) -> Result<()> {
    if out.exists() {
        std::fs::remove_dir_all(out).could_not(|| format!("remove {}", out.display()))?;
    }
    process::copy(site, out)
}

/// Writes the site into `folder`, which is emptied.
pub(crate) fn write(
    folder: &Path,
    public_url: &str,
    program: &Program,
    workers: &[(&Worker, Program)],
    content: &Rendered,
) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).could_not(|| format!("remove {}", folder.display()))?;
    }
    process::copy(&process::root().join("public"), folder)?;
    for (name, bytes) in program.files.iter().chain(workers.iter().flat_map(|(_, program)| &program.files)) {
        process::write(&folder.join(name), bytes)?;
    }
    let assets = Assets {
        script: program.script.clone(),
        imports: program.imports.clone(),
        wasm: program.wasm.clone(),
        content: content.folder(),
        workers: workers.iter().map(|(worker, program)| (worker.meta, program.script.clone())).collect(),
        style: with_new_names(&content.style, &fingerprint(folder, "fonts/")?),
    };
    for (name, bytes) in &content.files {
        process::write(&folder.join(&assets.content).join(name), bytes)?;
    }

    let index = process::read_text(&process::root().join("app/index.html"))?;
    let template = html::template(&index, public_url, &assets)?;
    for route in &content.routes {
        let page = html::page(&template, &route.title, &route.description, &prerender::of(&route.path, content));
        process::write(&folder.join(&route.path).join("index.html"), page)?;
    }
    let lost = html::page(&template, "Not found · Ringside", "There is no page at this address.", "");
    process::write(&folder.join("404.html"), lost)?;
    process::write(&folder.join(".nojekyll"), "")?;
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let from = process::root().join(name);
        if from.is_file() {
            process::write(&folder.join("licences").join(format!("{name}.txt")), process::read(&from)?)?;
        }
    }
    let routes: Vec<_> = content
        .routes
        .iter()
        .map(|r| json!({"path": r.path, "title": r.title, "description": r.description}))
        .collect();
    let manifest = json!({
        "public_url": public_url,
        "content": assets.content,
        "template": template,
        "routes": routes,
        "widgets": catalogue::ALL.iter().map(widget).collect::<Vec<_>>(),
    });
    process::write(&folder.join(MANIFEST), format!("{manifest:#}\n"))?;
    offline::write(folder, &[&assets.script, &assets.wasm, &html::digest(&assets.style), &assets.content])
}

/// A figure, as the browser tests want to know it: with the parameters that not just any text is a value of.
fn widget(entry: &Entry) -> serde_json::Value {
    let params: Vec<&str> =
        entry.specs().into_iter().filter(|p| !matches!(p.kind, Kind::Choice([]))).map(|p| p.name).collect();
    json!({"id": entry.id, "params": params})
}

/// Reads what [`write`] noted.
pub(crate) fn manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join(MANIFEST);
    if !path.is_file() {
        return Err(format!("there is no built site in {}; run `cargo xtask build` first.", folder.display()).into());
    }
    let value: serde_json::Value =
        serde_json::from_slice(&process::read(&path)?).could_not(|| format!("read {}", path.display()))?;
    let text = |value: &serde_json::Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let routes = value["routes"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Manifest {
        public_url: text(&value, "public_url"),
        content: text(&value, "content"),
        template: text(&value, "template"),
        routes: routes
            .iter()
            .map(|r| Route { path: text(r, "path"), title: text(r, "title"), description: text(r, "description") })
            .collect(),
    })
}

/// A style sheet that names each renamed file by its new name. Names are taken from the page's base: the site may be under a
/// sub-path.
fn with_new_names(css: &str, renamed: &[(String, String)]) -> String {
    renamed.iter().fold(css.to_owned(), |css, (old, new)| css.replace(&format!("url({old})"), &format!("url({new})")))
}

/// Renames every file in a sub-folder by its content: old and new path.
fn fingerprint(folder: &Path, sub: &str) -> Result<Vec<(String, String)>> {
    if !folder.join(sub).is_dir() {
        return Ok(Vec::new());
    }
    let mut renamed = Vec::new();
    for file in process::files_under(&folder.join(sub))? {
        let Some((stem, extension)) = file.rsplit_once('.') else { continue };
        let old = format!("{sub}{file}");
        let new = format!("{sub}{}", split::hashed(stem, extension, &process::read(&folder.join(&old))?));
        std::fs::rename(folder.join(&old), folder.join(&new)).could_not(|| format!("rename {old}"))?;
        renamed.push((old, new));
    }
    Ok(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_found_by_their_new_names() {
        let renamed = [("fonts/a.woff2".to_owned(), "fonts/a-1.woff2".to_owned())];
        assert_eq!(with_new_names("x{src:url(fonts/a.woff2)}", &renamed), "x{src:url(fonts/a-1.woff2)}");
        assert_eq!(with_new_names("url(fonts/b.woff2)", &renamed), "url(fonts/b.woff2)");
    }

    #[test]
    fn only_a_site_is_replaced() {
        let folder = process::scratch("publish").expect("a folder");
        let out = folder.join("out");
        assert!(check_out(&out).is_ok());
        process::write(&out.join("thesis.md"), "work").expect("written");
        assert!(check_out(&out).is_err());
        process::write(&out.join(MANIFEST), "{}").expect("written");
        assert!(check_out(&out).is_ok());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
