//! Whatever is in a file, nothing panics and nothing but the renderer's own tags reaches a page.

use proptest::prelude::*;
use ringside_content::{Mode, Tree, build_tree};

use crate::{CHAPTER, EXERCISES, golden};

/// The golden course with the texts of some files replaced.
fn with(replaced: &[(&str, &str)]) -> Tree {
    Tree::from_files(golden().into_iter().map(|(path, text)| {
        let new = replaced.iter().find(|(p, _)| *p == path).map(|(_, text)| (*text).to_owned());
        (path, new.unwrap_or(text))
    }))
}

/// Where a link may lead: the site's own pages, and the web.
const SAFE: [&str; 22] = [
    "https://",
    "http://",
    "./",
    "chapter/",
    "w/",
    "reference/",
    "practice/",
    "placement/",
    "syllabus/",
    "teach/",
    "record/",
    "author/",
    "check/",
    "lecture/",
    "presenter/",
    "cards/",
    "quiz/",
    "lab/",
    "export/",
    "mission/",
    "run/",
    "settings/",
];

const ELEMENTS: &[&str] = &[
    "a",
    "article",
    "aside",
    "blockquote",
    "br",
    "caption",
    "code",
    "data",
    "del",
    "details",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "small",
    "span",
    "strong",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];
const ATTRIBUTES: &[&str] = &[
    "aria-label",
    "class",
    "data-after",
    "data-chapter",
    "data-query",
    "data-see",
    "data-slot-done",
    "data-slot-exercise",
    "data-slot-go-on",
    "data-slot-sources",
    "data-slot-widget",
    "data-source",
    "data-term",
    "data-title",
    "hidden",
    "href",
    "id",
    "inert",
    "rel",
    "role",
    "scope",
    "start",
    "tabindex",
    "title",
    "value",
];
/// What the map, the contents, the list of sources and the labs have besides.
const FORM_ELEMENTS: &[&str] = &[
    "b", "button", "dd", "dl", "dt", "form", "header", "i", "input", "label", "option", "progress", "select",
    "textarea",
];
const FORM_ATTRIBUTES: &[&str] = &[
    "aria-controls",
    "aria-expanded",
    "aria-hidden",
    "aria-labelledby",
    "aria-pressed",
    "autocomplete",
    "checked",
    "data-all",
    "data-ask",
    "data-chapters",
    "data-copy",
    "data-done",
    "data-course",
    "data-guess",
    "data-guesses",
    "data-island",
    "data-kind",
    "data-lab",
    "data-layers",
    "data-lecture",
    "data-minutes",
    "data-must",
    "data-n",
    "data-notebook",
    "data-of",
    "data-of-priority",
    "data-priority",
    "data-progress",
    "data-recommended",
    "data-says",
    "data-seconds",
    "data-sections",
    "data-skim",
    "data-seen-of",
    "data-save",
    "data-sources",
    "data-sources-of",
    "data-tally",
    "data-tick",
    "data-weeks",
    "data-written",
    "disabled",
    "for",
    "inputmode",
    "max",
    "maxlength",
    "name",
    "placeholder",
    "rows",
    "spellcheck",
    "type",
];

/// What the figure of the first screen has besides.
const FIGURE_ELEMENTS: &[&str] = &["figcaption", "figure", "g", "line", "output", "rect", "svg", "text", "tspan"];
const FIGURE_ATTRIBUTES: &[&str] = &[
    "aria-live",
    "data-drawing",
    "data-quantity",
    "data-headline",
    "data-value",
    "data-widget",
    "dx",
    "dy",
    "height",
    "text-anchor",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// What the chart of a figure has, which stands still in a chapter.
const CHART_ELEMENTS: &[&str] = &["circle", "g", "line", "path", "polygon", "polyline", "rect", "svg", "text", "tspan"];
const CHART_ATTRIBUTES: &[&str] = &[
    "cx",
    "cy",
    "d",
    "fill",
    "fill-opacity",
    "focusable",
    "font-family",
    "font-size",
    "font-weight",
    "height",
    "opacity",
    "paint-order",
    "points",
    "r",
    "role",
    "rx",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "transform",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "xmlns",
    "y",
    "y1",
    "y2",
];

/// Checks every tag of `html`: known element, known attributes, quoted values, harmless addresses, balanced. Only with `forms`
/// may there be anything to fill in.
fn inspect(html: &str, forms: bool) {
    let known = |name: &str, [always, charts]: [&[&str]; 2], in_forms: [&[&str]; 2]| {
        always.contains(&name) || charts.contains(&name) || forms && in_forms.iter().any(|list| list.contains(&name))
    };
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        assert!(!rest[..at].contains('>'), "a bare > in {html}");
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap_or_else(|| panic!("an open tag in {html}"));
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "in {html}");
            continue;
        }
        let closed = tag.ends_with('/');
        let tag = tag.trim_end_matches('/').trim_end();
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let math = name.starts_with('m') || open.contains(&"math");
        assert!(
            math || known(name, [ELEMENTS, CHART_ELEMENTS], [FORM_ELEMENTS, FIGURE_ELEMENTS]),
            "<{name}> in {html}"
        );
        while !attributes.is_empty() {
            let (name, value) = match attributes.split_once("=\"") {
                Some((name, after)) if !name.contains(' ') => {
                    let (value, after) = after.split_once('"').expect("a closing quote");
                    attributes = after.trim_start();
                    (name, value)
                }
                _ => {
                    let (name, after) = attributes.split_once(' ').unwrap_or((attributes, ""));
                    attributes = after;
                    (name, "")
                }
            };
            assert!(
                math || known(name, [ATTRIBUTES, CHART_ATTRIBUTES], [FORM_ATTRIBUTES, FIGURE_ATTRIBUTES]),
                "{name}= in {html}"
            );
            assert!(!name.starts_with("on") && name != "style" && !value.contains('<'), "{name}= in {html}");
            if name == "href" {
                assert!(SAFE.iter().any(|s| value.starts_with(s)), "href={value} in {html}");
            }
        }
        if !closed && !["br", "hr", "input"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty() && !rest.contains('>'), "{open:?} are open in {html}");
}

