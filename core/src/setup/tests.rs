use proptest::prelude::*;

use super::*;
use crate::catalogue::{self, Declared, Entry};
use crate::declare::Takes;
use crate::model::import;

fn entry(id: &str) -> &'static Entry {
    catalogue::find(id).expect("a model of the catalogue")
}

fn filled(id: &str, setup: &str, now: &str) -> Filled {
    let (setup, problems) = Setup::read(setup);
    assert_eq!(problems, []);
    fill(entry(id).params(), &setup, &Query::parse(now))
}

fn get(filled: &Filled, name: &str) -> String {
    filled.query.get(name).unwrap_or_default().to_owned()
}

#[test]
fn what_is_written_reads_back() {
    let text = "model=llama-3-8b&gpu=a100-80&node=4&nodes=16&link=pcie4&net=eth-100&alpha=3e-5&bandwidth=1.5e9&flops=2e14\
                &memory-bandwidth=1.5e12&launch=4e-6&op=all-reduce&ranks=8&times=8:20,1024:21.5&seq=8192&batch=512&mbs=1&tp=2&pp=4&cp=1&ep=1&zero=0";
    let (setup, problems) = Setup::read(text);
    assert_eq!(problems, []);
    assert_eq!((setup.gpus(), setup.measured.len()), (Some(64), 5));
    let again = setup.query().to_string();
    assert_eq!(Setup::read(&again), (setup, Vec::new()));
    assert!(Setup::read("").0.is_empty());
}

#[test]
fn another_setup_replaces_what_it_has_and_the_links_go_with_the_gpu() {
    let mut setup = Setup::read("model=llama-3-8b&gpu=a100-80&node=4&net=eth-10&launch=4e-6").0;
    setup.adopt(&Setup::read("gpu=h100-80&nodes=2").0);
    assert_eq!(setup, Setup::read("model=llama-3-8b&gpu=h100-80&node=4&nodes=2&launch=4e-6").0);
}

#[test]
fn a_gpu_brings_its_links_and_a_chosen_link_stays() {
    let ids = |text: &str| {
        let setup = Setup::read(text).0;
        [setup.inside(), setup.between()].map(|link| link.map_or("", |l| l.id))
    };
    assert_eq!(ids("gpu=a100-80"), ["nvlink3", "hdr"]);
    assert_eq!(ids("gpu=a100-80&net=eth-10"), ["nvlink3", "eth-10"]);
    assert_eq!(ids("node=8"), ["", ""]);
}

#[test]
fn a_hostile_text_is_named_and_loses_nothing_else() {
    let cases = [
        ("gpu=h100-8&node=8", "gpu"),
        ("node=1e99&gpu=h100-80", "node"),
        ("node=-1&gpu=h100-80", "node"),
        ("flops=NaN&gpu=h100-80", "flops"),
        ("model=custom&hidden_size=64&gpu=h100-80", "num_hidden_layers"),
        ("times=8:20&gpu=h100-80", "times"),
        ("op=all-reduce&ranks=2&times=8:20,<script>&gpu=h100-80", "times"),
        ("toString=1&gpu=h100-80", "toString"),
    ];
    for (text, name) in cases {
        let (setup, problems) = Setup::read(text);
        assert!(problems.iter().any(|p| p.name == name && p.message.ends_with('.')), "{text}: {problems:?}");
        assert_eq!(setup.gpu.is_some(), !text.contains("gpu=h100-8&"), "{text}");
        assert_eq!((setup.model, &setup.times), (None, &None), "{text}");
        assert_eq!(Setup::read(&setup.query().to_string()), (setup, Vec::new()), "{text}");
    }
    let (setup, problems) = Setup::read(&"gpu=h100-80&".repeat(2000));
    assert!(setup.is_empty() && problems[0].message.contains("at most"));
}

#[test]
fn a_figure_takes_what_it_has_parameters_for_and_says_what_it_left() {
    let setup = "model=llama-3-8b&gpu=a100-80&node=4&nodes=2&flops=156e12&launch=4e-6";
    let planner = filled("parallel-planner", setup, "batch=64");
    let names = ["model", "gpu", "node", "nodes", "link", "net", "batch"];
    assert_eq!(
        names.map(|name| get(&planner, name)),
        ["llama-3-8b", "a100-80", "4", "2", "nvlink3", "hdr", "64"].map(str::to_owned)
    );
    assert!(planner.left.iter().any(|why| why.contains("the cost of a launch")), "{:?}", planner.left);
    // Of the A100's 312 TFLOP/s.
    assert_eq!(get(&filled("scaling-curve", setup, ""), "mfu"), "0.5");
    assert_eq!(get(&filled("rlhf-memory", setup, ""), "mfu"), "50");
    assert_eq!(get(&filled("kernel-fusion", setup, ""), "launch"), "4");
    assert_eq!(get(&filled("memory-hierarchy", setup, ""), "gpu"), "a100-80");
    let beyond = filled("zero-stepper", "node=8&nodes=100", "");
    assert_eq!((get(&beyond, "ranks").as_str(), get(&beyond, "node").as_str()), ("", "8"));
    assert!(beyond.left[0].starts_with("Ranks: 800 is not within 2 to"), "{:?}", beyond.left);
}

