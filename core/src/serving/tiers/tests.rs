use super::{COPY, Layout, Params, REACHED, Tier};
use crate::declare::Model as _;
use crate::query::Query;

fn params(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params
}

#[test]
fn a_fetch_is_copies_and_bytes() {
    let p = params("model=llama-3-8b&tokens=8192&layout=layers");
    let point = p.point(&p.engine().expect("it fits"), p.tokens);
    // 512 blocks of 16 tokens, in each of 32 layers keys and values: pieces of 16 × 8 × 128 × 2 bytes.
    assert_eq!((point.copies, point.bytes), (512.0 * 64.0, 512.0 * 64.0 * 32_768.0));
    let seconds = point.copies * COPY + point.bytes / (63e9 * REACHED);
    assert!((point.from(Tier::Host) - seconds).abs() < 1e-12);
    let block = Params { layout: Layout::Block, ..p.clone() };
    assert_eq!(block.point(&p.engine().expect("it fits"), p.tokens).copies, 512.0);
    assert_eq!(point.from(Tier::Hbm), 0.0);
    assert!(point.from(Tier::Disk) > point.from(Tier::Host));
}

#[test]
fn only_whole_blocks_are_found_and_every_rank_fetches_its_heads_or_the_whole_latent() {
    let p = params("model=llama-3-70b&tp=4&tokens=1000&block=64");
    let o = p.evaluate().expect("it fits");
    assert_eq!(o.here.found, 960);
    let all = params("model=llama-3-70b&tp=8&tokens=1000&block=64").evaluate().expect("it fits");
    assert_eq!(o.here.bytes, 2.0 * all.here.bytes);
    let latent = |tp: u64| params(&format!("model=deepseek-v3&gpu=h200-141&quant=fp8&tp={tp}")).evaluate();
    let (eight, sixteen) = (latent(8).expect("it fits"), latent(16).expect("it fits"));
    assert_eq!(eight.here.bytes, sixteen.here.bytes);
    assert_eq!(eight.per_token, 61.0 * 576.0 * 2.0);
}

#[test]
fn fetching_wins_from_the_break_even_on_and_not_before() {
    for query in [
        "model=llama-3-8b&layout=layers",
        "model=llama-2-7b&layout=layers&gpu=a100-80&link=pcie4",
        "model=llama-3-8b&layout=block",
        "model=deepseek-v3&gpu=h200-141&quant=fp8&tp=8",
        "model=opt-13b&net=eth-10",
        "model=gemma-2-27b&layout=layers",
        "model=gpt-oss-20b&layout=layers",
    ] {
        let p = params(query);
        let (engine, o) = (p.engine().expect("it fits"), p.evaluate().expect("it fits"));
        for tier in Tier::ALL {
            let least = o.breaks_even[tier as usize].unwrap_or(u64::MAX);
            for power in 4..=20 {
                let tokens = 1_u64 << power;
                let point = p.point(&engine, tokens);
                if p.fits(&engine, &point) {
                    assert_eq!(point.fetches(tier), tokens >= least, "{query}, {tier:?}, {tokens}, {least}");
                }
            }
        }
    }
}

#[test]
fn keeping_costs_as_much_as_computing_at_the_longest_time_that_pays() {
    let p = params("model=llama-3-8b&tier=disk");
    let o = p.evaluate().expect("it fits");
    let longest = o.worth_keeping(Tier::Disk).expect("a disk costs money");
    assert!((o.keeping[Tier::Disk as usize] * longest - o.computing).abs() < 1e-12);
    assert!(o.keeping[0] > o.keeping[1] && o.keeping[1] > o.keeping[2]);
    assert!(o.capacity[0] < o.capacity[1] && o.capacity[1] < o.capacity[2]);
}

#[test]
fn findings_say_which_is_faster() {
    let finding = |query: &str| {
        let p = params(query);
        p.finding(&p.evaluate().expect("it fits"))
    };
    assert!(finding("model=llama-3-8b").starts_with("Fetch it: "));
    assert!(finding("model=llama-3-8b&tier=peer&net=eth-10").starts_with("Recompute it: "));
    assert!(finding("model=llama-3-8b&layout=layers").contains("With one piece for all layers it would take"));
    let long = params("model=llama-3-8b&tokens=1048576").evaluate().expect_err("it does not fit");
    assert!(long.contains("HBM has"), "{long}");
    assert!(finding("tier=hbm").starts_with("A hit in HBM costs no time"));
}
