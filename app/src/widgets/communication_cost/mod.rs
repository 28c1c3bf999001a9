//! What nccl-tests measured, pasted under its model.

mod measure;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::network::sizes::Params;

use super::one_picture::{self, Live, Own};
use super::{Module, Props};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own {
        under: (!live.compact).then(|| measure::view(live)),
        ..Own::default()
    })
}
