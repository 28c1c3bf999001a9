//! The site's pages: `app/index.html` with what the build knows in the places that it has for it.

use base64::Engine as _;
use ringside_content::language::Lang;
use sha2::{Digest, Sha256};

use xtask::failure::Result;

/// A page at an address that people type, which leads on to the page that it means. It needs no script.
pub(crate) fn leading_on(title: &str, address: &str) -> String {
    let (title, address) = (escape(title), escape(address));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title} · Ringside</title>\n<meta name=\"robots\" content=\"noindex\">\n\
         <link rel=\"canonical\" href=\"{address}\">\n<meta http-equiv=\"refresh\" content=\"0; url={address}\">\n\
         <p>This page is at <a href=\"{address}\">{title}</a>.</p>\n"
    )
}

/// Text as it may stand in an attribute or an element.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What every page names, as paths from the site's root.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    /// What starts the app; none where Trunk has written it into the page.
    pub(crate) app: Option<Start>,
    /// What every page needs of style: it is written into the page, which is painted as soon as it is there.
    pub(crate) style: String,
    /// The folder of the rendered content, with a slash at its end.
    pub(crate) content: String,
    /// The scripts that start workers, each with the `<meta>` that names it.
    pub(crate) workers: Vec<(&'static str, String)>,
}

/// What starts the app.
#[derive(Debug, Default)]
pub(crate) struct Start {
    /// Its module.
    pub(crate) script: String,
    /// What its module imports.
    pub(crate) imports: Vec<String>,
    /// Its WebAssembly.
    pub(crate) wasm: String,
}

impl Start {
    /// A script that asks for all of the app at once when the page has been read. Nothing is asked for before: a page that is
    /// seen first would be painted later.
    fn script(&self, public_url: &str) -> String {
        let url = |path: &str| format!("{public_url}{path}");
        let imports: String = self.imports.iter().map(|path| format!("import(\"{}\");", url(path))).collect();
        format!(
            "<script type=\"module\">const w=fetch(\"{}\");{imports}import(\"{}\").then(m=>m.default({{module_or_path:w}}))</script>",
            url(&self.wasm),
            url(&self.script)
        )
    }
}

/// What `app/index.html` says to Trunk, which is for us to do where Trunk has not: the line that names the address of the site,
/// and those that name programs.
const BASE: &str = "<base data-trunk-public-url>";
const LINK: &str = "<link data-trunk ";

/// Fills what all pages have in common into `index`: the styles, what starts the app, and, unless the site is served by something
/// that adds scripts of its own, the policy.
pub(crate) fn template(index: &str, public_url: &str, assets: &Assets, policed: bool) -> Result<String> {
    let start = assets.app.as_ref().map(|app| app.script(public_url)).unwrap_or_default();
    let base = format!("<base href=\"{public_url}\">");
    let unpoliced = |line: &str| !policed && line.contains(&place("policy"));
    let lines = index.lines().filter(|line| !line.starts_with(LINK) && !unpoliced(line));
    let index = lines.map(|line| line.replace(BASE, &base) + "\n").collect::<String>();
    let metas = std::iter::once(("ringside-content", &assets.content))
        .chain(assets.workers.iter().map(|(meta, script)| (*meta, script)))
        .map(|(name, content)| format!("<meta name=\"{name}\" content=\"{content}\">"))
        .collect::<String>();
    let page = filled(&index, &[("metas", &metas), ("style", &assets.style), ("start", &start)])?;
    if !policed {
        return Ok(page);
    }
    let policy = policy(&page);
    filled(&page, &[("policy", &policy)])
}

/// The page of one route: the template with its title, its description, where it is in other languages, and what it shows before the app has
/// started.
pub(crate) fn page(template: &str, title: &str, description: &str, languages: &str, prerendered: &str) -> String {
    let fill = [
        ("title", escape(title)),
        ("description", escape(description)),
        ("languages", languages.to_owned()),
        ("prerendered", prerendered.to_owned()),
    ];
    fill.iter().fold(template.to_owned(), |page, (name, value)| page.replacen(&place(name), value, 1))
}