#[test]
fn a_job_goes_with_the_model_and_what_it_leaves_open_is_free() {
    let machines = "model=llama-3-8b&gpu=h100-80&node=8&nodes=8";
    let job = format!("{machines}&seq=4096&batch=512&tp=2&pp=4&zero=1");
    let planner = filled("parallel-planner", &job, "");
    let pins = ["seq", "batch", "tp", "pp", "zero", "cp", "ep", "mbs"];
    assert_eq!(pins.map(|name| get(&planner, name)), ["4096", "512", "2", "4", "1", "0", "0", "0"].map(str::to_owned));
    assert!(
        planner.took.iter().any(|line| line.contains("free") && line.contains("Micro-batch")),
        "{:?}",
        planner.took
    );
    assert_eq!(planner.left, Vec::<String>::new());
    // What a link fixes stays, and a setup without a model is of no other job.
    assert_eq!(get(&filled("parallel-planner", machines, "tp=4&zero=3"), "tp"), "4");
    assert_eq!(get(&filled("parallel-planner", "gpu=h100-80", ""), "tp"), "");
    let memory = filled("memory-breakdown", &job, "");
    assert_eq!(
        ["dp", "tp", "pp", "zero", "seq"].map(|name| get(&memory, name)),
        ["8", "2", "4", "1", "4096"].map(str::to_owned)
    );
    assert_eq!(get(&filled("training-run", &job, ""), "batch"), "2.097152e6");
    // Ranks that don't divide the GPUs leave no number of replicas.
    assert_eq!(get(&filled("memory-breakdown", &format!("{machines}&tp=3"), ""), "dp"), "");
    let mut setup = Setup::read(&job).0;
    setup.adopt(&Setup::read("seq=8192").0);
    assert_eq!((setup.job.len(), setup.model.is_some()), (1, true), "another job replaces this one");
}

#[test]
fn a_model_takes_the_place_of_another_and_of_a_number() {
    let shown = filled("memory-breakdown", "model=llama-3-8b", "params=30e9&dp=8");
    assert_eq!((get(&shown, "model").as_str(), get(&shown, "params").as_str()), ("llama-3-8b", ""));
    let counted = filled("memory-breakdown", "params=7e9", "model=llama-3-8b&dp=8");
    assert_eq!((get(&counted, "params").as_str(), get(&counted, "model").as_str()), ("7e9", ""));
    let config = r#"{"model_type":"llama","hidden_size":2048,"num_hidden_layers":22,"num_attention_heads":32,
        "num_key_value_heads":4,"intermediate_size":5632,"vocab_size":32000}"#;
    let imported = match import(config) {
        Ok(crate::model::Import::Known(imported)) => imported,
        other => panic!("{other:?}"),
    };
    let setup = Setup { model: Some(ModelRef::own(imported.shape)), ..Setup::default() };
    assert_eq!(Setup::read(&setup.query().to_string()), (setup.clone(), Vec::new()));
    let own = fill(entry("activation-memory").params(), &setup, &Query::parse("model=gpt3-175b"));
    assert_eq!((get(&own, "model").as_str(), get(&own, "num_hidden_layers").as_str()), ("custom", "22"));
    for figure in ["roofline", "kv-compression"] {
        let own = fill(entry(figure).params(), &setup, &Query::default());
        assert_eq!((get(&own, "model").as_str(), &own.left), ("custom", &Vec::new()), "{figure}");
    }
}

#[test]
fn types_and_declarations_say_what_is_taken() {
    for entry in catalogue::ALL {
        for Declared { spec, takes, .. } in entry.params() {
            let Kind::Choice(ids) = spec.kind else { continue };
            let what = takes.map(|take| take.what);
            if ids == hardware::IDS {
                assert_eq!(what, Some(Takes::Gpu), "{}: {}", entry.id, spec.name);
            }
            if ids == links::BETWEEN_IDS {
                assert_eq!(what, Some(Takes::Between), "{}: {}", entry.id, spec.name);
            }
            if ids == links::INSIDE_IDS {
                assert_eq!(what, Some(Takes::Inside), "{}: {}", entry.id, spec.name);
            }
            if spec.name == "model" && entry.id != "kernel-workbench" {
                assert_eq!(what, Some(Takes::Model), "{}: {}", entry.id, spec.name);
            }
        }
    }
    let offered = catalogue::ALL.iter().filter(|entry| is_offered(entry.params())).count();
    assert!(offered >= 30, "{offered}");
}

