//! Prints everything that is wrong with a `content/` folder and, with a second argument, writes the rendered files there.

use std::path::Path;

use ringside_content::{Mode, build};

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let root = args.next().unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").to_owned());
    let site = build(Path::new(&root), Mode::Lenient);
    for diagnostic in &site.diagnostics {
        println!("{diagnostic}");
    }
    if let Some(out) = args.next() {
        for (path, bytes) in &site.files {
            let path = Path::new(&out).join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
            std::fs::write(path, bytes)?;
        }
    }
    println!("{} files, {} diagnostics", site.files.len(), site.diagnostics.len());
    Ok(())
}
