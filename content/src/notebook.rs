//! A lab as a Jupyter notebook (nbformat 4.5): the same text, script and commands as its page. The script is written to a file and started by its
//! command, because torchrun starts processes and a notebook's kernel is one.

use serde_json::{Value, json};

use crate::data::Lab;
use crate::words::duration;

/// What the first code cell does: `torchrun` and `pip` are those of the Python that runs the notebook.
const PATH: &str = "import os, sys\nos.environ[\"PATH\"] = os.path.dirname(sys.executable) + os.pathsep + os.environ[\"PATH\"]  # finds this Python's torchrun";

/// The notebook. Its cells have no outputs: whoever downloads it has not run it yet.
pub(crate) fn notebook(lab: &Lab) -> Value {
    let (name, script) = &lab.script;
    let (before, rest) = lab.markdown.split_once("\n## ").unwrap_or((&lab.markdown, ""));
    let mut cells = Cells::default();
    cells.text(format!(
        "# Lab {}: {}\n\n**{}** {}, needs {}.\n\n{}",
        lab.number,
        lab.title,
        lab.question,
        duration(lab.minutes),
        lab.needs(),
        before.trim()
    ));
    let asked: String = lab.predictions.iter().map(|p| format!("- {}: …\n", p.ask)).collect();
    cells.text(format!("## Predict\n\nReplace each … with your prediction before you run anything.\n\n{asked}"));
    cells.text(format!("## Run\n\nThe next two cells find this Python's programs and write `{name}`."));
    cells.code(PATH.to_owned());
    cells.code(format!("%%writefile {name}\n{}", script.trim_end()));
    for (i, run) in lab.runs.iter().enumerate() {
        if i == 0 {
            cells.text(format!("### {}\n\nWith fewer GPUs than processes, add `--cpu`.", run.on));
            cells.code(format!("%%bash\n{}", run.command));
        } else {
            cells.text(format!("### {}\n\n```bash\n{}\n```", run.on, run.command));
        }
    }
    cells.text(format!(
        "## Bring it back\n\nCopy everything that the command printed and paste it on the lab's page, `/lab/{}/`. The page compares it with the model.",
        lab.slug
    ));
    rest.split("\n## ")
        .filter(|section| !section.is_empty())
        .for_each(|section| cells.text(format!("## {}", section.trim())));
    json!({
        "cells": cells.0,
        "metadata": {
            "kernelspec": { "display_name": "Python 3", "language": "python", "name": "python3" },
            "language_info": { "name": "python" },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    })
}

#[derive(Default)]
struct Cells(Vec<Value>);

impl Cells {
    fn text(&mut self, source: String) {
        self.0.push(json!({ "cell_type": "markdown", "id": self.id(), "metadata": {}, "source": source }));
    }

    fn code(&mut self, source: String) {
        self.0.push(json!({
            "cell_type": "code", "id": self.id(), "metadata": {}, "execution_count": null, "outputs": [], "source": source,
        }));
    }

    /// Every cell needs an id of its own.
    fn id(&self) -> String {
        format!("cell-{}", self.0.len() + 1)
    }
}
