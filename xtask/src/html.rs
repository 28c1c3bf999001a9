//! Turns the page that Trunk wrote into the site's pages.

use base64::Engine as _;
use sha2::{Digest, Sha256};

/// A piece of a page. What is written back is what was read, but for what was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Anything between tags, comments left out.
    Text(String),
    /// A tag, and the text up to the closing one for `script`, `style` and `title`.
    Tag {
        /// In lower case; with a leading `/` if it closes.
        name: String,
        /// Names in lower case, and values without quotes and with entities as they were.
        attributes: Vec<(String, Option<String>)>,
        /// What is in it; `None` for tags whose content is parsed.
        body: Option<String>,
    },
}

impl Piece {
    /// A tag without content.
    pub(crate) fn tag(name: &str, attributes: &[(&str, &str)]) -> Self {
        let attributes = attributes.iter().map(|(n, v)| ((*n).to_owned(), Some(escape(v)))).collect();
        Self::Tag { name: name.to_owned(), attributes, body: None }
    }

    /// Whether it is a tag of this name.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        matches!(self, Self::Tag { name, .. } if name == wanted)
    }

    /// The value of an attribute.
    pub(crate) fn attribute(&self, wanted: &str) -> Option<&str> {
        let Self::Tag { attributes, .. } = self else { return None };
        attributes.iter().find(|(n, _)| n == wanted).map(|(_, v)| v.as_deref().unwrap_or(""))
    }

    /// Sets an attribute that is there.
    fn set(&mut self, wanted: &str, value: &str) {
        if let Self::Tag { attributes, .. } = self {
            for (_, old) in attributes.iter_mut().filter(|(n, _)| n == wanted) {
                *old = Some(escape(value));
            }
        }
    }

    /// What is in a `script`, `style` or `title`.
    pub(crate) fn body(&self) -> Option<&str> {
        if let Self::Tag { body, .. } = self { body.as_deref() } else { None }
    }

    fn is_link(&self, rel: &str) -> bool {
        self.is("link") && self.attribute("rel").is_some_and(|r| r.eq_ignore_ascii_case(rel))
    }
}

/// Reads a page.
pub(crate) fn parse(html: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = html;
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let tag =
            rest.starts_with('<') && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!');
        if !tag {
            let end = rest[1..].find('<').map_or(rest.len(), |i| i + 1);
            match pieces.last_mut() {
                Some(Piece::Text(text)) => text.push_str(&rest[..end]),
                _ => pieces.push(Piece::Text(rest[..end].to_owned())),
            }
            rest = &rest[end..];
            continue;
        }
        let (name, attributes, after) = parse_tag(&rest[1..]);
        rest = after;
        let mut body = None;
        if matches!(name.as_str(), "script" | "style" | "title") {
            let close = format!("</{name}");
            let end = rest.to_ascii_lowercase().find(&close).unwrap_or(rest.len());
            body = Some(rest[..end].to_owned());
            rest = rest[end..].split_once('>').map_or("", |(_, after)| after);
        }
        pieces.push(Piece::Tag { name, attributes, body });
    }
    pieces
}

/// An attribute's name, and its value if it has one.
type Attribute = (String, Option<String>);

fn parse_tag(text: &str) -> (String, Vec<Attribute>, &str) {
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(text.len());
    let name = text[..end].trim_end_matches('/').to_ascii_lowercase();
    let name = if name.is_empty() { "/".to_owned() } else { name };
    let mut rest = &text[end..];
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
        if rest.is_empty() {
            return (name, attributes, rest);
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (name, attributes, after);
        }
        let end =
            rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '>' | '/')).unwrap_or(rest.len()).max(1);
        let end = (end..=rest.len()).find(|i| rest.is_char_boundary(*i)).unwrap_or(rest.len());
        let key = rest[..end].to_ascii_lowercase();
        rest = &rest[end..];
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            attributes.push((key, None));
            continue;
        };
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote {
            Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            None => value.split_at(value.find(|c: char| c.is_ascii_whitespace() || c == '>').unwrap_or(value.len())),
        };
        attributes.push((key, Some(value.replace('"', "&quot;"))));
        rest = after;
    }
}

/// Writes a page.
pub(crate) fn write(pieces: &[Piece]) -> String {
    let mut html = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => html.push_str(text),
            Piece::Tag { name, attributes, body } => {
                html.push('<');
                html.push_str(name);
                for (key, value) in attributes {
                    html.push(' ');
                    html.push_str(key);
                    if let Some(value) = value {
                        html.push_str("=\"");
                        html.push_str(value);
                        html.push('"');
                    }
                }
                html.push('>');
                if let Some(body) = body {
                    html.push_str(body);
                    html.push_str("</");
                    html.push_str(name);
                    html.push('>');
                }
            }
        }
    }
    html
}

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
    /// All style sheets in one: it is written into the page, which is painted as soon as it is there.
    pub(crate) style: String,
    /// The folder of the rendered content, with a slash at its end.
    pub(crate) content: String,
    /// The scripts that start workers, each with the `<meta>` that names it.
    pub(crate) workers: Vec<(&'static str, String)>,
    /// Files that were given another name: old, new.
    pub(crate) renamed: Vec<(String, String)>,
}

