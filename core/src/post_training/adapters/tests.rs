use super::figure::Params;
use super::*;
use crate::declare::Model as _;
use crate::post_training::held::{NF4, Tune};
use crate::query::Query;

fn read(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    params
}

#[test]
fn an_adapter_saves_states_and_no_weights() {
    let params = read("model=llama-3-8b&rank=16");
    let shown = params.evaluate().expect("possible");
    let [full, lora, qlora] = &shown.held;
    let n = full.params;
    assert_eq!(full.parts.states().0, 16.0 * n);
    // 2 + 2 + 12 bytes of each adapter parameter, beside the weights.
    assert!((lora.parts.states().0 - (2.0 * n + 16.0 * lora.trained)).abs() < 1.0);
    assert_eq!(lora.trained, 41_943_040.0);
    assert!(qlora.parts.weights.0 < 0.4 * lora.parts.weights.0);
    assert!((NF4 * 8.0 - 4.127).abs() < 1e-3, "4.127 bits, as the paper has it");
    // Every input is needed for some adapter's gradient.
    assert!(lora.parts.activations > full.parts.activations);
    let narrow = read("targets=qv").evaluate().expect("possible");
    assert!(narrow.held[1].parts.activations < narrow.held[0].parts.activations);
}

#[test]
fn qlora_fits_65_billion_on_48_gb_and_full_fine_tuning_takes_more_than_780() {
    // Dettmers et al., §1: "from >780GB of GPU memory to <48GB". Llama 65B: 80 layers of 8192, no grouping.
    let llama = "model=custom&hidden_size=8192&num_hidden_layers=80&num_attention_heads=64&intermediate_size=22016&vocab_size=32000";
    let params = read(&format!("{llama}&rank=16&seq=512&mbs=1&recompute=full&gpu=a6000-48"));
    let shown = params.evaluate().expect("possible");
    assert!(shown.total(Tune::Full) > 780e9 && shown.total(Tune::Qlora) < 48e9, "{}", shown.total(Tune::Qlora));
}

#[test]
fn tensor_parallel_ranks_share_what_their_matrix_shares() {
    let shape = crate::model::presets::find("llama-3-8b").expect("a preset").shape;
    let of = |tp| Adapter::new(&shape, Fused::Apart, Targets::Attention, 8, Variant::Lora, tp).elements().params;
    let whole = Adapter::new(&shape, Fused::Apart, Targets::Attention, 8, Variant::Lora, 1);
    assert_eq!(of(1), whole.params() as f64);
    // q, k, v: A whole, B cut; o: A cut, B whole.
    assert_eq!(of(8), 32.0 * 8.0 * (3.0 * 4096.0 + 512.0 + 2.0 * 128.0 + 512.0 + 4096.0));
}

#[test]
fn findings_have_their_numbers() {
    for view in ["memory", "rank", "serving"] {
        let params = read(&format!("view={view}"));
        let finding = params.finding(&params.evaluate().expect("possible"));
        assert!(finding.ends_with('.') && !finding.contains("NaN"), "{finding}");
    }
}

#[test]
fn a_verdict_quotes_the_checkpointed_number_and_the_sequences_that_fit() {
    use crate::memory::activations::Recompute;
    use crate::quantity::Unit;
    let params = read("model=llama-3-70b&gpu=l40s-48&tune=qlora");
    let shown = params.evaluate().expect("possible");
    let of = |seq: u64| {
        Params { seq, recompute: Recompute::Full, ..params }.evaluate().expect("possible").total(Tune::Qlora)
    };
    let says = params.verdict_in_words(&shown, params.tune);
    assert!(says.starts_with("QLoRA doesn’t fit even with gradient checkpointing: at 2,048 tokens"), "{says}");
    for total in [of(params.seq), shown.total(Tune::Qlora)] {
        assert!(says.contains(&Unit::Bytes.format(total)), "{says}");
    }
    let shorter = [1024, 512, 256]
        .into_iter()
        .find(|seq| says.contains(&format!("Sequences of {} tokens", crate::quantity::grouped(*seq))));
    match shorter {
        Some(seq) => assert!(says.contains(&Unit::Bytes.format(of(seq))) && says.contains("which "), "{says}"),
        None => assert!(says.contains("Take a larger GPU"), "{says}"),
    }
    // Several cards share the weights.
    let [two, eight] = ["dp=2&tune=qlora", "dp=8&tune=lora"].map(|how| {
        let params = read(&format!("model=llama-3-70b&gpu=a6000-48&zero=3&{how}"));
        params.verdict_in_words(&params.evaluate().expect("possible"), params.tune)
    });
    assert!(two.starts_with("QLoRA with ZeRO\u{2011}3 over 2 GPUs fits"), "{two}");
    assert!(eight.starts_with("LoRA with ZeRO\u{2011}3 over 8 GPUs fits"), "{eight}");
    // On a card that has room, nothing is given up.
    let roomy = read("model=llama-3-8b&gpu=h100-80&tune=qlora&recompute=full");
    let says = roomy.verdict_in_words(&roomy.evaluate().expect("possible"), roomy.tune);
    assert!(
        says.starts_with("QLoRA fits with gradient checkpointing: ") && !says.contains("Without checkpointing"),
        "{says}"
    );
}

#[test]
fn the_verdict_is_on_what_was_asked_for() {
    let of = |query: &str| {
        let params = read(query);
        let shown = params.evaluate().expect("possible");
        let quantities = params.quantities(&shown);
        ["tuned", "verdict"].map(|id| quantities.iter().find(|q| q.id == id).map(|q| q.value).expect("a quantity"))
    };
    let [lora, qlora] =
        ["lora", "qlora"].map(|tune| of(&format!("model=llama-3-8b&gpu=t4&recompute=full&tune={tune}")));
    assert!(qlora[0] < lora[0] && qlora[1] > lora[1], "{lora:?} {qlora:?}");
}
