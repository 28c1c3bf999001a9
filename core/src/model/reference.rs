//! Which model a page is about: a preset, a bare number of parameters, or a shape of the reader's own.

use super::config::{Family, MODEL_TYPES};
use super::params::ParameterCount;
use super::presets::{self, Preset};
use super::problem::ConfigProblem;
use super::shape::{self, MAX_PARAMS, Shape};
use crate::declare::{Declaration, Param, Scale, Takes, all_apart, join};
use crate::quantity::count;
use crate::query::{Kind, ParamSpec, Query, Reader, plain};
use crate::serving::step::{Quant, Stored};

/// A model as `model=…`, `params=…` or `model=custom&hidden_size=…` names it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a few hundred bytes, and being Copy is what signals and closures want")]
pub enum ModelRef {
    /// A model by name.
    Preset(&'static Preset),
    /// Only how many parameters it has, 1 to 10¹⁵.
    Count(u64),
    /// An architecture, such as one read from a `config.json`.
    Custom {
        /// The architecture.
        shape: Shape,
        /// The family by whose rules it was guessed, if its own is not known; a page must show this.
        guess: Option<Family>,
        /// How its checkpoint stores the weights.
        stored: Stored,
    },
}

/// The query parameters that name a model, to be followed by [`shape::SPECS`].
pub const SPECS: [ParamSpec; 3] = [
    ParamSpec {
        name: "model",
        doc: "a model by name, or custom with its sizes by their config.json names",
        kind: Kind::Choice(&presets::CHOICES),
        default: "",
    },
    ParamSpec {
        name: "params",
        doc: "number of parameters, instead of a model",
        kind: Kind::Real { min: 1.0, max: MAX_PARAMS as f64 },
        default: "30e9",
    },
    ParamSpec {
        name: "guess",
        doc: "with model=custom: the family by whose rules an unknown config was read",
        kind: Kind::Choice(&MODEL_TYPES),
        default: "",
    },
];

/// `model` of [`SPECS`], as a person sets it.
pub const MODEL: Declaration =
    Declaration::of(SPECS[0]).label("Model").labels(&presets::LABELS).takes(Takes::Model).main();

/// What a person calls the choice of no model, where `params` says how large it is.
pub const BY_COUNT: &str = "By parameter count";

/// `params` of [`SPECS`], as a person sets it.
pub const COUNT: Declaration = Declaration::of(SPECS[1])
    .label("Parameters")
    .takes(Takes::Parameters)
    .format(count)
    .slider(Scale::Decades(7, 13))
    .main();

/// `guess` of [`SPECS`]: in links alone.
pub const GUESS: Declaration = Declaration::of(SPECS[2]);

/// How many parameters [`own`] has.
pub const OWN: usize = 1 + shape::SPECS.len();

/// What lets a figure take any model, after its other parameters: a shape of one's own. [`MODEL`] stands where its control does, in
/// [`Model::settle`](crate::declare::Model::settle) the figure takes what [`ModelRef::read_shape`] reads, and in
/// [`Model::unplaced`](crate::declare::Model::unplaced) it gives [`ModelRef::query`].
pub const fn own<P: Default>() -> [Param<P>; OWN] {
    join::<P, OWN>(&[&[GUESS.apart()], &all_apart(&shape::SPECS)])
}

impl Default for ModelRef {
    /// One parameter: what there is before a model is read.
    fn default() -> Self {
        ModelRef::Count(1)
    }
}

impl ModelRef {
    /// Reads a model by [`SPECS`] and [`shape::SPECS`], which must be among the reader's. Without any, the default of
    /// `params`. Sizes given beside a preset change that preset; without a preset they are `model=custom`. If both a model and a number of parameters are given, the later of the two is used, so that a change
    /// put over a state by [`Query::with`] has its way; the other is reported as ignored.
    pub fn read(reader: &mut Reader<'_>, query: &Query) -> Self {
        let place = |name: &str| {
            let given = |(n, v): &(&str, &str)| *n == name && !v.trim().is_empty();
            query.iter().enumerate().filter(|(_, pair)| given(pair)).map(|(i, _)| i).last()
        };
        let shaped = shape::is_given(query);
        let choice = match reader.choice("model") {
            "" if shaped && place("model").is_none() && place("params").is_none() => "custom",
            choice => choice,
        };
        let guess = reader.choice("guess");
        let named = Self::named(reader, query, choice, guess, "30e9 parameters are used");
        let counted = reader.real("params").round().clamp(1.0, MAX_PARAMS as f64) as u64;
        match (named, place("params")) {
            (Some(model), None) => model,
            (None, _) => ModelRef::Count(counted),
            (Some(model), Some(at)) if place("model").is_some_and(|m| m > at) => {
                reader.problem("params", "Both model and params are given; model comes later and is used.");
                model
            }
            (Some(_), Some(_)) => {
                reader.problem("model", "Both model and params are given; params comes later and is used.");
                ModelRef::Count(counted)
            }
        }
    }

