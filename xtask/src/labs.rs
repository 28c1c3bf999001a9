//! `test --only labs`: every lab's notebook is validated and executed, which runs the lab's script as its page says first, on two or four processes of
//! this machine; what it prints is held against the models; then every solution of the ladder of programs. `LABS_KEEP=1` stores it as the outputs that the normal tests read.

use std::path::{Path, PathBuf};

use crate::outcomes::Outcomes;
use xtask::failure::{Context, Result};
use xtask::npm;
use xtask::process::{self, command, say};

/// The version of PyTorch that the scripts are tried with.
const TORCH: [&str; 2] = ["torch==2.9.1", "numpy"];
/// PyTorch's own index has builds without CUDA, a tenth of the size; where it cannot be reached, PyPI's does.
const CPU_INDEX: &str = "https://download.pytorch.org/whl/cpu";
/// What validates and executes notebooks.
const JUPYTER: [&str; 3] = ["nbformat", "nbclient", "ipykernel"];
/// What DeepSpeed is built with and needs.
const DEEPSPEED: [&str; 6] = ["setuptools", "wheel", "packaging", "ninja", "py-cpuinfo", "psutil"];

/// The stage.
pub(crate) fn test() -> Result<Outcomes> {
    let programs = programs()?;
    let outputs = process::scratch("labs")?;
    let notebooks = process::scratch("notebooks")?;
    let mut write = command("cargo");
    write.args(["test", "--quiet", "--package", "ringside-content", "--test", "all", "notebooks"]);
    process::run(write.env("LAB_NOTEBOOKS", &notebooks))?;
    let folder = process::root().join("content/labs");
    let mut labs: Vec<PathBuf> = std::fs::read_dir(&folder)
        .could_not(|| format!("read {}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    labs.sort();
    for lab in labs {
        let name = lab.file_name().unwrap_or_default().to_string_lossy().into_owned();
        say(format_args!("lab {name} …"));
        let printed = printed(&notebooks.join(format!("{name}.ipynb")), &outputs.join(&name), &programs)?;
        process::write(&outputs.join(format!("{name}.txt")), &printed)?;
        if std::env::var_os("LABS_KEEP").is_some() {
            process::write(&lab.join("output.txt"), &printed)?;
        }
    }
    ladder(&programs)?;
    let mut hold = command("cargo");
    hold.args(["test", "--package", "ringside-core", "--lib", "lab::", "--", "--nocapture"])
        .env("LABS_PRINTED", &outputs);
    process::run(&mut hold)?;
    Ok(Outcomes::default())
}

/// Runs the solution of every puzzle of the ladder on two and four processes, over gloo.
fn ladder(programs: &Path) -> Result<()> {
    let files = process::scratch("ranks")?;
    // A puzzle of several launches begins on one and a half times as many.
    for (ranks, pair, first) in [("3", "2", true), ("2", "2", false), ("6", "4", true), ("4", "4", false)] {
        say(format_args!("the ladder on {ranks} processes …"));
        let mut torchrun = command(programs.join("torchrun"));
        torchrun.args(["--nproc_per_node", ranks, "tests/frameworks/ranks.py", "content/programs"]);
        torchrun.args(first.then_some("--first")).current_dir(process::root());
        if std::env::var_os("LABS_KEEP").is_some() {
            torchrun.args(["--write", "tests/frameworks/ranks.json"]);
        }
        process::run(torchrun.env("RANKS_FILES", files.join(pair)).env("OMP_NUM_THREADS", "1"))?;
    }
    Ok(())
}

/// What the notebook of a lab prints where it runs the lab's script.
fn printed(notebook: &Path, scratch: &Path, programs: &Path) -> Result<String> {
    std::fs::create_dir_all(scratch).could_not(|| format!("create {}", scratch.display()))?;
    let mut execute = command(programs.join("python"));
    execute.arg(process::root().join("tests/frameworks/notebook.py")).arg(notebook);
    let all = process::output(execute.current_dir(scratch).env("OMP_NUM_THREADS", "1"))?;
    Ok(all
        .lines()
        .filter(|line| !line.contains("[Gloo]") && !line.contains("peer ranks"))
        .map(|line| format!("{line}\n"))
        .collect())
}

/// The folder of a Python's programs that has PyTorch and DeepSpeed.
fn programs() -> Result<PathBuf> {
    let _lock = npm::lock()?;
    let venv = process::root().join(".tools/labs/venv");
    let programs = venv.join("bin");
    let python = programs.join("python");
    if !python.is_file() {
        say("setting up a Python for the labs");
        process::run(command("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    let has = |module: &str| process::output(command(&python).args(["-c", &format!("import {module}")])).is_ok();
    let pip = || {
        let mut pip = command(&python);
        pip.args(["-m", "pip", "install", "--quiet"]);
        pip
    };
    if !has("torch") {
        say("installing PyTorch");
        let cpu = ["--index-url", CPU_INDEX, "--retries", "0", "--timeout", "10"];
        if process::run(pip().args(TORCH).args(cpu)).is_err() {
            process::run(pip().args(TORCH))?;
        }
    }
    if !has("nbclient") || !has("ipykernel") {
        say("installing what executes notebooks");
        process::run(pip().args(JUPYTER))?;
    }
    if !has("deepspeed") {
        say("installing DeepSpeed");
        process::run(pip().args(DEEPSPEED))?;
        process::run(
            pip()
                .args(["--no-build-isolation", "deepspeed==0.19.8"])
                .env("DS_ACCELERATOR", "cpu")
                .env("DS_BUILD_OPS", "0"),
        )?;
    }
    Ok(programs)
}
