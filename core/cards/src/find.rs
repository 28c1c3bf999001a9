//! Which pixels are dark, and the borders of what is dark.

use crate::image::Gray;

/// A pixel: column and row.
pub(crate) type Pixel = (i32, i32);

/// How far the surroundings of a pixel go, in pixels. Narrow ones tell the border of a card that is far from a dark shirt behind its white margin; wide
/// ones see the whole border of a card that is near.
const AROUND: [usize; 2] = [5, 10];
/// How much darker than the mean of its surroundings a pixel is that counts as dark, in levels and as one part of so many of the mean.
const DARKER: (u32, u32) = (3, 16);
/// The least size along x and y of what may be a card, in pixels.
const LEAST: i32 = 12;

/// Dark pixels, with one that is not all around the picture, so that every pixel of it has eight neighbors.
struct Dark {
    wide: usize,
    is: Vec<bool>,
}

impl Dark {
    /// What is darker than the pixels so far around it, in a picture of this width.
    fn than(around: usize, smooth: &[u8], width: usize) -> Self {
        let (wide, height) = (width + 2, smooth.len() / width.max(1));
        let mut is = vec![false; wide * (height + 2)];
        let row = |y: usize| &smooth[y * width..(y + 1) * width];
        // The sums of each column over the rows around the one at hand, and of these from the left.
        let (mut columns, mut sums) = (vec![0_u32; width], vec![0_u32; width + 1]);
        for y in 0..around.min(height) {
            columns.iter_mut().zip(row(y)).for_each(|(sum, level)| *sum += u32::from(*level));
        }
        for y in 0..height {
            if y + around < height {
                columns.iter_mut().zip(row(y + around)).for_each(|(sum, level)| *sum += u32::from(*level));
            }
            if y > around {
                columns.iter_mut().zip(row(y - around - 1)).for_each(|(sum, level)| *sum -= u32::from(*level));
            }
            let rows = (y + around).min(height - 1) + 1 - y.saturating_sub(around);
            let mut sum = 0;
            for (x, column) in columns.iter().enumerate() {
                sum += column;
                sums[x + 1] = sum;
            }
            let out = &mut is[(y + 1) * wide + 1..][..width];
            for (x, (level, out)) in row(y).iter().zip(out).enumerate() {
                let (left, right) = (x.saturating_sub(around), (x + around + 1).min(width));
                let (sum, many) = (sums[right] - sums[left], ((right - left) * rows) as u32);
                let level = u32::from(*level) * many;
                let (levels, part) = DARKER;
                *out = level + levels * many < sum && level * part < sum * (part - 1);
            }
        }
        Self { wide, is }
    }
}

/// The outer borders of everything dark that is large enough for a card, each as its pixels in order, counterclockwise as one sees it.
///
/// Borders are followed as in Suzuki and Abe 1985. Each one is followed once: what is marked is a dark pixel whose left neighbor is not dark, and
/// each such pair belongs to one border. So all of it takes time proportional to the pixels.
pub(crate) fn borders(image: &Gray) -> Vec<Vec<Pixel>> {
    let smooth = image.smoothed();
    AROUND.iter().flat_map(|around| Dark::than(*around, &smooth, image.width).borders()).collect()
}

impl Dark {
    fn borders(&self) -> Vec<Vec<Pixel>> {
        let wide = self.wide as isize;
        // From the left, clockwise as one sees it.
        let around: [isize; 8] = [-1, -wide - 1, -wide, -wide + 1, 1, wide + 1, wide, wide - 1];
        let is = |at: usize| self.is.get(at).copied().unwrap_or_default();
        let next = |at: usize, way: usize| at.saturating_add_signed(around[way % 8]);
        let mut marked = vec![false; self.is.len()];
        let mut found = Vec::new();
        let mut pixels: Vec<Pixel> = Vec::new();
        for start in 1..self.is.len() {
            if !is(start) || is(start - 1) || marked[start] {
                continue;
            }
            marked[start] = true;
            let Some(first) = (1..8).find(|way| is(next(start, *way))) else { continue };
            pixels.clear();
            let (last, mut at, mut back) = (next(start, first), start, first);
            // Every pixel is passed at most once for each of its neighbors.
            for _ in 0..8 * self.is.len() {
                pixels.push(((at % self.wide) as i32 - 1, (at / self.wide) as i32 - 1));
                let mut way = back;
                loop {
                    way = (way + 7) % 8;
                    if is(next(at, way)) || way == back {
                        break;
                    }
                    if way == 0 {
                        marked[at] = true;
                    }
                }
                let to = next(at, way);
                if to == start && at == last {
                    break;
                }
                (at, back) = (to, (way + 4) % 8);
            }
            if may_be_card(&pixels) {
                found.push(pixels.clone());
            }
        }
        found
    }
}

/// Whether a border is that of something, not of a hole in it; large enough; and hardly longer than around its box.
fn may_be_card(pixels: &[Pixel]) -> bool {
    let span = |of: fn(&Pixel) -> i32| {
        let (least, most) = pixels.iter().map(of).fold((i32::MAX, i32::MIN), |(a, b), n| (a.min(n), b.max(n)));
        most.saturating_sub(least) + 1
    };
    if pixels.len() < 3 * LEAST as usize {
        return false;
    }
    let (wide, high) = (span(|p| p.0), span(|p| p.1));
    let is_long = pixels.len() as i64 > 4 * i64::from(wide + high);
    wide >= LEAST && high >= LEAST && !is_long && area(pixels) > i64::from(wide) * i64::from(high) / 3
}

/// The area within a border; negative if it is followed clockwise, which is that of a hole.
fn area(pixels: &[Pixel]) -> i64 {
    let ends = pixels.iter().zip(pixels.iter().cycle().skip(1));
    ends.map(|(a, b)| i64::from(a.1) * i64::from(b.0) - i64::from(a.0) * i64::from(b.1)).sum::<i64>() / 2
}
