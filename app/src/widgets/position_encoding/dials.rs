//! RoPE: some of the pairs as dials, each with the hand of the key and that of the query.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::position::Params;
use ringside_core::quantity::number;

use super::spread;
use crate::ui::markup::renewed;

/// Most dials.
const DIALS: u64 = 8;
/// The radius of a dial, in units of its drawing, and that of the arc between the hands.
const RADIUS: f64 = 42.0;
const ARC: f64 = 20.0;

/// Where a hand of this length ends that was turned by `angle`, against the clock from the right.
fn end(angle: f64, length: f64) -> (f64, f64) {
    (length * angle.cos(), -length * angle.sin())
}

fn dial(p: &Params, pair: u64, into: &mut String) {
    let [key, query] = p.positions().map(|position| position as f64 * p.angle(pair));
    let between = (query - key).rem_euclid(std::f64::consts::TAU);
    let ((kx, ky), (qx, qy)) = (end(key, RADIUS), end(query, RADIUS));
    let ((ax, ay), (bx, by)) = (end(key, ARC), end(query, ARC));
    let large = u8::from(between > std::f64::consts::PI);
    let unturned = p.is_unturned(pair);
    let [first, second] = p.numbers(pair);
    let (class, note) = if unturned { (" unturned", ": not in training") } else { ("", "") };
    // Writing to a string does not fail.
    let _ = write!(
        into,
        "<div class=\"dial{class}\"><svg viewBox=\"-50 -50 100 100\"><circle r=\"{RADIUS}\"/>\
         <path class=\"between\" d=\"M0 0L{ax:.2} {ay:.2}A{ARC} {ARC} 0 {large} 0 {bx:.2} {by:.2}z\"/>\
         <path class=\"hand key\" d=\"M0 0L{kx:.2} {ky:.2}\"/><path class=\"hand query\" d=\"M0 0L{qx:.2} {qy:.2}\"/></svg>\
         <b>pair {pair}</b><small>numbers {first}, {second}</small><small>round in {} tokens{note}</small></div>",
        number(p.turn(pair))
    );
}

fn dials(p: &Params) -> String {
    let mut text = String::new();
    spread(p.pairs(), DIALS).for_each(|pair| dial(p, pair, &mut text));
    text
}

/// The dials.
pub(super) fn view(params: Memo<Params>) -> AnyView {
    view! {
        <p class="positions-title">
            "Pairs of a query and of a key" <small><i class="swatch query"></i> "query"</small>
            <small><i class="swatch key"></i> "key"</small> <small><i class="swatch between"></i> "between them: the distance alone"</small>
        </p>
        <div class="dials" aria-hidden="true" use:renewed=move || params.with(dials)></div>
    }
    .into_any()
}
