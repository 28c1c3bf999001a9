//! A picture in gray.

/// The longest side of a picture that is read, in pixels.
const LONGEST: usize = 8192;

/// A picture in gray: 0 is black, 255 is white. Rows from the top, each from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gray {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

impl Gray {
    /// A picture of `width` × `height` pixels. Nothing if there are more or fewer pixels, or a side is longer than 8,192.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Option<Self> {
        let fits = width.max(height) <= LONGEST && width * height == pixels.len();
        fits.then_some(Self { width, height, pixels })
    }

    /// The same from four bytes per pixel: red, green, blue, opacity. Gray is luma by ITU-R BT.601, in 256ths.
    pub fn from_rgba(width: usize, height: usize, rgba: &[u8]) -> Option<Self> {
        let luma = |p: &[u8]| match p {
            [r, g, b, ..] => (77 * u32::from(*r) + 150 * u32::from(*g) + 29 * u32::from(*b)).to_be_bytes()[2],
            _ => 0,
        };
        Self::new(width, height, rgba.chunks(4).map(luma).collect())
    }

    /// The level at a point, between the centers of the four pixels around it; beyond the edges, the level at the edge.
    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        let last = |n: usize| n.saturating_sub(1);
        let (x, y) = (x.clamp(0.0, last(self.width) as f64), y.clamp(0.0, last(self.height) as f64));
        let (left, top) = (x as usize, y as usize);
        let (right, bottom) = ((left + 1).min(last(self.width)), (top + 1).min(last(self.height)));
        let level = |x: usize, y: usize| f64::from(self.pixels.get(y * self.width + x).copied().unwrap_or_default());
        let (across, down) = (x - left as f64, y - top as f64);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        mix(
            mix(level(left, top), level(right, top), across),
            mix(level(left, bottom), level(right, bottom), across),
            down,
        )
    }

    /// The mean of each pixel and its eight neighbors, which takes two thirds of the noise away.
    pub(crate) fn smoothed(&self) -> Vec<u8> {
        let (width, height) = (self.width, self.height);
        if width == 0 || height == 0 {
            return Vec::new();
        }
        let mut across = Vec::with_capacity(self.pixels.len());
        for row in self.pixels.chunks_exact(width) {
            for x in 0..width {
                let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
                across.push(u16::from(row[left]) + u16::from(row[x]) + u16::from(row[right]));
            }
        }
        let row = |y: usize| &across[y * width..(y + 1) * width];
        let mut out = Vec::with_capacity(self.pixels.len());
        for y in 0..height {
            let (above, here, below) = (row(y.saturating_sub(1)), row(y), row((y + 1).min(height - 1)));
            out.extend(above.iter().zip(here).zip(below).map(|((a, b), c)| ((a + b + c) / 9).min(255) as u8));
        }
        out
    }
}
