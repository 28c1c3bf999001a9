//! Makes the deployable site of what Trunk gathered: styles in its pages, fonts and modules named by their content, the
//! rendered course, and a page for every route, so that deep links work on plain static hosting.

use std::path::Path;

use serde_json::json;

use crate::content::{Rendered, Route};
use crate::css;
use crate::failure::{Context, Result};
use crate::first_sight;
use crate::html::{self, Assets, Piece};
use crate::offline;
use crate::process;
use crate::split::{self, Program};
use crate::worker::Worker;

/// What `dist/routes.json` says, for the commands that work on a built site.
pub(crate) struct Manifest {
    /// The path under which the site is served, with slashes around it.
    pub(crate) public_url: String,
    /// The folder of the content, with a slash at its end.
    pub(crate) content: String,
    /// Every page.
    pub(crate) routes: Vec<Route>,
}

/// Finishes the site in `folder`, where Trunk left its page and its assets.
pub(crate) fn finish(
    folder: &Path,
    public_url: &str,
    program: &Program,
    workers: &[(&Worker, Program)],
    content: &Rendered,
) -> Result<()> {
    let index = folder.join("index.html");
    let trunk = process::read_text(&index)?;
    for (name, bytes) in program.files.iter().chain(workers.iter().flat_map(|(_, program)| &program.files)) {
        process::write(&folder.join(name), bytes)?;
    }
    let mut assets = Assets {
        script: program.script.clone(),
        imports: program.imports.clone(),
        wasm: program.wasm.clone(),
        content: content.folder(),
        workers: workers.iter().map(|(worker, program)| (worker.meta, program.script.clone())).collect(),
        renamed: fingerprint(folder, "fonts/")?,
        ..Assets::default()
    };
    assets.style = style(folder, &trunk, public_url, &assets.renamed)?;
    for (name, bytes) in &content.files {
        process::write(&folder.join(&assets.content).join(name), bytes)?;
    }

    let template = html::template(&trunk, public_url, &assets);
    for route in &content.routes {
        let page = html::page(&template, &route.title, &route.description, &first_sight::of(&route.path, content));
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
    let manifest = json!({"public_url": public_url, "content": assets.content, "routes": routes});
    process::write(&folder.join("routes.json"), format!("{manifest:#}\n"))?;
    offline::write(folder, &[&assets.script, &assets.wasm, &html::digest(&assets.style), &assets.content])
}

/// Reads what [`finish`] noted.
pub(crate) fn manifest(folder: &Path) -> Result<Manifest> {
    let path = folder.join("routes.json");
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
        routes: routes
            .iter()
            .map(|r| Route { path: text(r, "path"), title: text(r, "title"), description: text(r, "description") })
            .collect(),
    })
}

/// Takes all of the page's style sheets out of the folder; returns them in order, as one.
fn style(folder: &Path, page: &str, public_url: &str, renamed: &[(String, String)]) -> Result<String> {
    let mut all = String::new();
    for link in html::parse(page).iter().filter(|p| p.is("link") && p.attribute("rel") == Some("stylesheet")) {
        let href = link.attribute("href").unwrap_or_default();
        let name = href.strip_prefix(public_url).unwrap_or(href);
        let path = folder.join(name);
        all.push_str(&css::minify(&process::read_text(&path)?).map_err(|e| format!("{name}: {e}."))?);
        std::fs::remove_file(&path).could_not(|| format!("remove {}", path.display()))?;
    }
    Ok(with_new_names(&all, renamed))
}

/// A style sheet that names each renamed file by its new name, without a leading slash: the site may be under a
/// sub-path, and names are taken from the page's base.
fn with_new_names(css: &str, renamed: &[(String, String)]) -> String {
    let mut css = css.to_owned();
    for (old, new) in renamed {
        for before in ["../../public/", "../public/", "../", "./", "/", ""] {
            for (open, close) in [("(\"", "\")"), ("('", "')"), ("(", ")")] {
                css = css.replace(&format!("{open}{before}{old}{close}"), &format!("{open}{new}{close}"));
            }
        }
    }
    css
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

/// Removes what Trunk made of a program that [`split::program`] makes anew: its glue and its module.
pub(crate) fn remove_trunks(folder: &Path, name: &str) -> Result<()> {
    for file in process::files_under(folder)? {
        let ours = file.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', '_', '.']));
        if ours && !file.contains('/') && (file.ends_with(".js") || file.ends_with(".wasm")) {
            std::fs::remove_file(folder.join(&file)).could_not(|| format!("remove {file}"))?;
        }
    }
    let snippets = folder.join("snippets");
    if snippets.is_dir() {
        std::fs::remove_dir_all(&snippets).could_not(|| format!("remove {}", snippets.display()))?;
    }
    Ok(())
}

/// The program that a page of Trunk's links: the name of the binary.
pub(crate) fn program(index: &str) -> Option<String> {
    let pieces = html::parse(index);
    let mut rust = pieces.iter().filter(|p| p.attribute("data-trunk").is_some() && p.attribute("rel") == Some("rust"));
    rust.find_map(|p: &Piece| p.attribute("data-bin").map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_found_by_their_new_names_from_any_sub_path() {
        let renamed = [("fonts/a.woff2".to_owned(), "fonts/a-1.woff2".to_owned())];
        for before in ["url(/fonts/a.woff2)", "url(\"fonts/a.woff2\")", "url('../fonts/a.woff2')"] {
            let after = with_new_names(before, &renamed);
            assert!(after.contains("fonts/a-1.woff2") && !after.contains("/fonts/a-1"), "{after}");
        }
        assert_eq!(with_new_names("url(fonts/b.woff2)", &renamed), "url(fonts/b.woff2)");
    }

    #[test]
    fn the_program_of_a_page_is_its_rust_link() {
        let index = "<link data-trunk rel=\"css\" href=\"a.css\"><link data-trunk rel=\"rust\" data-bin=\"app\">";
        assert_eq!(program(index).as_deref(), Some("app"));
        assert_eq!(program("<link rel=\"rust\" data-bin=\"app\">"), None);
    }
}
