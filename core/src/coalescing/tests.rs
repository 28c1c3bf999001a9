use super::*;

fn at(query: &str) -> Params {
    let (params, problems) = Params::read(&crate::query::Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params
}

fn sectors(query: &str) -> (usize, usize) {
    let access = at(query).access(LANES);
    (access.sectors.len(), access.lines.len())
}

/// CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory": aligned neighbours take four sectors, misaligned five; a stride
/// of two halves the efficiency; from a stride of eight floats each lane has a sector of its own.
#[test]
fn sectors_are_those_of_the_best_practices_guide() {
    assert_eq!(sectors(""), (4, 1));
    assert_eq!(sectors("pattern=permutation"), (4, 1));
    assert_eq!(sectors("offset=1"), (5, 2));
    assert_eq!(sectors("offset=8"), (4, 2));
    assert_eq!(sectors("stride=2"), (8, 2));
    assert_eq!(at("stride=2").access(LANES).efficiency(), 0.5);
    assert_eq!(sectors("stride=8"), (32, 8));
    assert_eq!(sectors("stride=32"), (32, 32));
    assert_eq!(at("stride=32").access(LANES).efficiency(), 0.125);
    assert_eq!(sectors("pattern=broadcast"), (1, 1));
    assert_eq!(sectors("width=16"), (16, 4));
    assert_eq!(sectors("pattern=column&columns=1024"), (32, 32));
    assert_eq!(sectors("width=1"), (1, 1));
    assert_eq!(sectors("width=2&offset=1"), (3, 1));
}

#[test]
fn every_lane_adds_what_it_touches() {
    let p = at("stride=3&offset=5");
    let counts: Vec<usize> = (0..=LANES).map(|lanes| p.access(lanes).sectors.len()).collect();
    assert_eq!((counts[0], counts[1]), (0, 1));
    assert!(counts.windows(2).all(|w| w[1] >= w[0] && w[1] <= w[0] + 1));
}

fn passes(query: &str) -> (u64, u64) {
    let banks = at(&format!("memory=shared&{query}")).banks();
    (banks.degree, banks.passes)
}

/// A column of a 32 × 32 tile of floats is a 32-way conflict; one value more in each row ends it ("Shared Memory in Matrix
/// Multiplication"), and so does a swizzle.
#[test]
fn columns_conflict_until_they_are_padded_or_swizzled() {
    assert_eq!(passes("walk=column&tile=32"), (32, 32));
    assert_eq!(passes("walk=column&tile=32&repair=pad"), (1, 1));
    assert_eq!(passes("walk=column&tile=32&repair=swizzle"), (1, 1));
    assert_eq!(passes("walk=row&tile=32"), (1, 1));
    assert_eq!(passes("walk=row&tile=32&repair=swizzle"), (1, 1));
    assert_eq!(passes("walk=column&tile=16"), (16, 16));
    assert_eq!(passes("walk=column&tile=64"), (32, 32));
    assert_eq!(passes("walk=diagonal&tile=32"), (1, 1));
    // Lanes that read the same word share it.
    assert_eq!(passes("walk=row&tile=1"), (1, 1));
}

/// Sixteen bytes a lane: a quarter of the warp at a time, and neighbours do not conflict.
#[test]
fn wide_values_are_served_a_part_of_the_warp_at_a_time() {
    assert_eq!(passes("walk=row&tile=32&width=16"), (1, 4));
    assert_eq!(passes("walk=row&tile=32&width=8"), (1, 2));
    assert_eq!(passes("walk=column&tile=32&width=16"), (8, 32));
    assert_eq!(passes("walk=column&tile=32&width=16&repair=pad"), (1, 4));
}

#[test]
fn a_gather_reads_each_value_once() {
    use measured::{Gather, Order};
    for (order, stride) in [
        (Order::Strided, 1),
        (Order::Strided, 4),
        (Order::Strided, 8),
        (Order::Strided, 32),
        (Order::Permuted, 1),
        (Order::Scattered, 1),
    ] {
        let gather = Gather { n: 1 << 12, order, stride, offset: 0 };
        let mut places: Vec<u64> = (0..gather.n).map(|i| gather.place(i)).collect();
        places.sort_unstable();
        assert!(places.iter().enumerate().all(|(i, place)| i as u64 == *place), "{gather:?}");
    }
    assert_eq!(at("stride=8").run().map(|run| run.predicted()), Some(4.5));
    assert_eq!(at("").copy().predicted(), 1.0);
}

#[test]
fn findings_say_what_the_drawing_shows() {
    let strided = at("stride=8").finding();
    assert!(strided.starts_with("32 sectors of 32 B in 8 lines: ") && strided.contains("8 times as much"), "{strided}");
    assert!(at("").finding().contains("coalesced"));
    assert!(at("memory=shared").finding().starts_with("A 32-way bank conflict"));
    let padded = at("memory=shared&repair=pad").finding();
    assert!(padded.contains("no two lanes") && padded.contains("128"), "{padded}");
}
