//! Makes the deployable site: `public/` with fonts named by their content, the app's modules, the rendered course, and a page for
//! every route, so that deep links work on plain static hosting.

use std::path::Path;

use ringside_content::schema::Page;
use ringside_core::catalogue::{self, Entry};
use ringside_core::query::Kind;
use serde_json::json;

use xtask::MANIFEST;
use xtask::failure::{Context, Result};
use xtask::process;

use crate::content::Rendered;
use crate::hash;
use crate::html::{self, Assets, Start};
use crate::offline;
use crate::prerender;
use crate::program::Program;

/// What a site is made of besides `public/` and the course.
pub(crate) struct Programs {
    /// The app, and what every page names of it; none where Trunk has put it in place.
    pub(crate) app: Option<Program>,
    /// The script that starts each worker, with the `<meta>` that names it, and its files.
    pub(crate) workers: Vec<(&'static str, Program)>,
    /// What `app/index.html` has become so far.
    pub(crate) index: String,
    /// Whether pages have a Content-Security-Policy.
    pub(crate) policed: bool,
}

/// Writes the site into `folder`, beside what is there.
pub(crate) fn write(folder: &Path, public_url: &str, programs: Programs, content: &Rendered) -> Result<()> {
    process::copy(&process::root().join("public"), folder)?;
    let workers = programs.workers.iter().map(|(_, program)| program);
    for (name, bytes) in programs.app.iter().chain(workers).flat_map(|program| &program.files) {
        process::write(&folder.join(name), bytes)?;
    }
    let start = |app: Program| Start { script: app.script, imports: app.imports, wasm: app.wasm };
    let assets = Assets {
        app: programs.app.map(start),
        content: content.folder(),
        workers: programs.workers.into_iter().map(|(meta, program)| (meta, program.script)).collect(),
        style: with_new_names(&content.style, &fingerprint(folder, "fonts/")?),
    };
    for (name, bytes) in &content.files {
        process::write(&folder.join(&assets.content).join(name), bytes)?;
    }

    let template = html::template(&programs.index, public_url, &assets, programs.policed)?;
    for route in &content.routes {
        let languages = html::alternates(public_url, &route.languages);
        let text = prerender::of(&route.path, content);
        let page = html::page(&template, &route.title, &route.description, &languages, &text);
        process::write(&folder.join(&route.path).join("index.html"), page)?;
    }
    let lost = html::page(&template, "Not found · Ringside", "There is no page at this address.", "", "");
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
    let widgets = catalogue::ALL.iter().map(widget).collect::<Vec<_>>();
    let manifest = json!({"public_url": public_url, "routes": routes, "widgets": widgets});
    process::write(&folder.join(MANIFEST), format!("{manifest:#}\n"))?;
    let start = assets.app.unwrap_or_default();
    offline::write(folder, &[&start.script, &start.wasm, &html::digest(&assets.style), &assets.content])?;
    // They are of no version, so that the offline worker doesn't keep them: without a network the page for lost addresses leads on.
    for (typed, page) in Page::TYPED {
        let address = format!("{public_url}{}/", page.path());
        process::write(&folder.join(typed).join("index.html"), html::leading_on(page.title(), &address))?;
    }
    Ok(())
}

/// A figure, as the browser tests want to know it: with the parameters that not just any text is a value of.
fn widget(entry: &Entry) -> serde_json::Value {
    let params: Vec<&str> =
        entry.specs().into_iter().filter(|p| !matches!(p.kind, Kind::Choice([]))).map(|p| p.name).collect();
    json!({"id": entry.id, "params": params})
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
        let new = format!("{sub}{}", hash::named(stem, extension, &process::read(&folder.join(&old))?));
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
}
