//! What an editor puts into a prompt: text before and after the caret, and other files, within a budget of tokens.

use super::bpe::Bpe;
use super::pieces::slice;
use crate::options;

/// By what other files are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// None are taken.
    None,
    /// What was looked at last comes first.
    #[default]
    Recent,
    /// What shares most names with the text before the caret comes first.
    Similar,
}

options!(Pick {
    None: "none", "none";
    Recent: "recent", "most recent";
    Similar: "similar", "most similar";
});

/// A file of the learner's small repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    /// Its path.
    pub path: &'static str,
    /// Minutes since it was looked at.
    pub minutes: u32,
    /// Its text.
    pub text: &'static str,
}

/// The repository that the document belongs to.
pub const REPOSITORY: &str = "shop";
/// The document's path.
pub const PATH: &str = "shop/report.py";

/// The files beside it.
pub const FILES: [Open; 4] = [
    Open {
        path: "shop/cart.py",
        minutes: 2,
        text: "class Cart:\n    def __init__(self, items=()):\n        self.items = list(items)\n\n    def total(self):\n        return sum(item.price * item.quantity for item in self.items)\n",
    },
    Open {
        path: "README.md",
        minutes: 4,
        text: "# shop\n\nA small shop. Run the tests with pytest.\nOpen an issue before you send a change.\n",
    },
    Open {
        path: "shop/tax.py",
        minutes: 35,
        text: "RATES = {\"book\": 0.07, \"other\": 0.19}\n\n\ndef tax(item):\n    return item.price * RATES.get(item.kind, RATES[\"other\"])\n",
    },
    Open {
        path: "tests/test_report.py",
        minutes: 50,
        text: "from shop.report import report\n\n\ndef test_report():\n    text = report(cart)\n    assert \"total\" in text\n    assert text.count(\"\\n\") == len(cart.items) + 1\n",
    },
];

/// Names in a text: words of letters, digits and underscores that do not begin with a digit, each once.
fn names(text: &str) -> Vec<&str> {
    let mut all: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().next().is_some_and(|c| !c.is_numeric()))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The part of the names of both texts that are in both (Jaccard).
pub fn similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (names(a), names(b));
    let both = a.iter().filter(|name| b.contains(name)).count();
    let all = a.len() + b.len() - both;
    both as f64 / all.max(1) as f64
}

/// How the budget is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Tokens of the prompt, sentinels and paths left out.
    pub tokens: usize,
    /// The part of it that other files may take.
    pub files: f64,
    /// The part of the rest that the suffix may take.
    pub suffix: f64,
}

/// What fits.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// Other files, the least important first, so that the most important stand nearest to the caret.
    pub files: Vec<(String, String)>,
    /// Text before the hole, its beginning cut off.
    pub prefix: String,
    /// Text after it, its end cut off.
    pub suffix: String,
    /// Characters of prefix and suffix that were cut off.
    pub cut: [usize; 2],
}

/// Fills the budget: whole files in their order while they fit their part, then the suffix up to its part, then the prefix with all
/// that is left.
pub fn choose(prefix: &str, suffix: &str, pick: Pick, budget: Budget, bpe: &Bpe) -> Chosen {
    let mut order: Vec<&Open> = FILES.iter().collect();
    match pick {
        Pick::None => order.clear(),
        Pick::Recent => order.sort_by_key(|file| file.minutes),
        Pick::Similar => {
            let near: String = slice(prefix, prefix.chars().count().saturating_sub(400), usize::MAX);
            order.sort_by(|a, b| similarity(b.text, &near).total_cmp(&similarity(a.text, &near)));
        }
    }
    let mut left = budget.tokens;
    let mut room = (budget.tokens as f64 * budget.files) as usize;
    let mut files = Vec::new();
    for file in order {
        let size = bpe.count(file.text);
        if size <= room {
            room -= size;
            left -= size;
            files.push((file.path.to_owned(), file.text.to_owned()));
        }
    }
    files.reverse();
    let suffix_room = (left as f64 * budget.suffix) as usize;
    let tokens = bpe.encode(suffix);
    let kept_suffix: String = tokens.iter().take(suffix_room).map(String::as_str).collect();
    left -= tokens.len().min(suffix_room);
    let tokens = bpe.encode(prefix);
    let kept_prefix: String = tokens.iter().skip(tokens.len().saturating_sub(left)).map(String::as_str).collect();
    let gone = |whole: &str, kept: &str| whole.chars().count() - kept.chars().count();
    Chosen {
        files,
        cut: [gone(prefix, &kept_prefix), gone(suffix, &kept_suffix)],
        prefix: kept_prefix,
        suffix: kept_suffix,
    }
}
