//! The project's own commands: `cargo xtask help`.
//!
//! `build` has cargo compile the app and its workers, and `ringside-site` (in `site/`) make the site of them. Everything else works
//! on the `dist/` that results.

mod args;
mod browser;
mod build;
mod exports;
mod frameworks;
mod http;
mod kernels;
mod labs;
mod new;
mod outcomes;
mod package;
mod perf;
mod serve;
mod shots;
mod size;
mod sources;
mod test;
mod tools;

use std::process::ExitCode;

use xtask::failure::Result;

use args::{Command, Flag};

const PUBLIC_URL: Flag = Flag {
    name: "--public-url",
    value: "<path>",
    help: "the path under which the site will be served, such as /ringside/; default /",
};
const DIST: Flag = Flag { name: "--dist", value: "<dir>", help: "the built site; default dist" };

const COMMANDS: &[Command] = &[
    Command {
        name: "serve",
        summary: "build the site quickly and serve it on 127.0.0.1; pages reload when a file changes",
        flags: &[
            Flag { name: "--port", value: "<n>", help: "the port; default 8080" },
            Flag { name: "--open", value: "", help: "open the address in a browser" },
            Flag { name: "--no-build", value: "", help: "serve the dist/ that is there" },
            DIST,
            PUBLIC_URL,
        ],
        run: serve::main,
    },
    Command {
        name: "build",
        summary: "leave a deployable site in dist/, small and split",
        flags: &[
            PUBLIC_URL,
            Flag { name: "--out", value: "<dir>", help: "where to; default dist" },
            Flag { name: "--lenient", value: "", help: "build although content has mistakes; they show in place" },
            Flag {
                name: "--with-tests",
                value: "",
                help: "compile the tests too: what makes the site shares their models",
            },
            Flag { name: "--dev", value: "", help: "as `serve` builds it: quickly, large and in one piece" },
        ],
        run: build::main,
    },
    Command {
        name: "npm",
        summary: "leave the command line as a module for JavaScript in target/npm",
        flags: &[Flag { name: "--pack", value: "", help: "pack it too: target/ringside-<version>.tgz" }],
        run: package::main,
    },
    Command {
        name: "test",
        summary: "everything: formatting, lints, tests, docs, the release build and the browser tests",
        flags: &[
            Flag {
                name: "--only",
                value: "<stages>",
                help: "fmt, clippy, clippy-wasm, unit, docs, build, npm, browser, firefox, frameworks, exports and labs (only if named); several with commas",
            },
            Flag { name: "--fast", value: "", help: "only what takes seconds: fmt, native clippy, unit" },
            Flag { name: "--shard", value: "<n/m>", help: "of the browser tests only the nth of m parts" },
        ],
        run: test::main,
    },
    Command {
        name: "new",
        summary: "begin a widget or a chapter: files that build, pass the tests and show up on the site",
        flags: &[
            Flag { name: "widget", value: "<id>", help: "a widget and its model, such as my-widget" },
            Flag {
                name: "chapter",
                value: "<slug>",
                help: "a chapter: one that course.toml has planned, or a new one",
            },
        ],
        run: new::main,
    },
    Command {
        name: "content",
        summary: "print where the course has each topic, source and skill of the reading map; fail where one has no place",
        flags: &[],
        run: |_| build::site(&["coverage"]),
    },
    Command {
        name: "words",
        summary: "print every title, label, option, meaning and finding of the models, to be read from top to bottom",
        flags: &[],
        run: |_| build::site(&["words"]),
    },
    Command {
        name: "finish",
        summary: "Trunk's hook: render the course and write the pages of the site that Trunk builds",
        flags: &[],
        run: |_| build::site(&["finish"]),
    },
    Command {
        name: "size",
        summary: "print what a first visit downloads; fail over the budget",
        flags: &[Flag { name: "--no-build", value: "", help: "measure the dist/ that is there" }],
        run: size::main,
    },
    Command {
        name: "shots",
        summary: "screenshots of every page and widget: light, dark, 360x780, 1920x1080",
        flags: &[
            Flag { name: "--out", value: "<dir>", help: "where to; default shots" },
            Flag { name: "--only", value: "<text>", help: "only pages whose path contains this" },
            Flag { name: "--no-build", value: "", help: "show the dist/ that is there" },
        ],
        run: shots::main,
    },
    Command {
        name: "perf",
        summary: "measure each frame's main-thread work while a figure is used; fail over a frame at the 95th percentile",
        flags: &[
            Flag { name: "--page", value: "<path>", help: "the page; default w/memory-breakdown/" },
            Flag {
                name: "--gesture",
                value: "<name>",
                help: "drag (the first slider; the default), pan (the timeline), play (the transport), run (every kernel) or trace (200,000 events in the trace viewer)",
            },
            Flag {
                name: "--first-paint",
                value: "",
                help: "instead: when the page (default chapter/memory-accounting/) is first painted at fast 4G and a quarter \
                       of the CPU, and what moves then; fail over 600 ms or 0.02",
            },
            Flag { name: "--no-build", value: "", help: "measure the dist/ that is there" },
        ],
        run: perf::main,
    },
    Command {
        name: "kernels",
        summary: "check and time every GPU kernel on a Vulkan adapter, without a browser",
        flags: &[
            Flag {
                name: "--reference",
                value: "",
                help: "time them and, where torch is installed, cuBLAS and SDPA, and write core/src/kernels/reference.json",
            },
            Flag {
                name: "--bench-dir",
                value: "<dir>",
                help: "instead: write them there for gpu-bench, which measures them beside other libraries",
            },
            Flag {
                name: "--only",
                value: "<families>",
                help: "only these, with commas between them: matmul,matmul-tuned,attention,decode",
            },
        ],
        run: kernels::main,
    },
    Command {
        name: "tools",
        summary: "install what is missing: wasm32 target, esbuild, binaryen, Chromium",
        flags: &[],
        run: tools::main,
    },
];

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(given: &[String]) -> Result<()> {
    let (name, rest) = given.split_first().map_or(("help", given), |(name, rest)| (name.as_str(), rest));
    if matches!(name, "help" | "--help" | "-h") {
        match rest.first() {
            Some(topic) => print!("{}", args::usage(args::find(COMMANDS, topic)?)),
            None => print!("{}", args::overview(COMMANDS)),
        }
        return Ok(());
    }
    let command = args::find(COMMANDS, name)?;
    if rest.iter().any(|a| a == "--help" || a == "-h") {
        print!("{}", args::usage(command));
        return Ok(());
    }
    (command.run)(&args::parse(command, rest)?)
}