    /// Reads an architecture by [`SPECS`] without `params` and [`shape::SPECS`], which must be among the reader's; the
    /// preset called `default` if none is given.
    pub fn read_shape(reader: &mut Reader<'_>, default: &str) -> Self {
        let (query, default) = (reader.query(), presets::find(default).unwrap_or(&presets::ALL[0]));
        let given = query.get("model").is_some_and(|v| !v.trim().is_empty());
        let choice = match reader.choice("model") {
            _ if !given && shape::is_given(query) => "custom",
            choice => choice,
        };
        let guess = reader.choice("guess");
        let fallback = format!("{} is used", default.name);
        Self::named(reader, query, choice, guess, &fallback).unwrap_or(ModelRef::Preset(default))
    }

    /// A sound architecture whose weights have 16 bits.
    pub const fn own(shape: Shape) -> Self {
        ModelRef::Custom { shape, guess: None, stored: Stored::of(Quant::Bf16) }
    }

    /// Whether its sizes were read by the rules of another family, because its own isn't known.
    pub const fn is_guess(&self) -> bool {
        matches!(self, ModelRef::Custom { guess: Some(_), .. })
    }

    /// The model of a choice: a preset, a preset with some sizes changed, or `custom`.
    fn named(reader: &mut Reader<'_>, query: &Query, choice: &str, guess: &str, fallback: &str) -> Option<Self> {
        if choice == "custom" {
            let shape = shape::read(reader);
            if shape.is_none() {
                reader.problem("model", format!("model=custom is incomplete; {fallback}."));
            }
            let stored = Self::checkpoint(reader).unwrap_or_default();
            return shape.map(|shape| ModelRef::Custom { shape, guess: Family::find(guess), stored });
        }
        let preset = presets::find(choice)?;
        if !shape::is_given(query) {
            return Some(ModelRef::Preset(preset));
        }
        let sizes = Query::new(query.iter().filter(|(n, _)| shape::SPECS.iter().any(|s| s.name == *n)));
        let merged = preset.shape.query().with(&sizes);
        let mut inner = Reader::new(&shape::SPECS, &merged);
        let shape = shape::read(&mut inner);
        for problem in inner.finish() {
            reader.problem(&problem.name, problem.message);
        }
        let shape = shape.unwrap_or(preset.shape);
        let stored = Self::checkpoint(reader).unwrap_or(preset.stored);
        Some(if (shape, stored) == (preset.shape, preset.stored) {
            ModelRef::Preset(preset)
        } else {
            ModelRef::Custom { shape, guess: None, stored }
        })
    }

    /// How a checkpoint stores the weights, where a query says so.
    pub fn checkpoint(reader: &mut Reader<'_>) -> Option<Stored> {
        let text = reader.text("checkpoint")?.to_owned();
        let stored = Stored::read(&text);
        if stored.is_none() {
            reader.problem("checkpoint", "It has a form and bits, as mxfp4~16~4.25 has. It was ignored.");
        }
        stored
    }

    /// The pairs that [`ModelRef::read`] reads back to the same.
    pub fn query(&self) -> Query {
        match self {
            ModelRef::Preset(preset) => Query::new([("model", preset.id)]),
            ModelRef::Count(n) => Query::new([("params", plain(*n as f64))]),
            ModelRef::Custom { shape, guess, stored } => {
                let mut pairs = vec![("model".to_owned(), "custom".to_owned())];
                pairs.extend(guess.map(|g| ("guess".to_owned(), g.model_type().to_owned())));
                pairs.extend((*stored != Stored::default()).then(|| ("checkpoint".to_owned(), stored.write())));
                pairs.extend(shape.query().iter().map(|(n, v)| (n.to_owned(), v.to_owned())));
                Query::new(pairs)
            }
        }
    }

    /// What a person reads: "Llama 3 8B", "30 B parameters", "Your model (8.03 B)".
    pub fn name(&self) -> String {
        match self {
            ModelRef::Preset(preset) => preset.name.to_owned(),
            ModelRef::Count(n) => format!("{} parameters", count(*n as f64)),
            ModelRef::Custom { shape, .. } => match shape.count() {
                Ok(c) => format!("Your model ({})", count(c.total as f64)),
                Err(_) => "Your model".to_owned(),
            },
        }
    }

