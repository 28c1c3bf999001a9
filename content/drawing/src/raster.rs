//! Pixels, where rectangles are too many to be told to a canvas one by one.

use std::ops::Range;

/// Red, green, blue and how opaque.
pub type Pixel = [u8; 4];

/// A picture that begins empty.
pub struct Raster {
    width: usize,
    pixels: Vec<Pixel>,
    /// Rows of which only the first is painted yet, and from where to where.
    band: (Range<usize>, Range<usize>),
}

impl Raster {
    /// So many pixels wide and high.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, pixels: vec![[0; 4]; width * height], band: (0..0, 0..0) }
    }

    /// Fills a rectangle. A pixel that is covered in part becomes so much of its colour, beside what it has of the
    /// neighbour’s.
    pub fn fill(&mut self, across: Range<f64>, down: Range<usize>, colour: Pixel) {
        let width = self.width;
        let [from, to] = [across.start, across.end].map(|x| (x.clamp(0.0, width as f64) * f64::from(ONE)) as usize);
        let one = ONE as usize;
        let (first, last) = (from / one, to.div_ceil(one));
        let rows = down.start..down.end.min(self.pixels.len() / width.max(1));
        if from >= to || rows.is_empty() {
            return;
        }
        if self.band.0 == rows {
            self.band.1 = self.band.1.start.min(first)..self.band.1.end.max(last);
        } else {
            self.fill_band();
            self.band = (rows.clone(), first..last);
        }
        let start = rows.start * width;
        match self.pixels.get_mut(start + first..start + last) {
            Some([only]) => add(only, colour, (to - from) as u32),
            Some([left, middle @ .., right]) => {
                add(left, colour, ((first + 1) * one - from) as u32);
                middle.fill(colour);
                add(right, colour, (to - (last - 1) * one) as u32);
            }
            _ => {}
        }
    }

    /// Makes the rows of the band like its first: whoever shares a pixel in one of them shares it in each.
    fn fill_band(&mut self) {
        let (rows, across) = self.band.clone();
        let start = rows.start * self.width;
        for y in rows.skip(1) {
            self.pixels.copy_within(start + across.start..start + across.end, y * self.width + across.start);
        }
    }

    /// Row by row.
    pub fn pixels(mut self) -> Vec<Pixel> {
        self.fill_band();
        self.pixels
    }
}

/// A whole pixel.
const ONE: u32 = 256;

/// Adds as much of a colour as covers so much of a pixel.
fn add(pixel: &mut Pixel, [r, g, b, a]: Pixel, covered: u32) {
    let before = u32::from(pixel[3]);
    let much = u32::from(a) * covered / ONE;
    let sum = before + much;
    if before == 0 || sum == 0 {
        *pixel = [r, g, b, much as u8];
        return;
    }
    for (old, new) in pixel.iter_mut().zip([r, g, b]) {
        *old = ((u32::from(*old) * before + u32::from(new) * much) / sum) as u8;
    }
    pixel[3] = sum.min(255) as u8;
}

/// A colour over another, which shines through.
pub fn over([r, g, b, a]: Pixel, [red, green, blue, part]: Pixel) -> Pixel {
    let mix = |under: u8, over: u8| {
        ((u32::from(under) * (255 - u32::from(part)) + u32::from(over) * u32::from(part)) / 255) as u8
    };
    [mix(r, red), mix(g, green), mix(b, blue), a]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Pixel = [200, 0, 0, 255];
    const BLUE: Pixel = [0, 0, 200, 255];

    fn painted(width: usize, height: usize, rectangles: &[(Range<f64>, Range<usize>, Pixel)]) -> Vec<Pixel> {
        let mut raster = Raster::new(width, height);
        rectangles.iter().for_each(|(across, down, colour)| raster.fill(across.clone(), down.clone(), *colour));
        raster.pixels()
    }

    #[test]
    fn a_rectangle_covers_what_it_covers() {
        let pixels = painted(6, 2, &[(1.5..4.25, 1..2, RED)]);
        assert_eq!(pixels[..6], [[0; 4]; 6]);
        let alphas: Vec<u8> = pixels[6..].iter().map(|p| p[3]).collect();
        assert_eq!(alphas, [0, 127, 255, 255, 63, 0]);
        assert!(pixels[7..11].iter().all(|p| p[..3] == RED[..3]));
    }

    #[test]
    fn every_row_of_it_is_alike_and_no_other() {
        let pixels = painted(4, 4, &[(0.5..2.5, 0..3, RED), (2.5..4.0, 0..3, BLUE)]);
        let rows: Vec<&[Pixel]> = pixels.chunks(4).collect();
        assert!(rows[0][2] != RED && rows[0][2] != BLUE);
        assert!(rows[..3].iter().all(|row| *row == rows[0]));
        assert_eq!(rows[3], [[0; 4]; 4]);
        // A foot under one of two.
        let pixels = painted(2, 2, &[(0.0..1.0, 0..2, RED), (1.0..2.0, 0..1, RED), (1.0..2.0, 1..2, BLUE)]);
        assert_eq!(pixels, [RED, RED, RED, BLUE]);
    }

    #[test]
    fn neighbours_share_a_pixel() {
        assert_eq!(painted(3, 1, &[(0.0..1.5, 0..1, RED), (1.5..3.0, 0..1, BLUE)]), [RED, [100, 0, 100, 254], BLUE]);
        assert_eq!(painted(1, 1, &[(0.25..0.5, 0..1, RED)]), [[200, 0, 0, 63]]);
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let edges = [(-5.0..0.5, 0..9, RED), (1.5..f64::INFINITY, 0..1, BLUE), (7.0..9.0, 0..1, BLUE)];
        assert_eq!(painted(2, 1, &edges), [[200, 0, 0, 127], [0, 0, 200, 127]]);
        assert_eq!(painted(1, 1, &[(f64::NAN..1.0, 1..4, BLUE)]), [[0; 4]]);
        assert_eq!(painted(0, 0, &[(0.0..1.0, 0..1, BLUE)]), [] as [Pixel; 0]);
    }
}
