//! The name of a tab that a learning platform's package opened.
//!
//! The package's launcher names it `ringside-lms|<origin>|<path>`. So the page knows whom it reports to and as what; a tab that went on
//! to another page reports nothing of that one.

/// What the name begins with.
const NAME: &str = "ringside-lms";

/// The origin of the launcher and the path of the page that it opened, if a launcher gave this name.
pub fn named(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(NAME)?.strip_prefix('|')?.split_once('|')
}

/// Whether two paths lead to one page: which quiz it is stands in the query.
pub fn same(one: &str, other: &str) -> bool {
    one.trim_matches('/') == other.trim_matches('/')
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn a_page_is_told_from_others_by_its_whole_path() {
        assert!(same("chapter/memory-accounting/", "/chapter/memory-accounting"));
        assert!(same("quiz/?e=a/b&seed=7", "quiz/?e=a/b&seed=7"));
        for other in ["quiz/?e=a/b&seed=8", "quiz/?e=a/c&seed=7", "quiz/", "chapter/a/"] {
            assert!(!same("quiz/?e=a/b&seed=7", other), "{other}");
        }
    }
}
