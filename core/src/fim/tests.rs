use super::bpe::{self, Spaces};
use super::context::{Budget, Pick, choose, similarity};
use super::cut::{Cut, draw, lines, spans};
use super::figure::{DOCUMENT, Params, View};
use super::format::{Format, Hole, Order};
use super::numpy::RandomState;
use super::packed::{self, Rates};
use super::pieces::{Kind, slice, text};
use crate::declare::Model as _;
use crate::mix::Stream;
use crate::query::Query;

#[test]
fn random_numbers_are_numpys() {
    // numpy.random.RandomState(0).random_sample(2), RandomState(42).randint(0, 100, 5).
    let mut stream = RandomState::new(0);
    assert_eq!([stream.double(), stream.double()], [0.548_813_503_927_324_7, 0.715_189_366_372_419_5]);
    let mut stream = RandomState::new(42);
    assert_eq!([0; 5].map(|_| stream.below(100)), [51, 92, 14, 71, 60]);
    assert_eq!(RandomState::new(1).below(1), 0);
}

#[test]
fn every_cut_and_format_keeps_every_character() {
    for cut in [Cut::Characters, Cut::Lines, Cut::Spans] {
        for seed in 0..40 {
            let [from, to] = draw(DOCUMENT, cut, &mut Stream::new(seed));
            let (prefix, middle, suffix) =
                (slice(DOCUMENT, 0, from), slice(DOCUMENT, from, to), slice(DOCUMENT, to, usize::MAX));
            assert_eq!(format!("{prefix}{middle}{suffix}"), DOCUMENT);
            for format in Format::ALL {
                for order in Order::ALL {
                    let hole = Hole {
                        repo: "r",
                        path: "p",
                        files: &[],
                        prefix: &prefix,
                        suffix: &suffix,
                        middle: Some(&middle),
                    };
                    let pieces = format.arrange(order, &hole);
                    let of =
                        |kind| pieces.iter().filter(|p| p.kind == kind).map(|p| p.text.as_str()).collect::<String>();
                    assert_eq!(of(Kind::Prefix).trim_start_matches(' '), prefix.trim_start_matches(' '));
                    assert_eq!([of(Kind::Middle), of(Kind::Suffix)], [middle.clone(), suffix.clone()]);
                    assert!(text(&pieces).ends_with(format.end()));
                }
            }
        }
    }
}

#[test]
fn lines_and_spans_are_whole() {
    let starts = lines(DOCUMENT);
    assert!(starts.iter().all(|at| *at == 0 || slice(DOCUMENT, at - 1, *at) == "\n"));
    let all: Vec<String> = spans("def f(a, b):\n    x = [1]\n    return x\n")
        .iter()
        .map(|[a, b]| slice("def f(a, b):\n    x = [1]\n    return x\n", *a, *b))
        .collect();
    for whole in ["a, b", "def f(a, b):", "x = [1]", "1", "return x", "x = [1]\n    return x"] {
        assert!(all.iter().any(|span| span == whole), "{whole}: {all:?}");
    }
    assert!(spans("").is_empty() && spans("((").len() == 1);
}

#[test]
fn tokens_are_the_text_and_learn_indentation() {
    for spaces in Spaces::ALL {
        let bpe = bpe::of(spaces);
        assert_eq!(bpe.encode(DOCUMENT).concat(), DOCUMENT);
        assert_eq!(bpe.encode("größer ∑\t→ 12").concat(), "größer ∑\t→ 12");
    }
    let [runs, single] = Spaces::ALL.map(|spaces| bpe::of(spaces).count(DOCUMENT));
    assert!(runs < single, "{runs} {single}");
    assert!(bpe::of(Spaces::Runs).encode("    return x").contains(&" return".to_owned()));
}

#[test]
fn healing_offers_the_token_that_was_cut() {
    let bpe = bpe::of(Spaces::Runs);
    assert_eq!(bpe.encode("    return"), ["   ", " return"]);
    let healed = bpe.heal("    retu");
    assert!(healed.allowed.iter().any(|token| token.starts_with(&healed.dropped)));
    assert_eq!(bpe.heal("").allowed.len(), 0);
    let one = bpe.heal("x = self.");
    assert!(!one.dropped.is_empty());
}

