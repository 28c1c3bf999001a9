//! The piece that is looked at: what it does, its shape, its formula with the numbers put in.

use leptos::prelude::*;
use ringside_core::model::anatomy::{Anatomy, Group, Measure, Piece, Place};
use ringside_core::quantity::grouped;

use super::{Shown, amount, share};

/// The piece; where none is chosen, the formulas of the layer.
pub(super) fn view(shown: Shown) -> AnyView {
    let about = Memo::new(move |_| shown.with(|a| a.piece().map(|p| About::of(a, p))));
    (move || match about.get() {
        None => formulas(shown),
        Some(about) => about.view(),
    })
    .into_any()
}

/// What is in the layer, a line each.
fn formulas(shown: Shown) -> AnyView {
    let hint = move || {
        shown.with(|a| match a.params.piece.0 {
            "" => "Choose a piece of the picture to see what it does and what it costs.".to_owned(),
            id => format!("{} has no {id}. Choose a piece of the picture.", a.params.model.name()),
        })
    };
    let lines = move || {
        let pieces = shown.with(|a| {
            let measure = a.params.show;
            let there = |p: &&Piece| p.amount(measure) > 0.0;
            let line = |p: &Piece| match measure {
                Measure::Params => (p.id, p.group(), p.formula.clone(), p.copies),
                Measure::Flops => (p.id, p.group(), p.cost.clone(), 1),
            };
            a.layer(measure).pieces.into_iter().filter(there).map(line).collect::<Vec<_>>()
        });
        let line = |(id, group, formula, copies): (&'static str, Group, String, u64)| {
            view! {
                <div>
                    <dt><i class=format!("swatch {}", group.id()) aria-hidden="true"></i>{id}</dt>
                    <dd>{formula} {(copies > 1).then(|| format!(", {} times", grouped(copies)))}</dd>
                </div>
            }
        };
        pieces.into_iter().map(line).collect_view()
    };
    view! {
        <p class="fine">{hint}</p>
        <dl class="formulas">{lines}</dl>
    }
    .into_any()
}

/// What is said of a piece.
#[derive(Debug, Clone, PartialEq)]
struct About {
    piece: Piece,
    /// "in each of 32 layers", "once".
    place: String,
    /// Its share of the model's parameters and of its FLOPs.
    shares: [String; 2],
}

impl About {
    fn of(a: &Anatomy, piece: &Piece) -> Self {
        let times = if piece.copies > 1 { format!("{} times ", grouped(piece.copies)) } else { String::new() };
        let used = if piece.used < piece.copies { format!(", {} used", grouped(piece.used)) } else { String::new() };
        let place = match piece.place {
            Place::Before | Place::After => "once in the model".to_owned(),
            _ => format!("{times}in each of {} layers{used}", grouped(piece.layers)),
        };
        let shares = [share(piece.params, a.count.total as f64), share(piece.flops, a.flops.total())];
        Self { piece: piece.clone(), place, shares }
    }

    fn view(self) -> AnyView {
        let Self { piece, place, shares: [of_params, of_flops] } = self;
        let line = |name: &'static str, formula: String, sum: String, share: String| {
            view! {
                <div>
                    <dt>{name}</dt>
                    <dd>
                        <span class="formula">{formula}</span>
                        {(!sum.is_empty()).then(|| view! { <b>{sum}</b> " in all, " {share} " of the model’s" })}
                    </dd>
                </div>
            }
        };
        let params = if piece.params > 0.0 { grouped(piece.params as u64) } else { String::new() };
        let (cost, flops) = if piece.flops > 0.0 {
            (piece.cost.clone(), amount(Measure::Flops, piece.flops))
        } else {
            ("none that counts".to_owned(), String::new())
        };
        let code = (!piece.code.is_empty()).then(|| {
            view! {
                <div>
                    <dt>"In nanoGPT’s model.py"</dt>
                    <dd><code>{piece.code}</code></dd>
                </div>
            }
        });
        view! {
            <div class="piece-head">
                {drawing(&piece)}
                <div>
                    <p class="piece-name">
                        <i class=format!("swatch {}", piece.group().id()) aria-hidden="true"></i>
                        {piece.id}
                    </p>
                    <p>{piece.does} " It is there " {place} "."</p>
                </div>
            </div>
            <dl class="piece-lines">
                {line("Parameters of one", piece.formula.clone(), params, of_params)}
                {line("Forward FLOPs of a token, one layer", cost, flops, of_flops)}
                {code}
            </dl>
        }
        .into_any()
    }
}

/// The longer side of a matrix, in pixels.
const SIDE: f64 = 76.0;

/// The matrix in its proportions: outputs down, inputs across.
fn drawing(piece: &Piece) -> Option<AnyView> {
    let (rows, cols) = piece.size.filter(|(_, cols)| *cols > 1)?;
    let unit = SIDE / rows.max(cols) as f64;
    let side = |n: u64| (n as f64 * unit).max(1.0);
    let (width, height) = (side(cols), side(rows));
    Some(
        view! {
            <svg class="piece-shape" viewBox=format!("-1 -1 {} {}", SIDE + 2.0, SIDE + 2.0) aria-hidden="true">
                <rect
                    class=format!("part {}", piece.group().id())
                    x=(SIDE - width) / 2.0
                    y=(SIDE - height) / 2.0
                    width=width
                    height=height
                />
            </svg>
        }
        .into_any(),
    )
}
