//! One product by a ladder of kernels, on the learner's own GPU.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::matmul::{Params, Sizes};
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::{Work as _, tuner};
use ringside_core::quantity::grouped;

use super::kernels::{Differences, Guest, Job, figure};
use super::{Module, Props};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    figure(
        props,
        Differences {
            subtitle: |Sizes { m, n, k }| {
                format!("{} × {} times {} × {}", grouped(m), grouped(k), grouped(k), grouped(n))
            },
            guest: tuned,
            families: &[Sizes::NAME, tuner::FAMILY],
        },
    )
}

/// The winner of the tuner's search that was kept last, at the sizes of the ladder.
fn tuned(params: &Params, kept: &[Measured]) -> Option<Guest> {
    let config = tuner::winner(kept)?;
    let kernel = tuner::kernel(config);
    let sizes: Vec<u64> = params.sizes.list().into_iter().chain(config.list()).collect();
    // Winners of other shapes are other runs. A trial of the search says `shape`; this is none.
    let query = format!("{}&tile={}", params.sizes(), config.id());
    Some(Guest {
        label: config.tuned(),
        needs: params.sizes.needs(&kernel),
        job: Job { family: tuner::FAMILY, kernel: kernel.id, sizes, query },
    })
}