fn render(replaced: &[(&str, &str)]) {
    for mode in [Mode::Strict, Mode::Lenient] {
        let site = build_tree(&with(replaced), mode);
        for (path, bytes) in &site.files {
            let text = std::str::from_utf8(bytes).expect("UTF-8");
            if path.ends_with(".html") {
                inspect(text, !path.starts_with("chapters/"));
                continue;
            }
            // What a lab printed once, as it was.
            if path.ends_with(".txt") {
                continue;
            }
            let json: serde_json::Value = serde_json::from_str(text).expect("JSON");
            strings(&json, &mut |key, text| {
                if ["lede", "definition", "insight", "say", "prompt", "hints", "solution", "reveal"].contains(&key) {
                    inspect(text, false);
                }
            });
        }
    }
}

fn strings(json: &serde_json::Value, visit: &mut impl FnMut(&str, &str)) {
    fn walk(key: &str, json: &serde_json::Value, visit: &mut impl FnMut(&str, &str)) {
        match json {
            serde_json::Value::String(text) => visit(key, text),
            serde_json::Value::Array(items) => items.iter().for_each(|i| walk(key, i, visit)),
            serde_json::Value::Object(fields) => fields.iter().for_each(|(k, v)| walk(k, v, visit)),
            _ => {}
        }
    }
    walk("", json, visit);
}

/// Pieces that mean something to one of the parsers.
const PIECES: &[&str] = &[
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<b",
    "-->",
    "<!--",
    "<![CDATA[",
    "&lt;",
    "&#60;",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](data:text/html,<script>)",
    "[x](https://a\"onclick=b)",
    "<javascript:alert(1)>",
    "[x]: javascript:a\n\n[x]",
    "![x](y)",
    "[x](see:?n=\"><script>)",
    "[x](term:\"><b>)",
    "[x](source:optional)",
    "[x](chapter:everything#\"x)",
    "[x](widget:amdahl?n=<b>)",
    "[[x](#law)](#law)",
    "\n```widget amdahl #\"><b> after=\"x\nn = \"<b>\"\n```\n",
    "\n```exercise \"><script>\n```\n",
    "\n```exercises\n```\n",
    "\n```sources\n```\n",
    "\n```\"><script>\n<b>\n```\n",
    "\n```python\n'''<b>\n",
    "\n~~~\n",
    "`=amdahl speedup ? n=<b> as \"`",
    "`=",
    "`<b>`",
    "$<b>$",
    "$$\\text{<script>}$$",
    "$\\frac{1}{2}$",
    "$\\href{javascript:x}{y}$",
    "$",
    "$$",
    "\\$",
    "\n# h {#\"><b>}\n",
    "\n## <b>\n",
    "\n### x {#law}\n",
    "\n### x {#law .aside}\n",
    "\n## y {.aside .\"><b>}\n",
    "\n> [!NOTE] <b> *x\n> y\n",
    "\n> [!ASIDE]\n",
    "\n> [!ASIDE] a `b` $c$\n",
    "\n> [!\"><b>] x\n",
    "> ",
    "\n> [!NOTE]\n\n",
    "\n- [!NOTE]\n",
    "\n> > [!TIP] x\n> y\n",
    "\n| a | b |\n|--:|---|\n| <b> | `|` |\n",
    "[^a]",
    "\n[^a]: <b> [^b]\n\n",
    "\n[^\"><b>]: x\n\n",
    "[^\"><b>]",
    "*",
    "**",
    "_",
    "~~",
    "\\",
    "\n",
    "\n\n",
    "    ",
    "\t",
    "- ",
    "1. ",
    "+++\n",
    "---\n",
    "\0",
    "\u{f0000}",
    "{",
    "}",
    "{n}",
    "{n|<b>}",
    "\u{202e}",
    "é",
    "\r\n",
    "\"",
    "'",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![6 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => any::<String>(), 1 => "[a-z ]{1,8}"];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_chapter(text in soup()) {
        render(&[(CHAPTER, &text)]);
    }

    #[test]
    fn any_chapter_after_its_front_matter(text in soup()) {
        let text = format!("+++\ntitle = \"Everything at once\"\nlede = \"x\"\n+++\n```widget amdahl #main\n```\n{text}");
        render(&[(CHAPTER, &text)]);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        render(&[(CHAPTER, &text), (EXERCISES, &text), ("plan.toml", &text), ("course.toml", &text)]);
    }

    #[test]
    fn any_text_in_a_field(text in soup()) {
        let quoted = serde_json::to_string(&text).expect("a string");
        // JSON's strings are TOML's, except for the one control character that JSON does not escape.
        let quoted = quoted.replace('\u{7f}', "\\u007f");
        let exercise = format!(
            "[[exercise]]\nid = \"predict-64\"\nkind = \"number\"\nskill = \"everything.bound\"\nprompt = {quoted}\nanswer = \"1\"\nunit = \"ratio\"\nhints = [{quoted}]\nsolution = [{quoted}]\n[[exercise.mistake]]\nanswer = \"2\"\nsay = {quoted}\n"
        );
        let term = format!("[[term]]\nid = \"speed-up\"\nterm = {quoted}\ndefinition = {quoted}\n");
        let front = format!("+++\ntitle = {quoted}\nlede = {quoted}\n+++\n");
        render(&[(EXERCISES, &exercise), ("glossary.toml", &term), (CHAPTER, &front)]);
    }
}