/// Makes the site's page from the one that Trunk wrote: the policy first, its styles in it, and a start script of our own, which
/// asks for all of the app at once when the page has been read. Nothing is asked for before: of a page that is seen first,
/// that would be painted later.
pub(crate) fn template(trunk: &str, public_url: &str, assets: &Assets) -> String {
    let url = |path: &str| format!("{public_url}{path}");
    let mut head = vec![Piece::tag("meta", &[("name", "ringside-content"), ("content", &assets.content)])];
    for (meta, script) in &assets.workers {
        head.push(Piece::tag("meta", &[("name", meta), ("content", script)]));
    }
    let (mut before, mut rest) = (Vec::new(), Vec::new());
    let mut in_head = false;
    for mut piece in parse(trunk) {
        if let Piece::Text(text) = &mut piece {
            *text = squeeze(text);
        }
        let ours = piece.is_link("modulepreload")
            || piece.is_link("stylesheet")
            || piece.is_link("preload") && piece.attribute("as") == Some("fetch")
            || piece.is("base")
            || piece.is("meta") && piece.attribute("charset").is_some()
            || piece.is("script") && piece.body().is_some_and(|b| b.contains("TrunkApplicationStarted"));
        if ours {
            continue;
        }
        for key in ["href", "src"] {
            let value = piece.attribute(key).map(str::to_owned);
            if let Some((value, (old, new))) =
                value.and_then(|v| assets.renamed.iter().find(|(old, _)| v.ends_with(old.as_str())).map(|r| (v, r)))
            {
                let stem = value.strip_suffix(old.as_str()).unwrap_or("");
                piece.set(key, &format!("{stem}{new}"));
            }
        }
        let opens_head = piece.is("head");
        if piece.is("/head") {
            let imports: String = assets.imports.iter().map(|path| format!("import(\"{}\");", url(path))).collect();
            let start = format!(
                "const w=fetch(\"{}\");{imports}import(\"{}\").then(m=>m.default({{module_or_path:w}}))",
                url(&assets.wasm),
                url(&assets.script)
            );
            rest.push(Piece::Tag {
                name: "script".to_owned(),
                attributes: vec![("type".to_owned(), Some("module".to_owned()))],
                body: Some(start),
            });
        }
        let pieces = if in_head { &mut rest } else { &mut before };
        match (pieces.last(), &piece) {
            // Where something was left out, its line break goes too.
            (Some(Piece::Text(last)), Piece::Text(text)) if last.ends_with('\n') && text == "\n" => {}
            _ => pieces.push(piece),
        }
        in_head |= opens_head;
    }
    head.push(Piece::Tag { name: "style".to_owned(), attributes: Vec::new(), body: Some(assets.style.clone()) });
    let policy = policy(head.iter().chain(&rest));
    before.push(Piece::tag("meta", &[("charset", "utf-8")]));
    before.push(Piece::tag("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]));
    before.push(Piece::tag("base", &[("href", public_url)]));
    before.extend(head);
    before.extend(rest);
    write(&before)
}

/// Runs of white space become one line break or one space.
fn squeeze(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_whitespace()) {
        let end = rest[start..].find(|c: char| !c.is_ascii_whitespace()).map_or(rest.len(), |i| start + i);
        out.push_str(&rest[..start]);
        out.push_str(if rest[start..end].contains('\n') { "\n" } else { " " });
        rest = &rest[end..];
    }
    out + rest
}

/// What the policy of a page says of an inline script or style that it allows.
pub(crate) fn digest(body: &str) -> String {
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(Sha256::digest(body)))
}

/// The Content-Security-Policy: everything from this origin, and of inline scripts and styles only those that are in the page.
fn policy<'a>(pieces: impl Iterator<Item = &'a Piece> + Clone) -> String {
    let hash = |body| format!(" '{}'", digest(body));
    let inline = |tag: &str| -> String {
        pieces.clone().filter(|p| p.is(tag) && p.attribute("src").is_none()).filter_map(Piece::body).map(hash).collect()
    };
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{}; style-src 'self'{}; img-src 'self' data: blob:; \
         font-src 'self'; connect-src 'self'; worker-src 'self'; object-src 'none'; base-uri 'self'; form-action 'none'",
        inline("script"),
        inline("style")
    )
}

/// Where a page has room for what it shows before the app has started.
const FIRST_SIGHT: &str = "<div id=\"first-sight\"></div>";