/// The links of a page's head to the same page in every language, as paths from the site's base; English is for all who read none of them.
pub(crate) fn alternates(public_url: &str, languages: &[(Lang, String)]) -> String {
    let link = |code: &str, path: &str| {
        format!("<link rel=\"alternate\" hreflang=\"{code}\" href=\"{public_url}{}\">\n", escape(path))
    };
    let others = languages.iter().filter(|(lang, _)| *lang == Lang::En).map(|(_, path)| link("x-default", path));
    languages.iter().map(|(lang, path)| link(lang.code(), path)).chain(others).collect()
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
    let inline = |element: &str| -> String {
        let (open, close) = (format!("<{element}"), format!("</{element}>"));
        let bodies = page.split(&open).skip(1).filter_map(|rest| rest.split_once('>')?.1.split_once(&close));
        bodies.filter(|(body, _)| !body.is_empty()).map(|(body, _)| format!(" '{}'", digest(body))).collect()
    };
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{}; style-src 'self'{}; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'",
        inline("script"),
        inline("style")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"<!doctype html>
<meta http-equiv="Content-Security-Policy" content="{{policy}}">
<base data-trunk-public-url>
{{metas}}
<title>{{title}}</title>{{languages}}<meta name="description" content="{{description}}"><script>let a = "<b>";</script>
<style>{{style}}</style>{{start}}
<link data-trunk rel="rust" data-bin="app">
<div id="prerendered">{{prerendered}}</div>"#;

    fn assets() -> Assets {
        Assets {
            app: Some(Start {
                script: "app-9.js".into(),
                imports: vec!["lazy-9.js".into()],
                wasm: "app-9.wasm".into(),
            }),
            style: "p>b{margin:0}".into(),
            content: "content/9/".into(),
            workers: vec![("ringside-gpu", "gpu-9.js".into())],
        }
    }

    #[test]
    fn a_typed_address_leads_to_a_page_that_there_is() {
        use ringside_content::route::Route;
        use ringside_content::schema::Page;
        for (typed, page) in Page::TYPED {
            assert_eq!(Route::of(typed), Route::Unknown, "{typed} is a page's own address");
            let html = leading_on(page.title(), &format!("/sub/{}/", page.path()));
            assert!(html.contains(&format!("content=\"0; url=/sub/{}/\"", page.path())), "{html}");
            assert!(!html.contains("<script"), "{html}");
        }
    }

    #[test]
    fn a_page_asks_for_what_it_needs() {
        let html = template(INDEX, "/sub/", &assets(), true).expect("every place is there");
        for wanted in [
            r#"<base href="/sub/">"#,
            r#"<meta name="ringside-content" content="content/9/">"#,
            r#"<meta name="ringside-gpu" content="gpu-9.js">"#,
            "<style>p>b{margin:0}</style>",
            r#"const w=fetch("/sub/app-9.wasm");import("/sub/lazy-9.js");import("/sub/app-9.js").then(m=>m.default({module_or_path:w}))"#,
        ] {
            assert!(html.contains(wanted), "{wanted} in\n{html}");
        }
        assert!(!html.contains("data-trunk"), "{html}");
        let failure = template(&INDEX.replace("{{style}}", ""), "/", &assets(), true).expect_err("a place is missing");
        assert!(failure.message.contains("{{style}}"), "{failure}");
    }

    #[test]
    fn a_page_of_trunk_has_its_own_start_and_no_policy() {
        let of_trunk = INDEX.replace("<base data-trunk-public-url>", "<base href=\"/\">");
        let html = template(&of_trunk, "/", &Assets { app: None, ..assets() }, false).expect("every place is there");
        assert!(!html.contains("Content-Security-Policy") && !html.contains("app-9"), "{html}");
    }

    #[test]
    fn the_policy_names_every_inline_script_and_style() {
        let html = template(INDEX, "/", &assets(), true).expect("every place is there");
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
        let languages = [(Lang::En, "chapter/a/".to_owned()), (Lang::De, "de/chapter/a/".to_owned())];
        let html = page(INDEX, "A & B", "Say \"c\".", &alternates("/sub/", &languages), "<p>{{title}}</p>");
        for link in [
            "hreflang=\"en\" href=\"/sub/chapter/a/\"",
            "hreflang=\"de\" href=\"/sub/de/chapter/a/\"",
            "hreflang=\"x-default\" href=\"/sub/chapter/a/\"",
        ] {
            assert_eq!(html.matches(&format!("<link rel=\"alternate\" {link}>")).count(), 1, "{link} in\n{html}");
        }
        assert!(html.contains("<title>A &amp; B</title>"), "{html}");
        assert!(html.contains("content=\"Say &quot;c&quot;.\""), "{html}");
        assert!(html.contains("<div id=\"prerendered\"><p>{{title}}</p></div>"), "{html}");
    }
}
