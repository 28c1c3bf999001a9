//! The parameters and the model in the catalogue.

use super::{Law, Outcome, data, serving};
use crate::declare::{
    Field, Measure, Model, Origin, Origins, Param, Scale, Takes, choice, headline, measure, origin, real,
};
use crate::options;
use crate::quantity::{Unit, number};

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// The loss over the size of the model, for budgets around this one.
    #[default]
    IsoFlop,
    /// The best size over the budget, by every law, and where runs lie.
    Frontier,
    /// What repeated text is worth.
    Data,
    /// Training and serving over the size, at one loss.
    Serving,
}

options!(Show {
    IsoFlop: "isoflop", "loss";
    Frontier: "frontier", "budgets";
    Data: "data", "text";
    Serving: "serving", "serving";
});

/// The state of the widget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// The law.
    pub law: Law,
    /// The budget, FLOPs.
    pub compute: f64,
    /// Parameters of the model in question.
    pub params: f64,
    /// Tokens of distinct text.
    pub unique: f64,
    /// Tokens to be served.
    pub served: f64,
    /// What is drawn.
    pub show: Show,
}

fn text_there_is(value: f64) -> String {
    if value >= 1e15 { "no limit".to_owned() } else { Unit::Count.format(value) }
}

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "scaling-laws";
    const TITLE: &'static str = "How large a model for this budget";
    const SUMMARY: &'static str = "What seven published laws spend a budget of FLOPs on, why they differ, and what limited text and \
                                   serving change.";
    const PARAMS: &'static [Param<Self>] = &[
        real("compute", "budget, FLOPs", [1e17, 1e28], "5.76e23")
            .label("Budget, FLOPs")
            .each(Unit::Flop, 1.0)
            .format(number)
            .slider(Scale::Decades(17, 28))
            .main()
            .at(|p| p.compute.slot()),
        real("params", "parameters of the model in question", [1e6, 1e14], "70e9")
            .takes(Takes::Parameters)
            .label("Parameters")
            .unit(Unit::Count)
            .slider(Scale::Decades(6, 14))
            .main()
            .at(|p| p.params.slot()),
        choice("law", "law that says what is best", Law::LIST, "refit").label("Law").main().at(|p| p.law.slot()),
        choice("show", "what is drawn", Show::LIST, "isoflop").label("Show").over().at(|p| p.show.slot()),
        real("unique", "tokens of distinct text; 1e15 for no limit", [1e8, 1e15], "1e15")
            .label("Available unique text, tokens")
            .format(text_there_is)
            .slider(Scale::Decades(8, 15))
            .at(|p| p.unique.slot()),
        real("served", "tokens to be served, prompts and answers", [0.0, 1e17], "0")
            .label("Tokens to serve")
            .unit(Unit::Count)
            .at(|p| p.served.slot()),
    ];
    const ORIGIN: Origin = super::law::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Rows, &["tokens", "ratio", "optimal-ratio", "wasted", "epochs", "total"]),
        origin(
            data::ORIGIN,
            &["effective-tokens", "limited-params", "limited-tokens", "limited-epochs", "limited-loss"],
        ),
        origin(serving::ORIGIN, &["serving", "lean-params", "lean-tokens", "lean-total", "lean-saving"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "What the compute budget allows for this model size.",
            measure("tokens", "Tokens", Unit::Count, |_, o| o.here.tokens),
        ),
        headline(
            "About 20 is optimal for training compute alone, by Hoffmann et al.",
            measure("ratio", "Tokens per parameter", Unit::Ratio, |_, o| o.here.ratio()),
        ),
        headline(
            "The loss that the law predicts.",
            measure("loss", "Loss, nats per token", Unit::Ratio, |_, o| o.loss(o.here)),
        ),
        headline(
            "The model size with the lowest loss for this budget.",
            measure("optimal-params", "Compute-optimal parameters", Unit::Count, |_, o| o.optimum.params),
        ),
        measure("optimal-tokens", "Compute-optimal tokens", Unit::Count, |_, o| o.optimum.tokens),
        measure("optimal-ratio", "Compute-optimal tokens per parameter", Unit::Ratio, |_, o| o.optimum.ratio()),
        measure("optimal-loss", "Compute-optimal loss", Unit::Ratio, |_, o| o.loss(o.optimum)),
        measure("exponent", "Exponent of optimal parameters in compute", Unit::Ratio, |_, o| o.law.exponent()),
        measure("worth", "Optimal compute for this loss", Unit::Flop, |_, o| o.worth()),
        headline(
            "The share of the budget that an optimal model would not need for this loss.",
            measure("wasted", "Compute wasted", Unit::Fraction, |_, o| (1.0 - o.worth() / o.compute()).max(0.0)),
        ),
        measure("epochs", "Epochs", Unit::Ratio, |_, o| o.epochs(o.here)),
        measure("effective-tokens", "Effective tokens after repetition", Unit::Count, |_, o| {
            data::effective(&o.surface, o.here, o.unique).tokens
        }),
        measure("limited-params", "Data-limited optimum, parameters", Unit::Count, |_, o| o.limited.params),
        measure("limited-tokens", "Data-limited optimum, tokens", Unit::Count, |_, o| o.limited.tokens),
        measure("limited-epochs", "Data-limited optimum, epochs", Unit::Ratio, |_, o| o.epochs(o.limited)),
        measure("limited-loss", "Data-limited optimum, loss", Unit::Ratio, |_, o| o.loss(o.limited)),
        measure("serving", "Serving FLOPs", Unit::Flop, |_, o| o.total() - o.here.compute()),
        measure("total", "Training and serving FLOPs", Unit::Flop, |_, o| o.total()),
        measure("lean-params", "Lifetime optimum, parameters", Unit::Count, |_, o| o.lean.params),
        measure("lean-tokens", "Lifetime optimum, tokens", Unit::Count, |_, o| o.lean.tokens),
        measure("lean-total", "Lifetime optimum, training and serving", Unit::Flop, |_, o| {
            serving::total(o.lean, o.served)
        }),
        measure("lean-saving", "Lifetime optimum, FLOPs saved", Unit::Fraction, |_, o| {
            (1.0 - serving::total(o.lean, o.served) / o.total()).max(0.0)
        }),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        Ok(Outcome::new(self.law, self.compute, self.params, self.unique, self.served))
    }
}
