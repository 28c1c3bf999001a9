use super::*;
use crate::query::Query;

fn at(query: &str) -> (Params, Shown) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let shown = params.shown();
    (params, shown)
}

fn error(query: &str) -> f64 {
    let (params, shown) = at(query);
    params.outcome(&shown).map_or(1.0, |r| r.error)
}

#[test]
fn finer_scales_confine_an_outlier() {
    // int8 has no exponent: one outlier takes the resolution of everything that shares its scale.
    assert!(error("recipe=int8-tensor") > 0.5);
    assert!(error("recipe=int8-column") < 0.02);
    let finding = |query: &str| {
        let (params, shown) = at(query);
        params.finding(&shown)
    };
    // The least error is not usable: the columns are what a product of activations sums over.
    assert!(
        finding("recipe=int8-column&outlier=256").contains("No product can use it"),
        "{}",
        finding("recipe=int8-column")
    );
    assert!(!finding("recipe=int8-row&outlier=256").contains("one scale a column"));
    // fp8 has one, and loses only what falls off its lower end.
    let tensor = error("recipe=e4m3-tensor&outlier=65536");
    let tiles = error("recipe=mxfp8&outlier=65536");
    assert!(tensor > 0.15 && tiles < 0.06, "{tensor} {tiles}");
    assert!(error("recipe=nvfp4&outlier=1") < error("recipe=mxfp4&outlier=1"));
}

#[test]
fn a_delayed_scale_is_late_by_one_step() {
    let (params, shown) = at("view=delayed&jump=16");
    assert!(shown.delayed[JUMP_AT].saturated > 0.5 && shown.delayed[JUMP_AT + 1].saturated < 0.01);
    assert!(params.finding(&shown).contains("Its scale knows only the maxima before it"));
    let (_, shown) = at("view=delayed&jump=4&margin=3");
    assert_eq!(shown.delayed[JUMP_AT].saturated, 0.0);
}

#[test]
fn training_with_rounding_wins_most_of_it_back() {
    let (params, shown) = at("view=training&outlier=1");
    let t = &shown.trained;
    assert!(t.rounded > 1.0 && t.aware.last < t.rounded / 2.0 && t.float.last < 0.1, "{}", params.finding(&shown));
}

#[test]
fn few_bits_of_accumulation_show_at_large_k() {
    let (params, shown) = at("view=accumulate");
    let (k, [raw, promoted, full]) = *shown.sums.last().expect("sums");
    assert_eq!(k, 4096);
    assert!(raw > 4.0 * promoted && full < 1e-6, "{}", params.finding(&shown));
}
