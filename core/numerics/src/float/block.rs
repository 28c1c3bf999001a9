//! Scales: a tensor in few bits is codes of a narrow format and, for each tile of them, one number to multiply by.

use super::{E4M3FN, Format, Overflow, Rounding, exponent, power_of_two};

/// How the scale of a tile is made from its largest absolute value (amax) and held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleRule {
    /// amax becomes the element's largest value; held in fp32. Transformer Engine's current scaling; DeepSeek-V3.
    Largest,
    /// 2 to the power ⌊log₂ amax⌋ − ⌊log₂ of the element's largest value⌋, held in E8M0: OCP MX 1.0, section 6.3. The largest
    /// values may saturate.
    PowerOfTwo,
    /// NVFP4: amax becomes the element's largest value; held in e4m3fn, relative to one fp32 scale for the whole tensor by
    /// which the largest of them is 448 (NVIDIA, "Pretraining Large Language Models with NVFP4", arXiv 2509.25149).
    TwoLevel,
}

/// An element format, a tile and a rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// Its name in queries.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What each value is held in.
    pub element: Format,
    /// Rows and columns that share a scale; 0 for all of them.
    pub tile: (usize, usize),
    /// How the scale is made.
    pub rule: ScaleRule,
}

/// A matrix after a trip through a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantized {
    /// The values, row by row, multiplied back by their scales.
    pub values: Vec<f64>,
    /// The scales, tile by tile along rows: what a stored value is multiplied by.
    pub scales: Vec<f64>,
}

impl Recipe {
    /// Bits for each value of a matrix of this shape, scales included.
    pub fn bits_per_value(&self, rows: usize, columns: usize) -> f64 {
        let (height, width) = self.tile_of(rows, columns);
        let scale = if self.rule == ScaleRule::Largest { 32.0 } else { 8.0 };
        let tensor = if self.rule == ScaleRule::TwoLevel { 32.0 / (rows * columns).max(1) as f64 } else { 0.0 };
        f64::from(self.element.bits()) + scale / (height * width) as f64 + tensor
    }

    /// Whether a product that sums along the rows can use it: the scale has to stand before the sum, or before the sum of a block. One for
    /// each column changes from term to term.
    pub fn leaves_the_sum(&self) -> bool {
        self.tile.1 != 1
    }

    fn tile_of(&self, rows: usize, columns: usize) -> (usize, usize) {
        let or_all = |tile: usize, all: usize| if tile == 0 { all.max(1) } else { tile };
        (or_all(self.tile.0, rows), or_all(self.tile.1, columns))
    }

    /// Rounds a matrix of `columns` columns, to nearest even and saturating. A last row that is not whole counts as one.
    pub fn quantize(&self, values: &[f64], columns: usize) -> Quantized {
        let columns = columns.max(1);
        let rows = values.len().div_ceil(columns);
        let (height, width) = self.tile_of(rows, columns);
        let tensor = self.tensor_scale(values);
        let mut out = Quantized { values: values.to_vec(), scales: Vec::new() };
        for top in (0..rows).step_by(height) {
            for left in (0..columns).step_by(width) {
                let places = (top..rows.min(top + height))
                    .flat_map(|r| (left..columns.min(left + width)).map(move |c| r * columns + c))
                    .filter(|&i| i < values.len());
                let amax = places.clone().map(|i| values[i].abs()).fold(0.0, f64::max);
                let scale = self.scale(amax, tensor);
                for i in places {
                    out.values[i] = scaled(self.element, values[i], scale);
                }
                out.scales.push(scale);
            }
        }
        out
    }

    fn tensor_scale(&self, values: &[f64]) -> f64 {
        let amax = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
        if self.rule == ScaleRule::TwoLevel && amax > 0.0 { amax / (self.element.max() * E4M3FN.max()) } else { 1.0 }
    }

    /// The scale of a tile: what its codes are multiplied by to give values. 1 for a tile of zeros.
    pub fn scale(&self, amax: f64, tensor: f64) -> f64 {
        if amax == 0.0 || !amax.is_finite() {
            return 1.0;
        }
        match self.rule {
            ScaleRule::Largest => amax / self.element.max(),
            ScaleRule::PowerOfTwo => power_of_two((exponent(amax) - exponent(self.element.max())).clamp(-127, 127)),
            ScaleRule::TwoLevel => {
                let held = E4M3FN.round(amax / self.element.max() / tensor, Rounding::NearestEven, Overflow::Saturate);
                held.max(E4M3FN.min_positive()) * tensor
            }
        }
    }
}

/// `value` divided by `scale`, rounded to `format` and saturated, and multiplied back.
pub fn scaled(format: Format, value: f64, scale: f64) -> f64 {
    format.round(value / scale, Rounding::NearestEven, Overflow::Saturate) * scale
}