    /// How its checkpoint stores the weights; in 16 bits where nothing is known of it.
    pub const fn stored(&self) -> Stored {
        match self {
            ModelRef::Preset(preset) => preset.stored,
            ModelRef::Custom { stored, .. } => *stored,
            ModelRef::Count(_) => Stored::of(Quant::Bf16),
        }
    }

    /// The weights in a form: as its checkpoint stores them, where that is its form.
    pub fn stored_in(&self, quant: Quant) -> Stored {
        let own = self.stored();
        if own.quant == quant { own } else { Stored::of(quant) }
    }

    /// Whether a figure takes the form of this model's checkpoint when it takes the model after `before`, with weights that are now as in
    /// `before`'s checkpoint or not: a config that names a form is always followed.
    pub fn brings_its_form(&self, is_as_before: bool) -> bool {
        is_as_before || matches!(self, ModelRef::Custom { stored, .. } if stored.quant != Quant::Bf16)
    }

    /// Its architecture, if more than a number of parameters is known.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            ModelRef::Preset(preset) => Some(&preset.shape),
            ModelRef::Custom { shape, .. } => Some(shape),
            ModelRef::Count(_) => None,
        }
    }

    /// Its architecture, where only a sound one can be computed with.
    ///
    /// # Errors
    /// A number of parameters without sizes, or impossible sizes: a sentence.
    pub fn sound(&self) -> Result<&Shape, String> {
        let shape =
            self.shape().ok_or("A number of parameters is not enough here. Choose a model, or give its sizes.")?;
        shape.check().into_iter().next().map_or(Ok(shape), |problem| Err(problem.message))
    }

    /// What sizes its memory. An error if its shape is impossible.
    pub fn size(&self) -> Result<ModelSize, ConfigProblem> {
        match (self, self.shape()) {
            (_, Some(shape)) => ModelSize::of(shape),
            (ModelRef::Count(n), _) => Ok(ModelSize::from_count(*n)),
            _ => Ok(ModelSize::from_count(1)),
        }
    }
}

/// The sizes of a model that its weights, gradients and optimizer states follow from. Numbers of elements, exact in an
/// `f64`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelSize {
    /// All parameters.
    pub params: f64,
    /// Those in matrices of hidden layers: what Muon orthogonalises.
    pub hidden_matrices: f64,
    /// Sum over matrices of rows + columns, plus the length of every vector: Adafactor's factored second moment.
    pub factors: f64,
    /// The largest single module: what ZeRO-3 gathers at the least.
    pub largest_layer: f64,
    /// The count by component, where the architecture is known.
    pub count: Option<ParameterCount>,
}

/// Vocabulary assumed where only a number of parameters is known: GPT-2's.
pub const ASSUMED_VOCABULARY: f64 = 50_257.0;

/// Width ÷ layers assumed where only a number of parameters is known: about GPT-3's 12 288 ÷ 96.
pub const ASSUMED_ASPECT: f64 = 128.0;

/// The width of a model of `params` parameters if N = 12 L h² and h = 128 L: h = (128 N / 12)^⅓.
pub fn assumed_width(params: f64) -> f64 {
    (params * ASSUMED_ASPECT / 12.0).cbrt().max(1.0)
}

impl ModelSize {
    /// The sizes of an architecture.
    pub fn of(shape: &Shape) -> Result<Self, ConfigProblem> {
        if let Some(problem) = shape.check_sizes().into_iter().next() {
            return Err(problem);
        }
        let count = shape.count()?;
        let (mut hidden_matrices, mut factors) = (0.0, 0.0);
        for t in shape.tensors() {
            let (rows, cols, n) = (t.rows as f64, t.cols as f64, t.count as f64);
            if t.is_hidden_matrix() {
                hidden_matrices += rows * cols * n;
            }
            factors += n * (rows + if t.is_matrix() { cols } else { 0.0 } + if t.bias { rows } else { 0.0 });
        }
        Ok(Self {
            params: count.total as f64,
            hidden_matrices,
            factors,
            largest_layer: shape.largest_layer() as f64,
            count: Some(count),
        })
    }

    /// The sizes that a bare number of parameters is taken to have, by [`assumed_width`]: per layer 8 h rows and columns
    /// of attention and 10 h of a 4 × MLP for 12 h² parameters, every parameter in a hidden matrix, and an embedding of
    /// [`ASSUMED_VOCABULARY`] rows as the largest layer.
    pub fn from_count(n: u64) -> Self {
        let params = n.clamp(1, MAX_PARAMS) as f64;
        let width = assumed_width(params);
        Self {
            params,
            hidden_matrices: params,
            factors: (params * 1.5 / width).min(params),
            largest_layer: (ASSUMED_VOCABULARY * width).min(params).round(),
            count: None,
        }
    }
}