fn setups() -> impl Strategy<Value = Setup> {
    let pick = |ids: &'static [&'static str]| proptest::option::of(proptest::sample::select(ids));
    let model = prop_oneof![
        Just(None),
        (1_u64..1_000_000_000_000).prop_map(|n| Some(ModelRef::Count(n))),
        (0..presets::ALL.len()).prop_map(|i| Some(ModelRef::Preset(&presets::ALL[i]))),
        (1_u64..200, 0..presets::ALL.len())
            .prop_map(|(layers, i)| { Some(ModelRef::own(presets::ALL[i].shape.with_layers(layers))) }),
    ];
    let cluster = (
        pick(&hardware::IDS),
        pick(&links::INSIDE_IDS),
        pick(&links::BETWEEN_IDS),
        proptest::option::of(1..=MAX_NODE),
        proptest::option::of(1..=MAX_NODES),
    );
    let measured = proptest::collection::vec(proptest::option::of(-3.0..17.0_f64), 6);
    let times = proptest::collection::vec((1.0..1e9_f64, 1e-6..1.0_f64), 0..70);
    let job = proptest::collection::vec(proptest::option::of(0_u32..20), JOB.len());
    (model, cluster, measured, times, 2_u64..5000, job).prop_map(|(model, cluster, measured, times, ranks, job)| {
        let (gpu, link, net, node, nodes) = cluster;
        let mut setup = Setup { model, node, nodes, ..Setup::default() };
        let of = |((what, spec), power): ((Takes, ParamSpec), Option<u32>)| {
            let Kind::Integer { min, max } = spec.kind else { return None };
            Some((what, (1_u64 << power?).clamp(min, max)))
        };
        setup.job = JOB.into_iter().zip(job).filter_map(of).collect();
        setup.gpu = gpu.and_then(hardware::find);
        setup.link = link.and_then(links::find);
        setup.net = net.and_then(links::find);
        let measured = Measurable::ALL.into_iter().zip(measured);
        let measured = measured.filter_map(|(what, power)| Some(Measured { what, value: 10_f64.powf(power?) }));
        setup.keep(&measured.collect::<Vec<_>>(), Times::new("all_gather", ranks, &times).as_ref());
        setup
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_figure_takes_valid_values_from_any_setup(setup in setups()) {
        for entry in catalogue::ALL.iter().filter(|entry| is_offered(entry.params())) {
            let now = (entry.read)(&Query::default()).0;
            let filled = fill_state(*entry, &setup, &now);
            let (read, problems) = (entry.read)(&filled.query);
            prop_assert!(problems.is_empty(), "{}?{}: {problems:?}", entry.id, filled.query);
            // What it says that it took, it shows.
            for (name, value) in filled.query.iter().filter(|(name, value)| now.get(name) != Some(value)) {
                let kept = read.get(name).unwrap_or_default();
                let same = kept == value || crate::query::parse_number(kept) == crate::query::parse_number(value);
                prop_assert!(same || name == "times" || name == "measured", "{}: {name}={value} became {kept}", entry.id);
            }
            prop_assert!(filled.query == now || !filled.took.is_empty(), "{}: {filled:?}", entry.id);
        }
    }

    #[test]
    fn any_setup_reads_back(setup in setups()) {
        let text = setup.query().to_string();
        prop_assert!(text.len() <= LONGEST, "{}", text.len());
        let (again, problems) = Setup::read(&text);
        prop_assert!(problems.is_empty(), "{text}: {problems:?}");
        prop_assert_eq!(again, setup);
    }

    #[test]
    fn any_text_is_read_in_sentences(text in "[a-z_\\-]{0,8}=\\PC{0,10}(&(gpu|node|flops|times|model|ranks|op)=\\PC{0,10}){0,4}") {
        let (setup, problems) = Setup::read(&text);
        prop_assert!(problems.iter().all(|p| p.message.ends_with('.')), "{problems:?}");
        prop_assert_eq!(Setup::read(&setup.query().to_string()).1, Vec::new());
    }
}

#[test]
fn a_server_keeps_its_replica_and_its_users() {
    let setup = "model=llama-3-70b&gpu=h100-80&node=8&nodes=1&replica=4&users=200";
    let cache = filled("kv-cache", setup, "");
    assert_eq!(["view", "tp", "gpu"].map(|name| get(&cache, name)), ["fit", "4", "h100-80"].map(str::to_owned));
    let planner = filled("serving-planner", setup, "");
    assert_eq!(["tp", "users"].map(|name| get(&planner, name)), ["4", "200"].map(str::to_owned));
    assert_eq!(get(&filled("continuous-batching", setup, ""), "tp"), "4");
    // Tensor-parallel ranks are those of the replica where nothing else is said.
    let job = "model=llama-3-8b&gpu=h100-80&tp=2";
    let cache = filled("kv-cache", job, "");
    assert_eq!((get(&cache, "tp").as_str(), get(&cache, "view").as_str()), ("2", "fit"));
    assert!(cache.left.iter().all(|why| !why.contains("Tensor")), "{:?}", cache.left);
    assert_eq!(get(&filled("kv-cache", "users=8", ""), "view"), "", "nothing says what is served");
    let (read, problems) = Setup::read(setup);
    assert_eq!((problems, Setup::read(&read.query().to_string()).0), (Vec::new(), read));
}
