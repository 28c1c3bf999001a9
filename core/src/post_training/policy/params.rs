//! The parameters of the policy and what they are called.

use super::answers::HACK;
use super::run::{divergence, optimum};
use super::{Algorithm, Params, Shown, Update, View};
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, applies, choice, doc, headline, measure,
    origin, real, when, whole,
};
use crate::post_training::policy::answers::ANSWERS;
use crate::quantity::{Unit, number};

/// The most updates.
const MOST: u64 = 400;

fn at(p: &Params, s: &Shown, of: impl Fn(&Update) -> f64) -> f64 {
    s.at(p.step).map_or(0.0, of)
}

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "policy-update";
    const TITLE: &'static str = "A policy of six answers";
    const SUMMARY: &'static str = "PPO, GRPO and their relatives on a policy that can be seen whole: ratio, clip, advantage, the penalty for \
                                   leaving the reference, a reward model that can be fooled, and samples that are out of date.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "policy").label("Show").main().at(|p| p.view.slot()),
        choice("algorithm", "how advantages and the penalty are made", Algorithm::LIST, "ppo")
            .label("Algorithm")
            .main()
            .at(|p| p.algorithm.slot()),
        real("beta", "weight of the penalty for leaving the reference; 0 for none", [0.0, 1.0], "0.2")
            .label("KL penalty β")
            .format(number)
            .steps(0.02)
            .main()
            .at(|p| p.beta.slot()),
        real("clip", "how far from 1 the ratio is clipped; 0 for nowhere", [0.0, 1.0], "0.2")
            .label("Clip ε")
            .format(|v| if v == 0.0 { "off".to_owned() } else { number(v) })
            .steps(0.05)
            .main()
            .at(|p| p.clip.slot()),
        real(
            "clip-high",
            "how far above 1 the ratio is clipped, where another bound holds there; 0 for the same",
            [0.0, 1.0],
            "0",
        )
        .label("Upper clip ε")
        .format(|v| if v == 0.0 { "as below 1".to_owned() } else { number(v) })
        .steps(0.02)
        .more("Training")
        .quiet()
        .at(|p| p.clip_high.slot()),
        real("rate", "length of a gradient step on the logits", [0.01, 5.0], "1")
            .label("Learning rate")
            .slider(Scale::Decades(-2, 0))
            .more("Training")
            .at(|p| p.rate.slot()),
        whole("batch", "answers of a batch, which are GRPO’s group", [1, 512], "64")
            .label("Answers per batch")
            .doubling(9)
            .more("Training")
            .at(|p| p.batch.slot()),
        whole("epochs", "gradient steps on each batch", [1, 16], "4")
            .label("Gradient steps per batch")
            .steps(1.0)
            .more("Training")
            .at(|p| p.epochs.slot()),
        whole("lag", "updates by which the policy that samples is behind", [0, 64], "0")
            .label("Sample staleness, updates")
            .steps(1.0)
            .more("Training")
            .at(|p| p.lag.slot()),
        whole("updates", "updates", [1, MOST], "120")
            .label("Updates")
            .steps(1.0)
            .more("Training")
            .at(|p| p.updates.slot()),
        whole("seed", "the seed", [1, 999], "1").label("Seed").steps(1.0).more("Training").at(|p| p.seed.slot()),
        real("old", "probability of one token when it was sampled", [0.001, 1.0], "0.2")
            .label("Probability when sampled")
            .steps(0.001)
            .more("One token")
            .at(|p| p.old.slot()),
        real("new", "probability of the token now", [0.001, 1.0], "0.3")
            .label("Probability now")
            .steps(0.001)
            .more("One token")
            .at(|p| p.new.slot()),
        real("advantage", "advantage of the token", [-5.0, 5.0], "1")
            .label("Advantage")
            .steps(0.1)
            .more("One token")
            .at(|p| p.advantage.slot()),
        whole("group", "answers to one prompt", [1, 64], "8")
            .label("Answers per prompt")
            .doubling(6)
            .more("One group")
            .at(|p| p.group.slot()),
        whole("right", "of these, right ones", [0, 64], "2")
            .label("Correct answers in the group")
            .steps(1.0)
            .more("One group")
            .at(|p| p.right.slot()),
        whole("step", "the update on show; 0 for the last", [0, MOST], "0").drawn().quiet().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["beta", "rate", "batch", "epochs", "lag", "updates", "seed"], |p| {
            matches!(p.view, View::Policy | View::Course)
        }),
        applies(&["clip"], |p| p.view != View::Group),
        applies(&["clip-high"], |p| p.view != View::Group && p.clip > 0.0),
        applies(&["algorithm"], |p| p.view != View::Objective),
        applies(&["old", "new", "advantage"], |p| p.view == View::Objective),
        applies(&["group", "right"], |p| p.view == View::Group),
    ];
    const ORIGIN: Origin = Origin::Own(
        "six answers and a softmax policy, trained by gradient descent on the published objectives; checked against huggingface/trl 0.11.4",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("Schulman 2020, “Approximating KL divergence”, from all six answers exactly"),
            &["divergence"],
        ),
        origin(
            Origin::Of("Schulman et al. 2017 (PPO), arXiv:1707.06347, eq. 7"),
            &["clip-fraction", "ratio", "clipped-ratio", "objective", "slope"],
        ),
        origin(
            Origin::Of("Rafailov et al. 2023 (DPO), arXiv:2305.18290, eq. 4"),
            &["optimum-worth", "optimum-score", "optimum-divergence", "optimum-hack"],
        ),
        origin(
            Origin::Of(
                "Shao et al. 2024 (GRPO), arXiv:2402.03300, §4.1; Liu et al. 2025 (Dr. GRPO), arXiv:2503.20783; Ahmadian et al. 2024 (RLOO), arXiv:2402.14740",
            ),
            &["right-advantage", "wrong-advantage"],
        ),
        origin(
            Origin::Of(
                "Yu et al. 2025 (DAPO), arXiv:2503.14476, dynamic sampling; binomial chance that a group is all right or all wrong",
            ),
            &["no-gradient", "groups-sampled"],
        ),
        origin(Origin::Definition, &["entropy"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(
            |p, _| matches!(p.view, View::Policy | View::Course),
            headline(
                "What the reward model thinks of the policy’s answers.",
                measure("score", "Reward model score", Unit::Ratio, |p, s| at(p, s, Update::score)),
            ),
        ),
        when(
            |p, _| matches!(p.view, View::Policy | View::Course),
            headline(
                "What the answers are really worth.",
                measure("worth", "True value of the answers", Unit::Ratio, |p, s| at(p, s, Update::worth)),
            ),
        ),
        when(
            |p, _| matches!(p.view, View::Policy | View::Course),
            headline(
                "How far the policy has moved from the reference.",
                measure("divergence", "KL from the reference", Unit::Ratio, |p, s| at(p, s, Update::divergence)),
            ),
        ),
        measure("entropy", "Entropy of the policy", Unit::Ratio, |p, s| at(p, s, Update::entropy)),
        when(
            |p, _| matches!(p.view, View::Policy | View::Course),
            headline(
                "Probability of the answer that fools the reward model.",
                measure("hack", "Probability of the reward hack", Unit::Fraction, |p, s| at(p, s, |u| u.new[HACK])),
            ),
        ),
        when(
            |p, _| matches!(p.view, View::Policy | View::Course),
            headline(
                "Probability of the answer that is worth most.",
                measure("best-answer", "Probability of the best answer", Unit::Fraction, |p, s| at(p, s, |u| u.new[0])),
            ),
        ),
        measure("clip-fraction", "Clipped samples", Unit::Fraction, |p, s| at(p, s, |u| u.clipped)),
        measure("best-worth", "Highest true value reached", Unit::Ratio, |_, s| s.best().1),
        measure("best-update", "Update with the highest true value", Unit::Count, |_, s| s.best().0 as f64),
        measure("optimum-worth", "True value of the optimal policy for this β", Unit::Ratio, |p, _| {
            mean(p.beta, |a| a.worth)
        }),
        measure("optimum-score", "Reward model score of the optimal policy for this β", Unit::Ratio, |p, _| {
            mean(p.beta, |a| a.score)
        }),
        measure("optimum-divergence", "KL of the optimal policy for this β", Unit::Ratio, |p, _| {
            divergence(&optimum(p.beta))
        }),
        measure("optimum-hack", "Probability of the reward hack, optimal policy", Unit::Fraction, |p, _| {
            optimum(p.beta)[HACK]
        }),
        when(
            |p, _| p.view == View::Objective,
            headline(
                "The token’s probability now over its probability when it was sampled.",
                measure("ratio", "Probability ratio of the token", Unit::Ratio, |p, _| p.ratio()),
            ),
        ),
        when(
            |p, _| p.view == View::Objective,
            headline(
                "The ratio within the clip range.",
                measure("clipped-ratio", "Clipped probability ratio of the token", Unit::Ratio, |p, _| {
                    p.clip().ratio(p.ratio())
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Objective,
            headline(
                "What the update maximizes.",
                measure("objective", "Objective of the token", Unit::Ratio, |_, s| -s.token.loss),
            ),
        ),
        when(
            |p, _| p.view == View::Objective,
            headline(
                "Zero where the clip stops the update.",
                measure("slope", "Gradient of the token’s objective", Unit::Ratio, |_, s| 0.0 - s.token.slope),
            ),
        ),
        when(
            |p, _| p.view == View::Group,
            headline(
                "How strongly a correct answer is reinforced.",
                measure("right-advantage", "Advantage, correct answer", Unit::Ratio, |_, s| s.group[0]),
            ),
        ),
        when(
            |p, _| p.view == View::Group,
            headline(
                "How strongly a wrong answer is discouraged.",
                measure("wrong-advantage", "Advantage, wrong answer", Unit::Ratio, |_, s| s.group[1]),
            ),
        ),
        when(
            |p, _| p.view == View::Group,
            doc(
                "All right or all wrong, if each answer is right with the group’s share of right ones.",
                measure("no-gradient", "Groups without a gradient", Unit::Fraction, |p, _| p.no_gradient()),
            ),
        ),
        when(
            |p, _| p.view == View::Group && p.no_gradient() < 1.0,
            doc(
                "With dynamic sampling, until one has a gradient.",
                measure("groups-sampled", "Groups sampled per group kept", Unit::Ratio, |p, _| {
                    if p.no_gradient() < 1.0 { 1.0 / (1.0 - p.no_gradient()) } else { 0.0 }
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        if self.right > self.group {
            return Err(format!("Of {} answers at most {} can be right, not {}.", self.group, self.group, self.right));
        }
        Ok(self.shown())
    }
}

/// A mean over the best policy for β.
fn mean(beta: f64, of: impl Fn(&super::answers::Answer) -> f64) -> f64 {
    optimum(beta).iter().zip(&ANSWERS).map(|(p, answer)| p * of(answer)).sum()
}
