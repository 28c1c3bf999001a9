//! The site's pages: `app/index.html` with what the build knows in the places that it has for it.

use base64::Engine as _;
use sha2::{Digest, Sha256};

use crate::failure::Result;

/// Text as it may stand in an attribute or an element.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The files that a page loads, as paths from the site's root.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    /// The app's module.
    pub(crate) script: String,
    /// What the app's module imports.
    pub(crate) imports: Vec<String>,
    /// The app's WebAssembly.
    pub(crate) wasm: String,
    /// What every page needs of style: it is written into the page, which is painted as soon as it is there.
    pub(crate) style: String,
    /// The folder of the rendered content, with a slash at its end.
    pub(crate) content: String,
    /// The scripts that start workers, each with the `<meta>` that names it.
    pub(crate) workers: Vec<(&'static str, String)>,
}

/// Fills what all pages have in common into `index`: the policy, the styles, and a start script, which asks for all of the app at
/// once when the page has been read. Nothing is asked for before: of a page that is seen first, that would be painted later.
pub(crate) fn template(index: &str, public_url: &str, assets: &Assets) -> Result<String> {
    let url = |path: &str| format!("{public_url}{path}");
    let imports: String = assets.imports.iter().map(|path| format!("import(\"{}\");", url(path))).collect();
    let start = format!(
        "const w=fetch(\"{}\");{imports}import(\"{}\").then(m=>m.default({{module_or_path:w}}))",
        url(&assets.wasm),
        url(&assets.script)
    );
    let metas = std::iter::once(("ringside-content", &assets.content))
        .chain(assets.workers.iter().map(|(meta, script)| (*meta, script)))
        .map(|(name, content)| format!("<meta name=\"{name}\" content=\"{content}\">"))
        .collect::<String>();
    let page = filled(index, &[("base", public_url), ("metas", &metas), ("style", &assets.style), ("start", &start)])?;
    let policy = policy(&page);
    filled(&page, &[("policy", &policy)])
}

/// The page of one route: the template with its title, its description and what it shows before the app has started.
pub(crate) fn page(template: &str, title: &str, description: &str, prerendered: &str) -> String {
    let fill =
        [("title", escape(title)), ("description", escape(description)), ("prerendered", prerendered.to_owned())];
    fill.iter().fold(template.to_owned(), |page, (name, value)| page.replacen(&place(name), value, 1))
}

fn place(name: &str) -> String {
    format!("{{{{{name}}}}}")
}

/// Text with each value in its place.
fn filled(text: &str, values: &[(&str, &str)]) -> Result<String> {
    values.iter().try_fold(text.to_owned(), |text, (name, value)| {
        let place = place(name);
        if text.contains(&place) {
            Ok(text.replacen(&place, value, 1))
        } else {
            Err(format!("app/index.html has no place for {place}.").into())
        }
    })
}

/// What the policy of a page says of an inline script or style that it allows.
pub(crate) fn digest(body: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(body)))
}

/// The Content-Security-Policy: everything from this origin, and of inline scripts and styles only those that are in the page.
fn policy(page: &str) -> String {
    let inline = |open: &str, close: &str| -> String {
        let bodies = page.split(open).skip(1).filter_map(|rest| rest.split_once(close));
        bodies.map(|(body, _)| format!(" '{}'", digest(body))).collect()
    };
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{}{}; style-src 'self'{}; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'",
        inline("<script>", "</script>"),
        inline("<script type=\"module\">", "</script>"),
        inline("<style>", "</style>")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"<!doctype html><meta http-equiv="Content-Security-Policy" content="{{policy}}"><base href="{{base}}">{{metas}}
<title>{{title}}</title><meta name="description" content="{{description}}"><script>let a = "<b>";</script>
<style>{{style}}</style><script type="module">{{start}}</script><div id="prerendered">{{prerendered}}</div>"#;

    fn assets() -> Assets {
        Assets {
            script: "app-9.js".into(),
            imports: vec!["lazy-9.js".into()],
            wasm: "app-9.wasm".into(),
            style: "p>b{margin:0}".into(),
            content: "content/9/".into(),
            workers: vec![("ringside-gpu", "gpu-9.js".into())],
        }
    }

    #[test]
    fn a_page_asks_for_what_it_needs() {
        let html = template(INDEX, "/sub/", &assets()).expect("every place is there");
        for wanted in [
            r#"<base href="/sub/">"#,
            r#"<meta name="ringside-content" content="content/9/">"#,
            r#"<meta name="ringside-gpu" content="gpu-9.js">"#,
            "<style>p>b{margin:0}</style>",
            r#"const w=fetch("/sub/app-9.wasm");import("/sub/lazy-9.js");import("/sub/app-9.js").then(m=>m.default({module_or_path:w}))"#,
        ] {
            assert!(html.contains(wanted), "{wanted} in\n{html}");
        }
        let failure = template(&INDEX.replace("{{style}}", ""), "/", &assets()).expect_err("a place is missing");
        assert!(failure.message.contains("{{style}}"), "{failure}");
    }

    #[test]
    fn the_policy_names_every_inline_script_and_style() {
        let html = template(INDEX, "/", &assets()).expect("every place is there");
        for inline in ["let a = \"<b>\";", "p>b{margin:0}"] {
            assert!(html.contains(&digest(inline)), "{inline} in\n{html}");
        }
        let (_, start) = html.split_once("<script type=\"module\">").expect("a start script");
        let (start, _) = start.split_once("</script>").expect("its end");
        assert!(html.contains(&digest(start)), "{html}");
        assert!(!html.contains("unsafe-inline"));
    }

    #[test]
    fn a_route_has_its_title_its_description_and_its_text() {
        let html = page(INDEX, "A & B", "Say \"c\".", "<p>{{title}}</p>");
        assert!(html.contains("<title>A &amp; B</title>"), "{html}");
        assert!(html.contains("content=\"Say &quot;c&quot;.\""), "{html}");
        assert!(html.contains("<div id=\"prerendered\"><p>{{title}}</p></div>"), "{html}");
    }
}