/// The page of one route: the template with its title, its description and what it shows before the app has started.
pub(crate) fn page(template: &str, title: &str, description: &str, first_sight: &str) -> String {
    let mut pieces = parse(template);
    for piece in &mut pieces {
        if let Piece::Tag { name, body, .. } = piece
            && name == "title"
        {
            *body = Some(escape(title));
        }
        if piece.is("meta") && piece.attribute("name") == Some("description") {
            piece.set("content", description);
        }
    }
    let html = write(&pieces);
    if first_sight.is_empty() {
        return html;
    }
    html.replacen(FIRST_SIGHT, &format!("<div id=\"first-sight\">\n{first_sight}\n</div>"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRUNK: &str = r#"<!doctype html>
<html lang="en"><head>
<meta charset="utf-8">
<!-- a note -->
<title>Ringside</title>
<meta name="description" content="A lab">
<script>let a = "<b>";</script>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="preload" as="font" href="fonts/a.woff2" crossorigin>
<link rel="stylesheet" href="/sub/a-12.css" integrity="sha384-x"/>
<link rel="stylesheet" href="/sub/b-34.css"/>

<script type="module" nonce="x">
import init, * as bindings from '/sub/app-1.js';
dispatchEvent(new CustomEvent("TrunkApplicationStarted", {detail: {wasm}}));
</script><link rel="modulepreload" href="/sub/app-1.js"><link rel="preload" href="/sub/app-1_bg.wasm" as="fetch"></head>
<body data-x='a"b'><p hidden>1 < 2 &amp; 3</p><div id="first-sight"></div></body></html>
"#;

    fn assets() -> Assets {
        Assets {
            script: "app-9.js".into(),
            imports: vec!["lazy-9.js".into()],
            wasm: "app-9.wasm".into(),
            style: "p>b{margin:0}".into(),
            content: "content/9/".into(),
            workers: vec![("ringside-gpu", "gpu-9.js".into())],
            renamed: vec![("fonts/a.woff2".into(), "fonts/a-9.woff2".into())],
        }
    }

    #[test]
    fn the_page_asks_for_what_it_needs_and_for_nothing_of_trunks() {
        let html = template(TRUNK, "/sub/", &assets());
        assert!(html.starts_with("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"Content-Security-Policy\""), "{html}");
        for wanted in [
            r#"<base href="/sub/">"#,
            r#"<meta name="ringside-content" content="content/9/">"#,
            r#"<meta name="ringside-gpu" content="gpu-9.js">"#,
            "<style>p>b{margin:0}</style>",
            r#"<link rel="preload" as="font" href="fonts/a-9.woff2" crossorigin>"#,
            r#"<script>let a = "<b>";</script>"#,
            r#"const w=fetch("/sub/app-9.wasm");import("/sub/lazy-9.js");import("/sub/app-9.js").then(m=>m.default({module_or_path:w}))"#,
            r#"<body data-x="a&quot;b"><p hidden>1 < 2 &amp; 3</p>"#,
        ] {
            assert!(html.contains(wanted), "{wanted} in\n{html}");
        }
        for gone in ["Trunk", "app-1", "a-12", "a note", "integrity", "\n\n"] {
            assert!(!html.contains(gone), "{gone} in\n{html}");
        }
        assert_eq!(html.matches("charset").count(), 1);
    }

    #[test]
    fn the_policy_names_each_inline_script_and_style_and_no_other() {
        let html = template(TRUNK, "/sub/", &assets());
        let pieces = parse(&html);
        let policy = pieces
            .iter()
            .find(|p| p.attribute("http-equiv").is_some())
            .and_then(|p| p.attribute("content"))
            .expect("there");
        assert_eq!(policy.matches("sha256-").count(), 3);
        // `printf 'let a = "<b>";' | openssl dgst -sha256 -binary | base64`
        assert!(policy.contains("'sha256-Yec60kKRbfUEVY+af2er7srYeGCy7INO1VppjnXhVdM='"), "{policy}");
        // `printf 'p>b{margin:0}' | openssl dgst -sha256 -binary | base64`
        assert!(policy.contains("style-src 'self' 'sha256-MOXPbWVA21cQRK19SvL8PusAdzpy008HBwPDKZkEFCI=';"), "{policy}");
        assert!(!policy.contains("unsafe-inline"));
    }

    #[test]
    fn each_page_has_its_own_title_and_description() {
        let html = page(&template(TRUNK, "/", &assets()), "A < B", "Say \"hello\" & more", "<p>text</p>");
        assert!(html.contains("<title>A &lt; B</title>"));
        assert!(html.contains(r#"<meta name="description" content="Say &quot;hello&quot; &amp; more">"#));
        assert!(html.contains("<div id=\"first-sight\">\n<p>text</p>\n</div></body>"), "{html}");
        assert_eq!(page(&html, "A < B", "Say \"hello\" & more", "other"), html, "twice is once");
    }

    #[test]
    fn odd_pages_are_read_to_their_end() {
        for odd in
            ["", "<", "a < b", "<p", "<p a", "<p a=", "<p a=\"x", "<script>x", "<!-- x", "</", "<a =b>", "<p é=ü>"]
        {
            let _ = write(&parse(odd));
        }
    }
}
