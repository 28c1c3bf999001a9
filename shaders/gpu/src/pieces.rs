//! A grid of workgroups, piece by piece.

/// The piece of a grid after so many workgroups, of at most so many unless none fits: where it begins, and its size. Part of a row,
/// or whole rows, of one plane.
pub(crate) fn piece([x, y, _]: [u32; 3], done: u32, most: u32) -> ([u32; 3], [u32; 3]) {
    let (x, y) = (x.max(1), y.max(1));
    let [column, row, plane] = [done % x, done / x % y, done / x / y];
    if column == 0 && most >= x {
        ([0, row, plane], [x, (most / x).min(y - row), 1])
    } else {
        ([column, row, plane], [most.clamp(1, x - column), 1, 1])
    }
}

#[cfg(test)]
mod tests {
    use super::piece;

    #[test]
    fn pieces_cover_a_grid_once() {
        for grid in [[1, 1, 1], [7, 1, 1], [5, 4, 1], [3, 2, 4]] {
            for most in [1, 2, 3, 5, 8, 100] {
                let mut seen = Vec::new();
                let all: u32 = grid.iter().product();
                while (seen.len() as u32) < all {
                    let ([x, y, z], [w, h, d]) = piece(grid, seen.len() as u32, most);
                    let cells =
                        (z..z + d).flat_map(|z| (y..y + h).flat_map(move |y| (x..x + w).map(move |x| [x, y, z])));
                    assert!(w * h * d <= most.max(1), "{grid:?} {most}");
                    seen.extend(cells);
                }
                seen.sort_unstable();
                seen.dedup();
                assert_eq!(seen.len() as u32, all, "{grid:?} {most}");
                assert!(seen.iter().all(|cell| cell.iter().zip(&grid).all(|(at, size)| at < size)));
            }
        }
    }
}