#[test]
fn a_packed_sample_keeps_its_length() {
    for seed in 0..200 {
        let sample = packed::tokens("abc<|endoftext|>def ghi<|endoftext|>jk<file_sep>lmn");
        let rates = Rates { fim: 0.7, spm: 0.5, fragment: (seed % 2 == 0).then_some(0.5) };
        let all = packed::sample(&sample, rates, &mut RandomState::new(seed));
        assert_eq!(all.len(), sample.len());
    }
}

#[test]
fn an_editor_keeps_what_is_nearest_to_the_caret() {
    let bpe = bpe::of(Spaces::Runs);
    let budget = Budget { tokens: 40, files: 0.0, suffix: 0.25 };
    let chosen = choose(DOCUMENT, DOCUMENT, Pick::Recent, budget, bpe);
    assert!(DOCUMENT.ends_with(&chosen.prefix) && DOCUMENT.starts_with(&chosen.suffix));
    assert!(bpe.count(&chosen.prefix) + bpe.count(&chosen.suffix) <= 40 && chosen.files.is_empty());
    let wide = Budget { tokens: 400, files: 0.3, suffix: 0.3 };
    let first = |pick| choose(DOCUMENT, "", pick, wide, bpe).files.last().map(|f| f.0.clone());
    assert_eq!(first(Pick::Recent), Some("shop/cart.py".to_owned()));
    assert_eq!(first(Pick::None), None);
    assert!(similarity("a b c", "b c d") == 0.5 && similarity("", "") == 0.0);
}

#[test]
fn the_figure_is_whole_in_every_view() {
    for view in View::ALL {
        for format in Format::ALL {
            let query = Query::new([("view", view.id()), ("format", format.id()), ("seed", "3")]);
            let (params, problems) = Params::read(&query);
            assert_eq!(problems, []);
            let shown = params.evaluate().expect("sound");
            assert!(params.finding(&shown).ends_with('.') && !shown.pieces.is_empty());
        }
    }
}

#[test]
fn a_document_of_ones_own_is_kept_and_remarked_on() {
    let (params, problems) =
        Params::read(&Query::new([("doc", "one line"), ("cut", "own"), ("from", "3"), ("to", "900")]));
    assert!(problems.len() == 1 && problems[0].message.contains("two lines"));
    let shown = params.evaluate().expect("sound");
    assert_eq!((shown.document.as_str(), shown.hole), ("one line\n", [3, 9]));
}

/// The prompt for a hole in a repository. StarCoder2: Lozhkov et al. 2024, arXiv 2402.19173, section 5.1, the path inside the prefix;
/// Qwen2.5-Coder: QwenLM/Qwen3-Coder, issue 343, the path before it.
#[test]
fn a_repositorys_prompt_is_that_of_the_paper() {
    let files = [("a.py".to_owned(), "x = 1\n".to_owned())];
    let hole = Hole { repo: "r", path: "b.py", files: &files, prefix: "from a", suffix: " x\n", middle: None };
    let prompt = |format: Format, order| text(&format.arrange(order, &hole));
    assert_eq!(
        prompt(Format::StarCoder2, Order::Psm),
        "<repo_name>r<file_sep>a.py\nx = 1\n<file_sep><fim_prefix>b.py\nfrom a<fim_suffix> x\n<fim_middle>"
    );
    assert_eq!(
        prompt(Format::StarCoder2, Order::Spm),
        "<repo_name>r<file_sep>a.py\nx = 1\n<file_sep><fim_prefix><fim_suffix> x\n<fim_middle>b.py\nfrom a"
    );
    assert_eq!(
        prompt(Format::QwenCoder, Order::Psm),
        "<|repo_name|>r\n<|file_sep|>a.py\nx = 1\n<|file_sep|>b.py\n<|fim_prefix|>from a<|fim_suffix|> x\n<|fim_middle|>"
    );
    let kinds = |format: Format| {
        let pieces = format.arrange(Order::Psm, &hole);
        pieces.iter().filter(|p| p.kind == Kind::Path).map(|p| p.text.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(Format::StarCoder2), ["r", "a.py", "b.py"]);
}
