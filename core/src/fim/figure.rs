//! The state of the figure, and what it shows.

use super::bpe::{self, Bpe, Healing, Spaces};
use super::context::{self, Budget, Chosen, Pick};
use super::cut::{Cut, draw};
use super::format::{Format, Hole, Order};
use super::numpy::RandomState;
use super::packed::{self, Rates};
use super::pieces::{Kind, Piece, slice, text};
use crate::declare::{
    self, Applies, Field, Measure, Model, Origin, Origins, Param, Slot, Text, applies, choice, headline, measure,
    origin, real, when, whole,
};
use crate::mix::{Stream, mix};
use crate::options;
use crate::quantity::Unit;

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// A document as it is trained on.
    #[default]
    Train,
    /// Several documents in a packed sample.
    Packed,
    /// The prompt of an editor.
    Editor,
    /// What the tokenizer does at the cut.
    Tokens,
}

options!(View {
    Train: "train", "training";
    Packed: "packed", "packed";
    Editor: "editor", "editor";
    Tokens: "tokens", "tokens";
});

/// Most characters of a document.
pub const MOST: usize = 4000;

/// The document that the figure begins with.
pub const DOCUMENT: &str = "from shop.cart import Cart\n\n\ndef report(cart):\n    lines = []\n    for item in cart.items:\n        lines.append(f\"{item.name}: {item.price:.2f}\")\n    total = cart.total()\n    lines.append(f\"total: {total:.2f}\")\n    return \"\\n\".join(lines)\n";

/// A document as it was written; an empty text for [`DOCUMENT`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document(pub String);

impl Document {
    /// The text, which ends with a line break.
    pub fn text(&self) -> String {
        if self.0.is_empty() { DOCUMENT.to_owned() } else { format!("{}\n", self.0) }
    }
}

impl Text for Document {
    fn read(&mut self, text: &str) -> Result<(), String> {
        let text = text.trim();
        let length = text.chars().count();
        self.0 = text.chars().take(MOST).collect::<String>().trim_end().to_owned();
        if length > MOST {
            return Err(format!("doc has {length} characters; the first {MOST} are used."));
        }
        if !text.is_empty() && !text.contains('\n') {
            return Err(
                "doc must have at least two lines, or there is nothing before the hole or nothing after it.".to_owned()
            );
        }
        Ok(())
    }

    fn write(&self) -> String {
        self.0.clone()
    }
}

impl Field for Document {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

/// The state of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// What is drawn.
    pub view: View,
    /// Whose sentinels.
    pub format: Format,
    /// What comes first.
    pub order: Order,
    /// At what the document is cut.
    pub cut: Cut,
    /// What is drawn at random.
    pub seed: u32,
    /// Where one's own hole begins and ends, in characters.
    pub from: u64,
    /// Its end.
    pub to: u64,
    /// The document.
    pub document: Document,
    /// The part of documents that is rearranged.
    pub rate: f64,
    /// The part of these with the suffix first.
    pub spm: f64,
    /// Tokens of a prompt.
    pub budget: u64,
    /// The part of it for other files.
    pub files: f64,
    /// The part of the rest for the suffix.
    pub suffix: f64,
    /// By what other files are chosen.
    pub pick: Pick,
    /// What becomes of indentation.
    pub spaces: Spaces,
    /// Pieces that are shown.
    pub step: u64,
}

/// Most pieces.
pub const STEPS: u64 = 40;

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The document.
    pub document: String,
    /// Where the hole begins and ends, in characters.
    pub hole: [usize; 2],
    /// The sequence.
    pub pieces: Vec<Piece>,
    /// What an editor chose.
    pub chosen: Chosen,
    /// The end of the prefix, healed.
    pub healing: Healing,
    /// Tokens: of the whole document, and of its three parts each by itself.
    pub tokens: [usize; 2],
    /// Ends of the hole that lie inside a token of the whole document.
    pub split: usize,
}

