//! wasm-bindgen as a library, in the version of the app's: its glue is bound to the module by that very version.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use xtask::failure::{Context, Result};

/// Writes `<name>_bg.wasm` and its glue `<name>.js` for the module in `raw` into the folder `out`, which is emptied.
pub(crate) fn bind(raw: &Path, name: &str, out: &Path) -> Result<()> {
    if out.exists() {
        std::fs::remove_dir_all(out).could_not(|| format!("remove {}", out.display()))?;
    }
    let mut bindgen = Bindgen::new();
    bindgen.input_path(raw).out_name(name).demangle(false).omit_default_module_path(false);
    // The split modules share the main one's table and memory.
    bindgen.keep_lld_exports(true);
    let done = bindgen.web(true).and_then(|bindgen| bindgen.generate(out));
    done.map_err(|error| format!("could not bind {}: {error:#}", raw.display()).into())
}
