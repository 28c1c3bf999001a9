//! Which page an address names.

use crate::language::Lang;
use crate::schema::Page;

/// A page of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The reading map.
    Home,
    /// A chapter, by its slug, in a language.
    Chapter(String, Lang),
    /// A widget alone, by its id.
    Widget(String),
    /// A lab, by its slug.
    Lab(String),
    /// A mission, by its slug.
    Mission(String),
    /// One of those that are not of the course's text.
    Page(Page),
    /// None of them.
    Unknown,
}

impl Route {
    /// The page that a path, relative to the site's base, names. Slashes at its ends do not matter.
    pub fn of(path: &str) -> Self {
        let path = path.trim_matches('/');
        if let Some(page) = Page::at(path) {
            return Self::Page(page);
        }
        let (lang, rest) = Lang::of_path(path);
        if let Some(slug) = rest.strip_prefix("chapter/").filter(|slug| !slug.contains('/')) {
            return Self::Chapter(slug.to_owned(), lang);
        }
        match path.split_once('/') {
            None if path.is_empty() || path == "index.html" => Self::Home,
            Some((_, name)) if name.contains('/') => Self::Unknown,
            Some(("w", id)) => Self::Widget(id.to_owned()),
            Some(("lab", slug)) => Self::Lab(slug.to_owned()),
            Some(("mission", slug)) => Self::Mission(slug.to_owned()),
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lang, Page, Route};

    #[test]
    fn a_path_names_a_page() {
        for home in ["", "/", "index.html"] {
            assert_eq!(Route::of(home), Route::Home);
        }
        assert_eq!(Route::of("/chapter/memory-accounting/"), Route::Chapter("memory-accounting".into(), Lang::En));
        assert_eq!(Route::of("de/chapter/zero/"), Route::Chapter("zero".into(), Lang::De));
        assert_eq!(Route::of("w/amdahl"), Route::Widget("amdahl".into()));
        assert_eq!(Route::of("lab/zero/"), Route::Lab("zero".into()));
        for page in Page::ALL {
            assert_eq!(Route::of(page.path()), Route::Page(*page));
            assert_eq!(Route::of(&format!("/{}/", page.path())), Route::Page(*page));
        }
        for none in [
            "chapter",
            "chapter/a/b",
            "de/chapter/a/b",
            "de/w/amdahl",
            "en/chapter/a",
            "w/a/b/c",
            "licences/inter.txt",
            "Reference",
        ] {
            assert_eq!(Route::of(none), Route::Unknown, "{none}");
        }
    }

    /// Pages that show or change what is stored are framed by nobody else. A host's owner copies the list, in either form.
    #[test]
    fn the_hosting_guide_lists_every_page_with_stored_work() {
        let guide = include_str!("../../docs/hosting.md");
        let (_, listed) = guide.split_once("~^/(").expect("nginx");
        let (listed, _) = listed.split_once(')').expect("nginx");
        let listed: Vec<&str> = listed.split('|').collect();
        for page in listed.iter().chain(&["mission", "lab", "record", "lecture", "author"]) {
            assert!(
                guide.contains(&format!("\n/{page}/*\n  Content-Security-Policy: frame-ancestors 'self'\n")),
                "{page}"
            );
            assert!(listed.contains(page) && Route::of(page) != Route::Unknown, "{page}");
        }
        assert_eq!(guide.matches("Content-Security-Policy: frame-ancestors 'self'").count(), listed.len());
    }
}