/// Headings of controls that stand under the drawing.
pub const CONTEXT: &str = "The editor’s context";
/// The same of training.
pub const TRAINING: &str = "Training";
/// The same of the tokenizer.
pub const TOKENIZER: &str = "Tokenizer";

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "fill-in-the-middle";
    const TITLE: &'static str = "Fill in the middle";
    const SUMMARY: &'static str = "A document cut in three and rearranged with each model’s own sentinels; a packed sample of a training set; the prompt \
                                   that an editor builds within a budget; and what the tokenizer does at the cut.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is drawn", View::LIST, "train").label("Show").main().at(|p| p.view.slot()),
        choice("format", "the model whose sentinels are used", Format::LIST, "starcoder2")
            .label("Sentinel format")
            .main()
            .at(|p| p.format.slot()),
        choice("order", "what comes first", Order::LIST, "psm").label("Order").main().at(|p| p.order.slot()),
        choice("cut", "at what the document is cut", Cut::LIST, "characters")
            .label("Cut position")
            .main()
            .at(|p| p.cut.slot()),
        whole("seed", "what is drawn at random", [1, 9999], "7").label("Seed").more(TRAINING).at(|p| p.seed.slot()),
        real("rate", "the part of a packed sample’s documents that is rearranged: the FIM rate", [0.0, 1.0], "0.5")
            .label("FIM rate")
            .steps(0.1)
            .more(TRAINING)
            .quiet()
            .at(|p| p.rate.slot()),
        real("spm", "the part of these with the suffix first", [0.0, 1.0], "0.5")
            .label("Suffix-first share")
            .steps(0.1)
            .more(TRAINING)
            .quiet()
            .at(|p| p.spm.slot()),
        whole("budget", "tokens of a prompt", [8, 1024], "256")
            .label("Prompt tokens")
            .doubling(10)
            .more(CONTEXT)
            .quiet()
            .at(|p| p.budget.slot()),
        real("files", "the part of the budget for other files", [0.0, 0.9], "0.5")
            .label("Prompt share for other files")
            .steps(0.1)
            .more(CONTEXT)
            .quiet()
            .at(|p| p.files.slot()),
        real("suffix", "the part of the rest for the suffix", [0.0, 0.9], "0.3")
            .label("Suffix share of the remaining prompt")
            .steps(0.1)
            .more(CONTEXT)
            .quiet()
            .at(|p| p.suffix.slot()),
        choice("pick", "by what other files are chosen", Pick::LIST, "recent")
            .label("Other files")
            .more(CONTEXT)
            .quiet()
            .at(|p| p.pick.slot()),
        choice("spaces", "what becomes of runs of blanks", Spaces::LIST, "runs")
            .label("Runs of blanks")
            .more(TOKENIZER)
            .quiet()
            .at(|p| p.spaces.slot()),
        whole("from", "where one’s own hole begins, in characters", [0, MOST as u64], "162")
            .drawn()
            .quiet()
            .at(|p| p.from.slot()),
        whole("to", "where it ends", [0, MOST as u64], "169").drawn().quiet().at(|p| p.to.slot()),
        whole("step", "pieces that are shown", [0, STEPS], "40").drawn().quiet().at(|p| p.step.slot()),
        declare::text("doc", "the document; none for that of the figure", "").quiet().at(|p| p.document.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["rate", "spm"], |p| p.view == View::Packed),
        applies(&["format", "order"], |p| !matches!(p.view, View::Packed | View::Tokens)),
        applies(&["cut"], |p| p.view != View::Packed),
    ];
    const ORIGIN: Origin = Origin::Of("Bavarian et al. 2022 (FIM), arXiv:2207.14255, §3");
    const ORIGINS: &'static [Origins] = &[
        origin(super::format::ORIGIN, &["sentinels"]),
        origin(
            Origin::Of(
                "Sennrich et al. 2016 (BPE), arXiv:1508.07909, with a vocabulary learned from one page of Python",
            ),
            &["tokens", "tokens-cut", "split", "sequence-tokens", "healed", "allowed", "blank-tokens"],
        ),
        origin(Origin::Definition, &["characters"]),
        origin(Origin::Rows, &["overhead"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("characters", "Characters of the document", Unit::Count, |_, s| length(&s.document)),
        when(
            |p, _| p.view == View::Train,
            headline(
                "Characters before the hole.",
                measure("prefix", "Prefix, characters", Unit::Count, |_, s| s.hole[0] as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Train,
            headline(
                "Characters that the model learns to fill in.",
                measure("middle", "Middle, characters", Unit::Count, |_, s| (s.hole[1] - s.hole[0]) as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Train,
            headline(
                "Characters after the hole.",
                measure("suffix-length", "Suffix, characters", Unit::Count, |_, s| {
                    length(&s.document) - s.hole[1] as f64
                }),
            ),
        ),
        measure("sentinels", "Sentinel tokens", Unit::Count, |_, s| s.of(Kind::Sentinel).count() as f64),
        measure("tokens", "Tokens of the document", Unit::Count, |_, s| s.tokens[0] as f64),
        measure("tokens-cut", "Tokens of the three parts", Unit::Count, |_, s| s.tokens[1] as f64),
        when(
            |p, _| p.view == View::Train || p.view == View::Tokens,
            headline(
                "Ends of the hole that fall inside a token. Each one splits a token in two.",
                measure("split", "Hole ends inside a token", Unit::Count, |_, s| s.split as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Train || p.view == View::Tokens,
            headline(
                "Tokens that rearranging the document adds.",
                measure("overhead", "Extra tokens of the rearranged document", Unit::Fraction, |p, s| {
                    let more = s.tokens[1] as f64 + p.marks() - s.tokens[0] as f64;
                    more / (s.tokens[0].max(1) as f64)
                }),
            ),
        ),
        when(
            |p, _| p.view != View::Train,
            headline(
                "Tokens of the whole sequence, sentinels included.",
                measure("sequence-tokens", "Sequence length, tokens", Unit::Count, |p, s| {
                    s.sequence_tokens(p.bpe()) as f64
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Editor,
            headline(
                "Files of the repository that were added as context.",
                measure("files-taken", "Other files in the prompt", Unit::Count, |_, s| s.chosen.files.len() as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Editor,
            headline(
                "Characters before the caret that didn’t fit.",
                measure("prefix-cut", "Prefix characters cut off", Unit::Count, |_, s| s.chosen.cut[0] as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Editor,
            headline(
                "Characters after the caret that didn’t fit.",
                measure("suffix-cut", "Suffix characters cut off", Unit::Count, |_, s| s.chosen.cut[1] as f64),
            ),
        ),
        measure("healed", "Characters taken back by token healing", Unit::Count, |_, s| length(&s.healing.dropped)),
        measure("allowed", "Tokens allowed after token healing", Unit::Count, |_, s| s.healing.allowed.len() as f64),
        measure("blank-tokens", "Whitespace-only tokens", Unit::Count, |p, s| {
            p.bpe().encode(&s.document).iter().filter(|token| token.trim().is_empty()).count() as f64
        }),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        Ok(self.shown())
    }

    fn follow(&mut self, before: &Self) {
        if self.step == before.step {
            self.step = STEPS;
        }
    }
}

fn length(text: &str) -> f64 {
    text.chars().count() as f64
}

impl Shown {
    /// Pieces of one kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(move |piece| piece.kind == kind)
    }

    pub(super) fn sequence_tokens(&self, bpe: &Bpe) -> usize {
        let one = |piece: &Piece| if piece.kind == Kind::Sentinel { 1 } else { bpe.count(&piece.text) };
        self.pieces.iter().map(one).sum()
    }

    /// The sequence as one text.
    pub fn text(&self) -> String {
        text(&self.pieces)
    }
}

impl Params {
    /// The tokenizer.
    pub fn bpe(&self) -> &'static Bpe {
        bpe::of(self.spaces)
    }

    /// Sentinels of a rearranged document, its end left out: a document that is not rearranged has that too.
    pub(super) fn marks(&self) -> f64 {
        let hole = Hole { repo: "", path: "", files: &[], prefix: "a", suffix: "b", middle: None };
        self.format.arrange(self.order, &hole).iter().filter(|piece| piece.kind == Kind::Sentinel).count() as f64
    }

    fn hole(&self, document: &str) -> [usize; 2] {
        let all = document.chars().count();
        match self.cut {
            Cut::Own => {
                let [a, b] = [self.from, self.to].map(|at| (at as usize).min(all));
                [a.min(b), a.max(b)]
            }
            cut => draw(document, cut, &mut Stream::new(mix(self.seed.into()))),
        }
    }

    fn shown(&self) -> Shown {
        let (document, bpe) = (self.document.text(), self.bpe());
        let hole @ [from, to] = self.hole(&document);
        let [prefix, middle] = [slice(&document, 0, from), slice(&document, from, to)];
        let suffix = slice(&document, to, usize::MAX);
        let budget = Budget { tokens: self.budget as usize, files: self.files, suffix: self.suffix };
        let chosen = context::choose(&prefix, &suffix, self.pick, budget, bpe);
        let pieces = match self.view {
            View::Packed => self.packed(&document),
            View::Editor => self.arrange(&chosen.prefix, &chosen.suffix, None, &chosen.files),
            View::Train | View::Tokens => self.arrange(&prefix, &suffix, Some(&middle), &[]),
        };
        let inside = bpe.boundaries(&document);
        let tokens = [bpe.count(&document), [&prefix, &middle, &suffix].into_iter().map(|part| bpe.count(part)).sum()];
        Shown {
            hole,
            pieces,
            chosen,
            healing: bpe.heal(&prefix),
            tokens,
            split: hole.into_iter().filter(|at| !inside.contains(at)).count(),
            document,
        }
    }

    fn arrange(&self, prefix: &str, suffix: &str, middle: Option<&str>, files: &[(String, String)]) -> Vec<Piece> {
        let hole = Hole { repo: context::REPOSITORY, path: context::PATH, files, prefix, suffix, middle };
        self.format.arrange(self.order, &hole)
    }

    /// The document and the files beside it, one after another, rearranged at the FIM rate with numpy's numbers.
    fn packed(&self, document: &str) -> Vec<Piece> {
        let files = [context::FILES[0].text, document, context::FILES[2].text];
        let sample = packed::tokens(&files.map(|text| text.trim_end()).join(packed::END));
        let rates = Rates { fim: self.rate, spm: self.spm, fragment: None };
        packed::pieces(&packed::sample(&sample, rates, &mut RandomState::new(self.seed)))
    }
}
