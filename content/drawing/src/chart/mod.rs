//! Charts: numbers along axes, as data, and how they are drawn.
//!
//! A [`Chart`] says what there is to see and nothing of where: axes, series, reference lines, marked points. [`Layout`] says where
//! everything stands in a frame of some size, [`paint`](paint::paint) draws it with plotters on any of its backends, and [`svg`] does so
//! as markup, for pages, paper and pictures. [`reading`] is what a pointer or an arrow key finds in it, [`hand`] what a pointer draws on it.

pub mod axis;
pub mod hand;
pub mod ink;
mod label;
pub mod layout;
pub mod paint;
pub mod reading;
pub mod svg;
pub(crate) mod text;

pub use axis::{Axis, Writing};
pub use ink::Ink;
pub use layout::{Frame, Layout};

/// What there is to see.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chart {
    /// What is to be seen, for who does not see it.
    pub label: String,
    /// From left to right.
    pub across: Axis,
    /// From the bottom to the top.
    pub up: Axis,
    /// What is drawn, the lowest first.
    pub series: Vec<Series>,
    /// Reference lines: limits, and where something changes.
    pub rules: Vec<Rule>,
    /// Where one is.
    pub marks: Vec<Mark>,
}

impl Chart {
    /// The same without what it comes to, for who has yet to decide: marks stay where they are and say nothing, and its label is what it counts.
    pub fn undecided(mut self) -> Self {
        self.label = format!("{} over {}", self.up.name, self.across.name);
        self.marks.iter_mut().for_each(|mark| mark.text.clear());
        self
    }
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name: beside it, or in the key. What has none is neither named nor read.
    pub name: String,
    /// Whether the name stands in the key over the drawing, and not beside what it names.
    pub in_key: bool,
    /// Its colour.
    pub ink: Ink,
    /// How it is drawn.
    pub form: Form,
    /// From left to right, if it is a line, an area or bars.
    pub points: Vec<(f64, f64)>,
    /// For areas and bars: the lower end at each point. The foot of the drawing where there is none.
    pub over: Vec<f64>,
    /// What each point is; empty where a point is only one of many.
    pub names: Vec<String>,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// A line through the points.
    Line(Stroke, Weight),
    /// A sign at each point.
    Dots(Shape),
    /// From its lower end up to the point, over the whole width; opaque, or a band that lets others through.
    Area {
        /// Whether what lies under it is seen.
        sheer: bool,
    },
    /// A column at each point.
    Bars,
}

/// What a line is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// No gap.
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
}

/// How strong a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// What the chart is about.
    Strong,
    /// What it is compared with.
    Fine,
}

/// The sign of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A filled circle.
    Disc,
    /// A circle that is open.
    Ring,
    /// A square that stands on a corner.
    Diamond,
    /// A square.
    Square,
    /// A small filled circle.
    Small,
}

/// A line from edge to edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Where it stands.
    pub at: At,
    /// What it is; empty for a line that needs no name.
    pub text: String,
    /// Its colour, and its name's.
    pub ink: Ink,
    /// What it is made of.
    pub stroke: Stroke,
}

/// Where a reference line stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum At {
    /// Upright, at a number of the axis across.
    Across(f64),
    /// Level, at a number of the axis up.
    Up(f64),
}

/// A point that is marked, with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Where it is.
    pub at: (f64, f64),
    /// What it is.
    pub text: String,
}

impl Series {
    fn new(name: impl Into<String>, ink: Ink, form: Form, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), in_key: false, ink, form, points, over: Vec::new(), names: Vec::new() }
    }

    /// A line: the subject of the chart.
    pub fn line(name: impl Into<String>, ink: Ink, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, ink, Form::Line(Stroke::Solid, Weight::Strong), points)
    }

    /// A line that others are compared with.
    pub fn fine(name: impl Into<String>, ink: Ink, stroke: Stroke, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, ink, Form::Line(stroke, Weight::Fine), points)
    }

    /// A sign at each point, named in the key.
    pub fn dots(name: impl Into<String>, ink: Ink, shape: Shape, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, ink, Form::Dots(shape), points).in_key()
    }

    /// An area down to the foot of the drawing, named in the key.
    pub fn area(name: impl Into<String>, ink: Ink, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, ink, Form::Area { sheer: false }, points).in_key()
    }

    /// The band between two lines, named in the key: at each point its lower and its upper end.
    pub fn band(name: impl Into<String>, ink: Ink, points: Vec<(f64, f64, f64)>) -> Self {
        let upper = points.iter().map(|(x, _, upper)| (*x, *upper)).collect();
        let lower = points.into_iter().map(|(_, lower, _)| lower).collect();
        Self { over: lower, ..Self::new(name, ink, Form::Area { sheer: true }, upper).in_key() }
    }

    /// Columns, named in the key.
    pub fn bars(name: impl Into<String>, ink: Ink, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, ink, Form::Bars, points).in_key()
    }

    /// The same line of dashes or dots: beside another of the same strength, told apart without colour.
    pub fn stroke(mut self, stroke: Stroke) -> Self {
        if let Form::Line(_, weight) = self.form {
            self.form = Form::Line(stroke, weight);
        }
        self
    }

    /// On top of others: `over` has the lower end at each point.
    pub fn over(self, over: Vec<f64>) -> Self {
        Self { over, ..self }
    }

    /// With a name for each point, which is what is read there.
    pub fn with_names(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }

    /// Named in the key over the drawing.
    pub fn in_key(self) -> Self {
        Self { in_key: true, ..self }
    }
}

impl Rule {
    /// A dashed upright line.
    pub fn across(at: f64, text: impl Into<String>) -> Self {
        Self { at: At::Across(at), text: text.into(), ink: Ink::Ink, stroke: Stroke::Dashed }
    }

    /// A dashed level line.
    pub fn up(at: f64, text: impl Into<String>) -> Self {
        Self { at: At::Up(at), text: text.into(), ink: Ink::Ink, stroke: Stroke::Dashed }
    }

    /// In another colour.
    pub fn ink(self, ink: Ink) -> Self {
        Self { ink, ..self }
    }

    /// Of another make.
    pub fn stroke(self, stroke: Stroke) -> Self {
        Self { stroke, ..self }
    }
}

impl Mark {
    /// A marked point.
    pub fn new(at: (f64, f64), text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }
}