/// The root of the mean squared difference, relative to that of the values; 0 where there are none.
pub fn relative_error(values: &[f64], quantized: &[f64]) -> f64 {
    let square = |x: f64| x * x;
    let size: f64 = values.iter().map(|&v| square(v)).sum();
    let error: f64 = values.iter().zip(quantized).map(|(v, q)| square(v - q)).sum();
    if size == 0.0 { 0.0 } else { (error / size).sqrt() }
}

const fn mx(id: &'static str, name: &'static str, element: Format) -> Recipe {
    Recipe { id, name, element, tile: (1, 32), rule: ScaleRule::PowerOfTwo }
}

const fn fp32_scales(id: &'static str, name: &'static str, element: Format, tile: (usize, usize)) -> Recipe {
    Recipe { id, name, element, tile, rule: ScaleRule::Largest }
}

/// Recipes in use, by the size of their tiles.
pub const RECIPES: [Recipe; 13] = [
    fp32_scales("e4m3-tensor", "fp8 e4m3, one scale a tensor", E4M3FN, (0, 0)),
    fp32_scales("e5m2-tensor", "fp8 e5m2, one scale a tensor", super::E5M2, (0, 0)),
    fp32_scales("e4m3-128x128", "fp8 e4m3, 128 × 128 blocks", E4M3FN, (128, 128)),
    fp32_scales("e4m3-1x128", "fp8 e4m3, 1 × 128 tiles", E4M3FN, (1, 128)),
    mx("mxfp8", "MXFP8 (e4m3)", E4M3FN),
    mx("mxfp8-e5m2", "MXFP8 (e5m2)", super::E5M2),
    mx("mxfp6-e2m3", "MXFP6 (e2m3)", super::E2M3),
    mx("mxfp6-e3m2", "MXFP6 (e3m2)", super::E3M2),
    mx("mxfp4", "MXFP4", super::E2M1),
    Recipe { id: "nvfp4", name: "NVFP4", element: super::E2M1, tile: (1, 16), rule: ScaleRule::TwoLevel },
    fp32_scales("int8-tensor", "int8, one scale a tensor", super::INT8, (0, 0)),
    fp32_scales("int8-row", "int8, one scale a row", super::INT8, (1, 0)),
    fp32_scales("int8-column", "int8, one scale a column", super::INT8, (0, 1)),
];

/// The recipe with this id.
pub fn find(id: &str) -> Option<Recipe> {
    RECIPES.into_iter().find(|r| r.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(id: &str) -> Recipe {
        find(id).expect("a recipe")
    }

    #[test]
    fn an_mx_block_follows_the_specification() {
        // amax 100 = 1.5625·2⁶; e2m1's largest is 6 = 1.5·2². Scale 2⁴: 100/16 = 6.25 saturates to 6.
        let block: Vec<f64> = (0..32).map(|i| if i == 3 { 100.0 } else { f64::from(i) }).collect();
        let held = recipe("mxfp4").quantize(&block, 32);
        assert_eq!(held.scales, [16.0]);
        assert_eq!((held.values[3], held.values[31], held.values[8], held.values[3 + 1]), (96.0, 32.0, 8.0, 0.0));
        assert_eq!(recipe("mxfp8").quantize(&block, 32).scales, [power_of_two(6 - 8)]);
        assert_eq!(recipe("mxfp4").bits_per_value(1, 32), 4.25);
        assert_eq!(recipe("mxfp4").quantize(&[0.0; 32], 32).values, [0.0; 32]);
    }

    #[test]
    fn nvfp4_fits_its_scale_to_the_largest_value() {
        let tensor: Vec<f64> = (0..32).map(|i| f64::from(i % 16) * if i < 16 { 1.0 } else { 0.01 }).collect();
        let held = recipe("nvfp4").quantize(&tensor, 32);
        assert_eq!(held.scales.len(), 2);
        assert!((held.values[15] - 15.0).abs() < 1e-9, "{}", held.values[15]);
        assert!((held.values[31] - 0.15).abs() < 0.01, "{}", held.values[31]);
        let exact = recipe("nvfp4").bits_per_value(1024, 1024);
        assert!(exact > 4.5 && exact < 4.5001, "{exact}");
    }

    #[test]
    fn an_outlier_spoils_the_tile_that_it_is_in() {
        let mut values: Vec<f64> = (0..256 * 256).map(|i| f64::from(i % 97) - 48.0).collect();
        values[5] = 48_000.0;
        let rest = |held: &Quantized| relative_error(&values[256..], &held.values[256..]);
        let tensor = rest(&recipe("int8-tensor").quantize(&values, 256));
        let rows = rest(&recipe("int8-row").quantize(&values, 256));
        assert!(tensor > 0.9 && rows < 0.01, "{tensor} {rows}");
        assert_eq!(recipe("e4m3-128x128").quantize(&values, 256).scales.len(), 4);
        assert_eq!(recipe("e4m3-1x128").quantize(&values, 256).scales.len(), 512);
        assert_eq!(recipe("int8-column").quantize(&values, 256).scales.len(), 256);
    }
}
