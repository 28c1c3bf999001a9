//! Scales and few bits: the error that every recipe leaves the columns beside the outlier; what scales and rounding do over steps is charts.

use ringside_core::float::block::{RECIPES, Recipe};
use ringside_core::quantity::{Unit, number};
use ringside_core::quantization::{Outcome, Params, Shown, View};

use crate::chart::Ink;
use crate::charts::quantization as charts;
use crate::figure::{Figure, Table};
use crate::form::{Head, Lane, Lanes, Press};
use crate::picture::Picture;

/// A row for each recipe; pressing one looks at it.
fn recipes(p: &Params, s: &Shown) -> Lanes {
    let row = |(recipe, result): (&Recipe, &Outcome)| {
        let is_on = recipe.id == p.recipe.id;
        let tone = Ink::Weights.at(if is_on { 100 } else { 50 });
        let sum = format!("{} · {} bits", Unit::Fraction.format(result.error), number(result.bits));
        let note = if recipe.leaves_the_sum() { "" } else { "no product can use it" };
        let press = Press::new(format!("{}: {sum}", recipe.name), "recipe", recipe.id, is_on);
        Lane::stack(recipe.name, [(tone, result.error.min(1.0), String::new())], sum).note(note).press(press)
    };
    let rows = RECIPES.iter().zip(&s.recipes).map(row).collect();
    Lanes::new(p.finding(s), Head::new("Error of the other columns · bits per value", &[]), rows, 1.0, None)
}

impl Figure for Params {
    /// What is shown changes none of it.
    fn computed(&self) -> Self {
        Self { view: View::Recipes, ..*self }
    }

    fn subtitle(&self) -> String {
        match self.view {
            View::Recipes => self.recipe.name.to_owned(),
            view => view.label().to_owned(),
        }
    }

    fn finding(&self, s: &Shown) -> String {
        self.finding(s)
    }

    fn picture(&self, s: &Shown) -> Picture {
        match self.view {
            View::Recipes => recipes(self, s).into(),
            View::Delayed => charts::delayed(self, s).into(),
            View::Training => charts::training(self, s).into(),
            View::Accumulate => charts::accumulate(self, s).into(),
        }
    }

    fn table(&self, s: &Shown) -> Table {
        let row = |(recipe, r): (&Recipe, &Outcome)| {
            let [error, zero] = [r.error, r.zero].map(|share| Unit::Fraction.format(share));
            vec![recipe.name.to_owned(), error, zero, number(r.bits)]
        };
        let rows = RECIPES.iter().zip(&s.recipes).map(row).collect();
        Table::new("Recipe", ["Error", "Become zero", "Bits per value"], rows)
    }
}
