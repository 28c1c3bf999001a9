//! Ranks as a grid of four places.

/// How many ranks lie along each place; the first changes fastest with the rank's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid(pub [u64; 4]);

impl Grid {
    /// Ranks in all.
    pub fn ranks(&self) -> u64 {
        self.0.iter().product()
    }

    /// From one rank to the next along each place.
    fn strides(&self) -> [u64; 4] {
        let mut stride = 1;
        self.0.map(|size| {
            let this = stride;
            stride *= size;
            this
        })
    }

    /// Where `rank` lies.
    pub fn place(&self, rank: u64) -> [u64; 4] {
        let strides = self.strides();
        std::array::from_fn(|i| rank / strides[i].max(1) % self.0[i].max(1))
    }

    /// The rank at a place.
    pub fn rank(&self, place: [u64; 4]) -> u64 {
        place.iter().zip(self.strides()).map(|(at, stride)| at * stride).sum()
    }

    /// The ranks that differ from `rank` in the places of `along` only, itself among them, in order.
    pub fn group(&self, rank: u64, along: [bool; 4]) -> Vec<u64> {
        let own = self.place(rank);
        let alike = |other: &u64| self.place(*other).iter().zip(own).zip(along).all(|((a, b), free)| free || *a == b);
        (0..self.ranks()).filter(alike).collect()
    }

    /// Every group along these places, each with its ranks in order, by its first rank.
    pub fn groups(&self, along: [bool; 4]) -> Vec<Vec<u64>> {
        let is_first = |rank: &u64| self.place(*rank).iter().zip(along).all(|(at, free)| !free || *at == 0);
        (0..self.ranks()).filter(is_first).map(|rank| self.group(rank, along)).collect()
    }
}
