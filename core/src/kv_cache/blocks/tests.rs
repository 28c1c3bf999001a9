use super::figure::{Params, Shown};
use super::manager::{Appended, Full, Manager, Place};
use super::prefix::Prefixes;
use super::serve::{Event, Stage};
use super::usage::For;
use super::walk::{at_once, made_up, walk};
use crate::declare::Model as _;
use crate::explore::{Levers, Sliced as _, decided};
use crate::memory::Verdict;
use crate::model::{ModelRef, presets};
use crate::query::Query;

fn shown(query: &str) -> (Params, Shown) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    let shown = params.evaluate().unwrap_or_else(|why| panic!("{query}: {why}"));
    (params, shown)
}

fn quantity(query: &str, id: &str) -> f64 {
    (Params::ENTRY.evaluate)(&Query::parse(query)).get(id).expect("a quantity")
}

/// At every step of every kind of memory, slots are what they are for, no block is twice in what is drawn, and all end.
#[test]
fn slots_add_up_at_every_step() {
    let requests = "requests=7:14,13:9*3,5:18,10:7,9:13*2,6:10";
    for keeper in ["longest", "power-of-two", "oracle", "vllm-0.2", "vllm-v1"] {
        let state = format!("{requests}&keeper={keeper}&block=4&blocks=19&host=40&shared=4");
        let (_, whole) = shown(&format!("{state}&step=100000"));
        assert_eq!(whole.run.stuck, None, "{keeper}");
        assert!(whole.run.rows.iter().all(|row| row.stored == row.last), "{keeper}");
        for step in 0..=whole.run.ticks.len() {
            let (_, s) = shown(&format!("{state}&step={step}"));
            let usage = s.run.usage;
            let null = if keeper == "vllm-v1" { 4 } else { 0 };
            assert_eq!(usage.held() + usage.free + null, usage.slots, "{keeper}, step {step}");
            assert!(usage.tokens <= usage.logical && usage.blocks <= usage.in_tables, "{keeper}, step {step}");
            let mut slots: Vec<(u64, u64)> = s.run.segments.iter().map(|s| (s.from, s.from + s.slots)).collect();
            slots.sort_unstable();
            assert!(slots.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{keeper}, step {step}");
        }
        assert_eq!(whole.run.usage.held(), 0, "{keeper}");
    }
}

/// The verdict on the pool is what happened in it, and what it lacks is what a pool needs in which nobody waits.
#[test]
fn the_pool_has_a_verdict_and_the_blocks_it_needs_suffice() {
    let entry = &Params::ENTRY;
    for keeper in ["longest", "power-of-two", "oracle", "vllm-0.2", "vllm-v1"] {
        let state = format!("keeper={keeper}&watermark=0&requests=7:14,13:9*2,5:18,10:7");
        let needed = quantity(&state, "needed-blocks");
        let good = |blocks: f64| {
            let query = Query::parse(&format!("{state}&blocks={blocks}"));
            decided(entry, &(entry.evaluate)(&query)).expect("a verdict").is_good
        };
        assert!(good(needed + 40.0), "{keeper}");
        assert!(!good((needed / 2.0).floor()), "{keeper}");
    }
    let query = Query::parse("");
    let bad = decided(entry, &(entry.evaluate)(&query)).expect("a verdict");
    assert!(!bad.is_good && bad.by.contains("over the"), "{bad:?}");
    let remedy = Levers::new(*entry, &query).expect("a decision").finish().remedy();
    let state = remedy.query.unwrap_or_else(|| panic!("{}", remedy.said));
    assert!(decided(entry, &(entry.evaluate)(&state)).is_some_and(|now| now.is_good), "{state}");
    let walk = Query::parse("view=walk");
    assert_eq!(decided(entry, &(entry.evaluate)(&walk)), None);
    let fit = Query::parse("view=fit");
    let fit = decided(entry, &(entry.evaluate)(&fit)).expect("a verdict");
    assert!(fit.is_good && fit.by.starts_with("Concurrent requests in blocks: "), "{fit:?}");
}

/// A request that gives way twice computes its tokens again, and ends with as many as any other.
#[test]
fn who_gives_way_is_computed_again_or_swapped() {
    let state = "requests=8:30,8:30,8:30&block=4&blocks=16";
    let again = format!("{state}&preempt=auto");
    assert!(quantity(&again, "preempted") > 0.0 && quantity(&again, "swapped-blocks") == 0.0);
    assert!(quantity(&again, "computed-again") > 0.0);
    assert_eq!(quantity(&again, "computed"), 3.0 * 37.0 + quantity(&again, "computed-again"));
    let swap = format!("{state}&preempt=swap&host=20");
    assert!(quantity(&swap, "swapped-blocks") > 0.0 && quantity(&swap, "computed-again") == 0.0);
    assert_eq!(quantity(&swap, "computed"), 3.0 * 37.0);
    let (_, full) = shown(&format!("{state}&preempt=swap&host=2"));
    assert!(full.run.stuck.is_some_and(|why| why.contains("lack of CPU swap space")));
    // V1 finds what it had, where nobody has taken it.
    let v1 = format!("{state}&keeper=vllm-v1");
    assert!(quantity(&v1, "preempted") > 0.0 && quantity(&v1, "found") > 0.0);
    let without = quantity(&format!("{v1}&caches=false"), "computed-again");
    assert!(quantity(&v1, "computed-again") < without, "{without}");
}

#[test]
fn what_never_fits_is_said() {
    let stuck = |query: &str| shown(query).1.run.stuck.unwrap_or_default();
    assert!(stuck("requests=40:5&block=4&blocks=9").contains("even the empty pool"));
    assert!(stuck("requests=20:40&block=4&blocks=9").contains("No free blocks are available"));
    assert!(stuck("requests=20:40&block=4&blocks=9&keeper=oracle").contains("a room of 59 slots"));
    let beam = Params::read(&Query::parse("requests=8:4^3&keeper=vllm-v1")).0;
    assert!(beam.evaluate().is_err_and(|why| why.contains("beam search")));
}

/// vLLM 0.2's samples hold their prompt together: full blocks for ever, the last one until it is written to.
#[test]
fn samples_share_the_prompt() {
    let (_, s) = shown("requests=10:9*3&block=4&blocks=20&step=2");
    let copies = s.run.events.iter().filter(|e| matches!(e, Event::Copied { .. })).count();
    assert_eq!(copies, 2, "{:?}", s.run.events);
    assert_eq!((s.run.usage.in_tables, s.run.usage.blocks), (9, 5));
    // V1: each sample finds the prompt’s full blocks.
    let (_, s) = shown("requests=10:9*3&block=4&blocks=20&keeper=vllm-v1&step=1");
    assert_eq!((s.run.usage.in_tables, s.run.usage.blocks, s.run.totals.found), (9, 5, 16));
}

#[test]
fn beams_share_more_than_samples() {
    let saved = |sign: char| {
        let state = format!("requests=12:24{sign}4&block=4&blocks=60");
        let steps = quantity(&state, "steps") as usize;
        (1..steps).map(|step| quantity(&format!("{state}&step={step}"), "saved")).sum::<f64>() / steps as f64
    };
    assert!(saved('^') > 1.3 * saved('*'), "{} {}", saved('^'), saved('*'));
}

/// A block that nobody holds is found until it is taken, and the end of a sequence is taken before its beginning.
#[test]
fn known_blocks_are_lost_from_the_end() {
    let mut pool = Prefixes::new(4, 8, true);
    let same = |at: u64| at;
    assert_eq!(pool.allocate(0, 16, &same).map(|a| (a.found, a.taken)), Some((0, 4)));
    pool.free_sequence(0);
    assert_eq!(pool.kept().collect::<Vec<_>>(), [4, 3, 2, 1]);
    // Three blocks are free that were never known; the fourth takes the last of the old sequence.
    let other = |at: u64| at + 1000;
    assert_eq!(pool.allocate(1, 14, &other).map(|a| (a.taken, a.lost)), Some((4, 1)));
    pool.free_sequence(1);
    // Of sixteen tokens the last one is computed in any case, so at most three blocks are found.
    assert_eq!(pool.allocate(2, 16, &same).map(|a| (a.found, a.taken)), Some((12, 1)));
    assert_eq!(pool.allocate(3, 16, &same).map(|a| a.found), Some(12));
    assert_eq!(pool.held(1), 2);
}

#[test]
fn a_group_moves_to_the_host_and_back() {
    let mut manager = Manager::new(4, 10, 3, 0.0);
    manager.allocate(&[1], 6).expect("room");
    manager.fork(1, 2);
    assert_eq!(manager.append(1, 7), Ok(Appended::Copy { from: 8, to: 7 }));
    assert_eq!(manager.free(), 7);
    assert_eq!(manager.swap_out(&[1, 2]).map(|moved| moved.len()), Ok(3));
    assert_eq!((manager.free(), manager.free_on_host()), (10, 0));
    assert!(matches!(manager.table(1), Some((Place::Host, [2, 1]))));
    assert_eq!(manager.append(1, 8), Err(Full::Unknown));
    assert!(manager.can_swap_in(&[1, 2]));
    assert_eq!(manager.swap_in(&[1, 2]).map(|moved| moved.len()), Ok(3));
    let shared = manager.table(1).map_or(0, |(_, table)| table[0]);
    assert_eq!((manager.held(shared), manager.free()), (2, 7));
    manager.free_sequence(1);
    manager.free_sequence(2);
    manager.free_sequence(2);
    assert_eq!((manager.free(), manager.free_on_host()), (10, 3));
}

/// Rooms for the longest leave a gap that nobody fits into, though it would be large enough in one piece.
#[test]
fn rooms_fragment() {
    let state = "requests=20:3,4:20,20:3,4:20,30:9&keeper=oracle&block=4&blocks=22";
    let steps = quantity(state, "steps") as usize;
    let external = (1..=steps).map(|step| quantity(&format!("{state}&step={step}"), "external-slots"));
    assert!(external.fold(0.0, f64::max) > 30.0);
    let (_, s) = shown("requests=7:14&keeper=longest&longest=32&step=3");
    let of = |what: For| s.run.segments.iter().filter(|s| s.what == what).map(|s| s.slots).sum::<u64>();
    assert_eq!((of(For::Token), of(For::Later), of(For::Never)), (9, 11, 12));
}

/// Whatever order blocks lie in, the walk yields what one tensor would.
#[test]
fn the_walk_is_attention() {
    for (sequence, tokens) in [(1, 1), (2, 4), (3, 29), (4, 64)] {
        let table: Vec<u32> = (0..16).map(|i| (i * 7 + 3) % 16).collect();
        let visits = walk(&table, 4, tokens, sequence);
        let (query, pairs) = made_up(sequence, tokens);
        let whole = at_once(&query, &pairs);
        let last = visits.last().expect("a block");
        assert_eq!(visits.iter().map(|v| v.tokens).sum::<u64>(), tokens);
        assert!(last.output.iter().zip(whole).all(|(a, b)| (a - b).abs() < 1e-12), "{last:?} {whole:?}");
    }
}

#[test]
fn heads_are_cut_and_a_latent_is_not() {
    let at = |query: &str, id: &str| quantity(&format!("view=fit&{query}"), id);
    assert_eq!(at("model=llama-3-70b&tp=4", "kv-heads"), 2.0);
    assert_eq!(at("model=llama-3-70b&tp=4", "bytes-per-token-gpu"), at("model=llama-3-70b", "bytes-per-token") / 4.0);
    assert_eq!(at("model=llama-3-70b&tp=16", "bytes-per-token-gpu"), at("model=llama-3-70b", "bytes-per-token") / 8.0);
    assert_eq!(at("model=deepseek-v3&tp=16", "bytes-per-token-gpu"), 70_272.0);
    assert_eq!(at("model=deepseek-v3&kv-bits=8", "bytes-per-token"), 35_136.0);
    // Half the bytes, twice the blocks.
    let blocks = |bits: u32| at(&format!("model=llama-3-8b&kv-bits={bits}&block=16"), "pool-blocks");
    assert!((blocks(8) - 2.0 * blocks(16)).abs() <= 1.0);
    // What all begin with is there once.
    let prefix = "model=llama-3-8b&block=16&tokens=2048&shared=1024";
    assert!(at(prefix, "requests-shared") > 1.9 * at(prefix, "requests-paged"));
}

#[test]
fn findings_and_captions_are_sentences() {
    for view in ["pool", "walk", "fit"] {
        for keeper in ["longest", "vllm-0.2", "vllm-v1"] {
            for step in [0, 1, 5, 12, 100_000] {
                let (params, s) = shown(&format!("view={view}&keeper={keeper}&step={step}"));
                for text in [params.finding(&s), params.caption(&s)] {
                    assert!(text.ends_with('.') && !text.contains("  "), "{text}");
                }
            }
        }
    }
    assert!(shown("").1.run.rows.iter().any(|row| row.stage == Stage::Running));
}

/// What a token costs to copy and to compute again, worked out by hand for an H100: 989.4 TFLOP/s, PCIe 5 with 63 GB/s each way. With
/// grouped queries copying wins; with a cache for every head, as in Llama 2 7B and OPT-13B, the two are about as long.
#[test]
fn copying_a_cache_is_held_against_computing_it_again() {
    for (model, copied, again) in [
        ("llama-3-8b", 2.0 * 131_072.0 / 63e9, 2.0 * 7.505e9 / 989.4e12),
        ("llama-2-7b", 2.0 * 524_288.0 / 63e9, 2.0 * 6.607e9 / 989.4e12),
        ("opt-13b", 2.0 * 819_200.0 / 63e9, 2.0 * 12.86e9 / 989.4e12),
    ] {
        let of = |id: &str| quantity(&format!("view=fit&model={model}&tp=1"), id);
        assert!((of("swap-time") / copied - 1.0).abs() < 1e-3, "{model}: {}", of("swap-time"));
        assert!((of("recompute-time") / again - 1.0).abs() < 0.01, "{model}: {}", of("recompute-time"));
    }
    let ratio = |model: &str| {
        let state = format!("view=fit&model={model}&tp=4");
        quantity(&state, "recompute-time") / quantity(&state, "swap-time")
    };
    assert!(ratio("llama-3-8b") > 3.5 && ratio("llama-3-70b") > 13.0);
    assert!(ratio("llama-2-7b") < 1.0 && (0.9..1.1).contains(&ratio("opt-13b")));
}

#[test]
fn a_model_brings_the_bits_of_its_checkpoint_unless_others_were_set() {
    let preset = |id: &str| ModelRef::Preset(presets::find(id).expect(id));
    let (mut params, _) = Params::read(&Query::parse("model=llama-3-8b"));
    for (id, bits) in [("deepseek-v3", 8), ("gpt-oss-20b", 4), ("llama-3-70b", 16)] {
        params.choose(preset(id));
        assert_eq!((params.model, params.weight_bits), (preset(id), bits));
    }
    params.weight_bits = 8;
    params.choose(preset("gpt-oss-20b"));
    assert_eq!(params.weight_bits, 8);
}

/// Llama 3 70B on two GPUs of 80 GB, as it was asked: what the label leaves is less than an engine takes, and a few requests rest on what a
/// process sees more.
#[test]
fn requests_that_an_engine_may_have_no_room_for_are_tight() {
    let fit = |query: &str| shown(&format!("view=fit&model=llama-3-70b&tp=2&tokens=2048&{query}")).1.fit;
    let all = fit("gpu=h100-80");
    assert!(all.verdict == Verdict::Fits && all.beside[0] > 0.0 && all.beside[0] < all.beside[1]);
    assert!(all.beside[1] < all.requests);
    let [few, none] = [fit("gpu=h100-80&used=0.86"), fit("gpu=h100-80&used=0.8")];
    assert!(few.requests > 0.0 && few.beside[0] == 0.0 && few.verdict == Verdict::Tight, "{few:?}");
    assert!(none.requests == 0.0 && none.verdict == Verdict::DoesNotFit, "{none:?}");
    // What the profiling run found counts instead.
    let said = fit("gpu=h100-80&activations=3");
    assert!(said.beside == [said.requests; 2] && said.verdict == Verdict::Fits, "{said:?}");
    let (params, shown) = shown("view=fit&model=llama-3-70b&tp=2&tokens=2048&gpu=h100-80&used=0.86");
    let says = params.finding(&shown);
    assert!(says.contains("before activations") && says.contains("which leaves 0 to "), "{says}");
}
