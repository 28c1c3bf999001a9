//! An architecture with another number of layers: how a reader's own model follows a slider of its size and stays their own.

use super::reference::ModelRef;
use super::shape::{MAX_LAYERS, MAX_PARAMS, Moe, Shape, Sliding};

impl Shape {
    /// The same architecture with `layers` layers, 1 to [`MAX_LAYERS`]. As large a share of them as before are mixtures of experts, and as large
    /// a share has a window.
    pub fn with_layers(&self, layers: u64) -> Self {
        let layers = layers.clamp(1, MAX_LAYERS);
        let share = |of: u64| {
            let part = of as f64 / self.num_hidden_layers.max(1) as f64;
            ((part * layers as f64).round() as u64).clamp(1, layers)
        };
        let moe = self.moe.map(|moe| Moe { layers: share(moe.layers), ..moe });
        let mut kinds = self.kinds.with_layers(share);
        // Rounded shares of the layers are no more than there are.
        kinds.without_mixer = kinds.without_mixer.min(layers.saturating_sub(kinds.states_alone()));
        kinds.without_mlp = kinds.without_mlp.min(layers.saturating_sub(kinds.experts_alone(moe)));
        if let Some(c) = &mut kinds.compressed {
            c.far[1] = c.far[1].min(layers.saturating_sub(c.near[1]));
        }
        Self {
            num_hidden_layers: layers,
            moe,
            sliding: self.sliding.map(|sliding| Sliding { layers: share(sliding.layers), ..sliding }),
            kinds,
            ..*self
        }
    }

    /// The same architecture with as many layers as bring it nearest to `params` parameters; at least one more than now, or one less,
    /// if `params` is more or less than it has.
    pub fn near(&self, params: f64) -> Self {
        let size = |layers: u64| self.with_layers(layers).count().map_or(MAX_PARAMS as f64, |count| count.total as f64);
        let (mut low, mut high) = (1, MAX_LAYERS);
        while high - low > 1 {
            let middle = u64::midpoint(low, high);
            if size(middle) <= params { low = middle } else { high = middle }
        }
        let nearest = if params - size(low) <= size(high) - params { low } else { high };
        let (now, own) = (self.num_hidden_layers, size(self.num_hidden_layers));
        let layers = if params > own {
            nearest.max(now.saturating_add(1))
        } else if params < own {
            nearest.min(now.saturating_sub(1))
        } else {
            now
        };
        self.with_layers(layers)
    }
}

impl ModelRef {
    /// This model with about `params` parameters: an architecture of the reader's own with more or fewer of its layers, and of any other model
    /// the number alone.
    pub fn resized(&self, params: f64) -> Self {
        match self {
            Self::Custom { shape, guess, stored } => {
                Self::Custom { shape: shape.near(params), guess: *guess, stored: *stored }
            }
            Self::Preset(_) | Self::Count(_) => Self::Count(params.round().clamp(1.0, MAX_PARAMS as f64) as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::presets;
    use super::*;

    #[test]
    fn layers_follow_the_number_of_parameters() {
        for preset in presets::ALL {
            let shape = preset.shape;
            let own = shape.count().expect(preset.id).total as f64;
            assert_eq!(shape.with_layers(shape.num_hidden_layers), shape, "{}", preset.id);
            assert_eq!(shape.near(own), shape, "{}", preset.id);
            for factor in [0.01, 0.5, 0.999, 1.001, 2.0, 7.0] {
                let near = shape.near(own * factor);
                assert!(near.check().is_empty(), "{} × {factor}: {:?}", preset.id, near.check());
                let moved = near.num_hidden_layers.cmp(&shape.num_hidden_layers);
                assert_eq!(moved, factor.total_cmp(&1.0), "{} × {factor}", preset.id);
            }
        }
    }

    #[test]
    fn twice_the_parameters_are_about_twice_the_layers() {
        let llama = presets::find("llama-3-8b").expect("a preset").shape;
        let near = llama.near(16.06e9);
        assert_eq!(near, Shape { num_hidden_layers: near.num_hidden_layers, ..llama });
        let count = near.count().expect("a count").total as f64;
        assert!((count / 16.06e9 - 1.0).abs() < 0.01, "{count}");
        assert_eq!(llama.near(1.0).num_hidden_layers, 1);
        assert_eq!(llama.near(f64::INFINITY).num_hidden_layers, MAX_LAYERS);
        assert_eq!(llama.near(f64::NAN), llama);
    }

    #[test]
    fn only_a_model_of_ones_own_keeps_its_shape() {
        let preset = presets::find("llama-3-8b").expect("a preset");
        assert_eq!(ModelRef::Preset(preset).resized(2e9), ModelRef::Count(2_000_000_000));
        let own = ModelRef::own(preset.shape);
        assert_eq!(own.resized(2e9), ModelRef::own(preset.shape.near(2e9)));
    }
}
