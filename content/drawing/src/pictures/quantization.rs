//! The error that every recipe leaves the columns beside the outlier.

use ringside_core::float::block::RECIPES;
use ringside_core::quantity::Unit;
use ringside_core::quantization::{Params, Shown};

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes};

/// A row for each recipe.
pub fn recipes(p: &Params, s: &Shown) -> Lanes {
    let rows = RECIPES.iter().zip(&s.recipes).map(|(recipe, result)| {
        let tone = Ink::Weights.at(if recipe.id == p.recipe.id { 100 } else { 50 });
        Lane::stack(recipe.name, [(tone, result.error.min(1.0), String::new())], Unit::Fraction.format(result.error))
    });
    Lanes::new(p.finding(s), Head::new("Error of the other columns, relative to them", &[]), rows.collect(), 1.0, None)
}
