//! An exercise on paper, or on a wall: what there is to answer it with, besides its prompt.

use super::{Evaluate, Exercise, Kernel, Kind, Template, draw, environment, option_order, right_order};
use crate::answer::write;
use crate::kernels::workbench;

/// A list under the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What it is, or what to do with it: plain text.
    pub lead: String,
    /// How its items are told apart.
    pub marks: Marks,
    /// Its items, with their numbers in place: in the form that the exercise's own texts have, or numbers and labels of
    /// quantities, which have no markup in any form.
    pub items: Vec<String>,
    /// Whether something is to be written beside each.
    pub fill_in: bool,
}

/// How the items of a list are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// They are not: they all hold.
    None,
    /// A, B, C …
    Letters,
    /// 1, 2, 3 …
    Numbers,
}

/// What is under the prompt of `exercise` with the parameters of `seed`, in the order that the page has. Nothing where an
/// empty line is enough.
///
/// # Errors
/// Why it cannot be computed: a sentence.
pub fn on_paper(exercise: &Exercise, seed: u64, evaluate: Evaluate<'_>) -> Result<Vec<List>, String> {
    let parameters = draw(exercise, seed);
    let env = environment(exercise, &parameters, evaluate)?;
    let order = || option_order(exercise, seed);
    let list = |lead: &str, marks: Marks, fill_in: bool, texts: Vec<&String>| -> Result<List, String> {
        let items = texts.into_iter().map(|text| Template::fill(text, &env)).collect::<Result<_, _>>()?;
        Ok(List { lead: lead.to_owned(), marks, items, fill_in })
    };
    Ok(match &exercise.kind {
        Kind::Number(_) | Kind::Predict(_) | Kind::Explain(_) => Vec::new(),
        Kind::Choice(choice) => {
            let lead = if choice.several { "Choose all that apply." } else { "Choose one." };
            let texts = choice.options.iter().map(|option| &option.text).collect();
            vec![list(lead, Marks::Letters, false, picked(&order(), texts))?]
        }
        Kind::Order(def) => {
            let right = right_order(exercise, def, &parameters, evaluate)?;
            let [first, last] = &def.ends;
            let lead = format!("Number them, from “{first}” to “{last}”.");
            let texts = def.items.iter().map(|item| &item.text).collect();
            vec![list(&lead, Marks::None, true, picked(&right.begin(order()), texts))?]
        }
        Kind::Match(pairs) => {
            let right: Vec<&String> = pairs.pairs.iter().map(|pair| &pair.right).chain(&pairs.extra).collect();
            let lead = "Write beside each the letter of what belongs to it.";
            vec![
                list(lead, Marks::None, true, pairs.pairs.iter().map(|pair| &pair.left).collect())?,
                list("", Marks::Letters, false, picked(&order(), right))?,
            ]
        }
        Kind::Label(label) => {
            let sizes = label.sizes(&env)?.into_iter().map(|size| write(size, label.unit, 3)).collect();
            let lead = "The parts of a bar, from left to right. Write beside each the number of its name.".to_owned();
            let names = label.parts.iter().map(|part| &part.text).collect();
            vec![
                List { lead, marks: Marks::Letters, items: sizes, fill_in: true },
                list("", Marks::Numbers, false, picked(&order(), names))?,
            ]
        }
        Kind::Trace(trace) => {
            let measured = evaluate(&parameters).quantities;
            let quantity = |id: &String| measured.iter().find(|q| q.id == id);
            let shown = trace.evidence.iter().filter_map(quantity).map(|q| format!("{}: {}", q.label, q.text()));
            let causes = trace.causes.iter().map(|cause| &cause.text).collect();
            let changes = trace.changes.iter().map(|change| &change.text).collect();
            vec![
                List { lead: "Measured:".into(), marks: Marks::None, items: shown.collect(), fill_in: false },
                list("What is the cause?", Marks::Letters, false, picked(&order(), causes))?,
                list("What will you change to prove it?", Marks::Numbers, false, changes)?,
            ]
        }
        Kind::Task(task) => {
            let goals = task.goals.iter().map(|goal| &goal.text).collect();
            vec![list("What must hold:", Marks::None, false, goals)?]
        }
        Kind::Sketch(sketch) => {
            let curve = sketch.curve(exercise, &parameters, evaluate)?;
            let lead =
                format!("{}; how much is it at each, up to {}?", sketch.across, write(curve.up_to, sketch.unit, 2));
            vec![List { lead, marks: Marks::None, items: curve.at, fill_in: true }]
        }
        Kind::Kernel(_) => {
            let puzzle = parameters.get(Kernel::PUZZLE).and_then(workbench::find);
            let task = puzzle.map(|puzzle| puzzle.task.to_owned());
            vec![List {
                lead: "Write the body of main, in WGSL:".into(),
                marks: Marks::None,
                items: task.into_iter().collect(),
                fill_in: false,
            }]
        }
    })
}

/// Texts in an order.
fn picked<'a>(order: &[usize], texts: Vec<&'a String>) -> Vec<&'a String> {
    order.iter().filter_map(|i| texts.get(*i).copied()).collect()
}
