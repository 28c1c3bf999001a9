//! Which layers a pipeline stage has, and how many micro-batches are in flight on it.
//!
//! Under 1F1B (Narayanan et al. 2021, arXiv:2104.04473, §2.2) stage i of p runs p − i forward passes before its first
//! backward pass, so that it holds min(m, p − i) micro-batches. With v virtual stages each (the interleaved schedule) it
//! holds up to 2(p − i − 1) + (v − 1)p + 1 chunks of 1/v of its layers: on the first stage p (1 + (p − 1)/(pv))
//! micro-batches' worth (Korthikanti et al., §4.2.3).

use crate::model::ConfigProblem;

/// A pipeline and its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pipeline {
    /// Stages, p.
    pub stages: u64,
    /// Virtual stages of each, v; 1 is plain 1F1B.
    pub virtual_stages: u64,
    /// Micro-batches of a step, m.
    pub microbatches: u64,
}

/// One stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// From 0.
    pub index: u64,
    /// Its first layer, from 0 (of its first chunk, if interleaved).
    pub first_layer: u64,
    /// Its layers.
    pub layers: u64,
    /// Micro-batches whose activations it holds at its fullest; a fraction where only some chunks are held.
    pub in_flight: f64,
}

impl Pipeline {
    /// An error if `layers` cannot be put on it.
    pub fn check(&self, layers: u64) -> Result<(), ConfigProblem> {
        let (p, v) = (self.stages, self.virtual_stages);
        if p == 0 || v == 0 || self.microbatches == 0 {
            return Err(ConfigProblem::new("pp", "pp, vpp and microbatches must all be at least 1."));
        }
        if p > layers {
            return Err(ConfigProblem::new("pp", format!("{layers} layers cannot be put on {p} pipeline stages.")));
        }
        let chunks = p.saturating_mul(v);
        if v > 1 && !layers.is_multiple_of(chunks) {
            let message =
                format!("vpp must split the layers evenly: {layers} layers do not come out over {p} × {v} chunks.");
            return Err(ConfigProblem::new("vpp", message));
        }
        Ok(())
    }

    /// The stages of `layers` layers. What does not divide evenly goes to the first stages, one layer each.
    pub fn stages(self, layers: u64) -> impl Iterator<Item = Stage> {
        let p = self.stages.clamp(1, layers.max(1));
        let (each, extra) = (layers / p, layers % p);
        (0..p).map(move |i| Stage {
            index: i,
            first_layer: i * each + i.min(extra),
            layers: each + u64::from(i < extra),
            in_flight: self.in_flight(i, p),
        })
    }

    fn in_flight(self, stage: u64, p: u64) -> f64 {
        let (v, m) = (self.virtual_stages.max(1), self.microbatches.max(1));
        let behind = p.saturating_sub(stage);
        if v == 1 || p == 1 {
            return m.min(behind) as f64;
        }
        let chunks = 2 * behind.saturating_sub(1) + (v - 1).saturating_mul(p) + 1;
        chunks.min(m.saturating_mul(v)) as f64 / v as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stage_holds_the_most() {
        let flights = |stages, virtual_stages, microbatches| -> Vec<f64> {
            Pipeline { stages, virtual_stages, microbatches }.stages(24).map(|s| s.in_flight).collect()
        };
        assert_eq!(flights(4, 1, 8), [4.0, 3.0, 2.0, 1.0]);
        assert_eq!(flights(4, 1, 2), [2.0, 2.0, 2.0, 1.0]);
        // 1 + (p − 1)/(pv) = 1.25 times p = 4.
        assert_eq!(flights(4, 3, 8), [5.0, 13.0 / 3.0, 11.0 / 3.0, 3.0]);
        let layers: Vec<u64> =
            Pipeline { stages: 5, virtual_stages: 1, microbatches: 1 }.stages(12).map(|s| s.layers).collect();
        assert_eq!(layers, [3, 3, 2, 2, 2]);
    }
}
