//! The files of a program, as a site has them.

/// The files of one program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Path from the site's root, and content.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// The module to start.
    pub(crate) script: String,
    /// The modules that it imports.
    pub(crate) imports: Vec<String>,
    /// Its WebAssembly.
    pub(crate) wasm: String,
}
