//! What a page shows before the app has started: the frame, the contents of the course in it, and the page's text where it
//! has one. The app takes it over: `app/src/shell/prerendered.rs`.

use ringside_content::language::Lang;

use crate::content::Rendered;

/// It, for the page of a route.
pub(crate) fn of(route: &str, content: &Rendered) -> String {
    let built = |name: &str| {
        let html = content.files.get(name).map(|bytes| String::from_utf8_lossy(bytes));
        html.map(|html| format!("<div data-built=\"{name}\">\n{html}</div>")).unwrap_or_default()
    };
    let (lang, path) = Lang::of_path(route.trim_end_matches('/'));
    let text = match path.split_once('/') {
        None if route.is_empty() => built("home.html"),
        Some(("chapter", slug)) => built(&lang.rendered(slug)),
        Some(("mission", slug)) => built(&format!("missions/{slug}.html")),
        Some(("lab", slug)) => built(&format!("labs/{slug}.html")),
        _ => String::new(),
    };
    format!(
        "<header class=\"top\"></header>\n<div class=\"frame\">\n\
         <nav class=\"contents sans\" aria-label=\"Contents\">{}</nav>\n<main>{text}</main>\n</div>",
        built("contents.html")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_and_chapters_can_be_read_before_the_app_has_started() {
        let mut content = Rendered::default();
        for name in ["contents.html", "home.html", "chapters/zero.html", "chapters/zero.de.html"] {
            content.files.insert(name.to_owned(), format!("<p>{name}</p>").into_bytes());
        }
        let main = |route: &str| {
            let page = of(route, &content);
            assert!(page.contains("<div data-built=\"contents.html\">\n<p>contents.html</p></div></nav>"), "{page}");
            let (_, main) = page.split_once("<main>").expect("a main part");
            main.split_once("</main>").expect("its end").0.to_owned()
        };
        assert_eq!(main(""), "<div data-built=\"home.html\">\n<p>home.html</p></div>");
        assert_eq!(main("chapter/zero/"), "<div data-built=\"chapters/zero.html\">\n<p>chapters/zero.html</p></div>");
        let german = "<div data-built=\"chapters/zero.de.html\">\n<p>chapters/zero.de.html</p></div>";
        assert_eq!(main("de/chapter/zero/"), german);
        assert_eq!(main("chapter/none/"), "");
        assert_eq!(main("settings/"), "");
    }
}
