//! A step as phases: what each GPU holds in each, and how long each takes.
//!
//! Three ways to place the models. *Hybrid* (DeepSpeed-Chat, arXiv:2308.01320, §4): all of them stay on all GPUs, and the policy's weights are gathered
//! into the layout of inference while it generates. *Swapped* (verl's and OpenRLHF's co-located engines): a model is on the GPUs in its own phases and in
//! host memory otherwise, and the engine sleeps while others work. *Apart*: some GPUs generate, the others hold and train the models; one after
//! the other, or at once with samples that are a step old.

use super::roles::{Method, Role};
use super::time::Generation;
use super::{Params, Placement, USED};
use crate::memory::overhead::{Basis, Overhead};
use crate::memory::{Parts, Verdict};
use crate::post_training::held::Held;
use crate::units::Bytes;

/// What a phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The policy's new weights go to the engines.
    Sync,
    /// The policy answers.
    Generate,
    /// A forward pass of this role.
    Score(Role),
    /// Training of this role.
    Train(Role),
}

impl Work {
    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Work::Sync => "Weights to the engine",
            Work::Generate => "Generate answers",
            Work::Score(Role::Policy) => "Log-probabilities",
            Work::Score(Role::Reference) => "Reference",
            Work::Score(Role::Reward) => "Scores",
            Work::Score(Role::Critic) => "Values",
            Work::Train(Role::Policy) => "Train the policy",
            Work::Train(Role::Critic) => "Train the critic",
            Work::Train(Role::Reward | Role::Reference) => "Train",
        }
    }

    /// The role that works.
    pub const fn role(self) -> Role {
        match self {
            Work::Sync | Work::Generate => Role::Policy,
            Work::Score(role) | Work::Train(role) => role,
        }
    }

    /// Whether it is on the GPUs that generate, where those are others.
    pub const fn on_engine(self) -> bool {
        matches!(self, Work::Sync | Work::Generate)
    }
}

/// One phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// What it is.
    pub work: Work,
    /// Seconds of it.
    pub seconds: f64,
    /// Of these, seconds in which states come from host memory.
    pub loading: f64,
    /// What each role has on a GPU meanwhile, in the order of [`Role::ALL`].
    pub roles: [Parts; 4],
    /// What a forward pass or the engine has beside that.
    pub working: Bytes,
}

impl Phase {
    /// Bytes on a GPU.
    pub fn total(&self) -> Bytes {
        self.roles.iter().map(Parts::total).fold(self.working, |sum, bytes| sum + bytes)
    }
}

/// A step worked out.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What each role takes on a GPU when it is there.
    pub held: [Held; 4],
    /// The phases.
    pub phases: Vec<Phase>,
    /// Generation; nothing where none is needed.
    pub generation: Generation,
    /// Whether the policy fits its GPU: the verdict of the fullest phase.
    pub verdict: Verdict,
    /// Bytes a GPU holds in pre-training of states alone.
    pub pretraining_states: f64,
}

fn empty(held: &Held) -> Parts {
    Parts { activations: Bytes(0.0), ..held.parts }
}

impl Params {
    /// The phases of a method, in their order.
    fn works(&self) -> Vec<Work> {
        let scored = |role: Role| self.is_there(role).then_some(Work::Score(role));
        let mut works = Vec::with_capacity(9);
        match self.method {
            Method::Sft => works.push(Work::Train(Role::Policy)),
            Method::Reward => works.push(Work::Train(Role::Reward)),
            Method::Dpo => {
                works.extend(scored(Role::Reference));
                works.push(Work::Train(Role::Policy));
            }
            Method::Ppo | Method::Grpo => {
                works.extend([Work::Sync, Work::Generate, Work::Score(Role::Policy)]);
                works.extend(scored(Role::Reference));
                works.extend(scored(Role::Reward));
                if self.method == Method::Ppo {
                    works.push(Work::Score(Role::Critic));
                }
                works.push(Work::Train(Role::Policy));
                if self.method == Method::Ppo {
                    works.push(Work::Train(Role::Critic));
                }
            }
        }
        works
    }

    /// GPUs that train and score, and GPUs that generate.
    pub fn split(&self) -> (u64, u64) {
        if self.method.generates() && self.placement.is_apart() {
            (self.gpus.saturating_sub(self.gen_gpus), self.gen_gpus)
        } else {
            (self.gpus, self.gpus)
        }
    }

    /// Whether the engine has weights of its own beside those that are trained.
    fn has_copy(&self) -> bool {
        self.placement != Placement::Hybrid || self.zero == 3 || self.gen_tp != self.tp || self.tune_is_quantized()
    }

    /// Works a step out. An error if it cannot be laid out so: a sentence.
    pub fn step_of(&self) -> Result<Step, String> {
        self.check()?;
        let (gpus, engines) = self.split();
        let mut held = [Held::default(); 4];
        for (role, held) in Role::ALL.into_iter().zip(&mut held) {
            *held = self.held(role, gpus)?;
        }
        let resting = |role: Role, work: Work| {
            let one = empty(&held[role as usize]);
            let away = match role {
                Role::Reference => self.reference == super::Where::Host,
                Role::Reward => !self.method.trains(role) && self.reward_at == super::Where::Host,
                _ => false,
            };
            let apart = self.placement.is_apart() && self.method.generates() && work.on_engine();
            let swapped = self.placement == Placement::Swapped && self.method.generates();
            if apart || (work.role() != role && (away || swapped)) || (swapped && work == Work::Generate) {
                Parts::default()
            } else {
                one
            }
        };
        let copy = if self.has_copy() { self.engine_weights() } else { 0.0 };
        let in_generation: f64 = Role::ALL.iter().map(|r| resting(*r, Work::Generate).total().0).sum();
        let room = USED * self.gpu.memory.0 - in_generation - copy;
        let generation = if self.method.generates() { self.generation(engines, room) } else { Generation::default() };
        let phases = self.works().into_iter().map(|work| {
            let mut roles = Role::ALL.map(|role| resting(role, work));
            let role = work.role();
            let own = &held[role as usize];
            let mut working = Bytes(0.0);
            let seconds = match work {
                Work::Sync => {
                    working = Bytes(copy);
                    if copy > 0.0 { self.weight_sync() } else { 0.0 }
                }
                Work::Generate => {
                    working = Bytes(copy);
                    roles[0].kv_cache = Bytes(generation.cache);
                    generation.prefill + generation.decode
                }
                Work::Score(role) => {
                    working = own.forward;
                    self.scoring(role, gpus)
                }
                Work::Train(role) => {
                    roles[role as usize].activations = own.parts.activations;
                    self.training(role, gpus)
                }
            };
            let came = self.placement == Placement::Swapped && self.method.generates() && work != Work::Generate;
            let from_host = match role {
                Role::Reference => self.reference == super::Where::Host,
                Role::Reward => !self.method.trains(role) && self.reward_at == super::Where::Host,
                _ => false,
            };
            let bytes = if came || from_host { roles[role as usize].states().0 } else { 0.0 };
            let moment = if self.offload && matches!(work, Work::Train(_)) { self.offloaded(role, gpus) } else { 0.0 };
            Phase { work, seconds, loading: self.loading(bytes + moment), roles, working }
        });
        let phases: Vec<Phase> = phases.filter(|p| p.work != Work::Sync || copy > 0.0).collect();
        let alone = self.alone(gpus)?;
        let mut step =
            Step { held, phases, generation, verdict: Verdict::Fits, pretraining_states: alone.parts.states().0 };
        step.verdict = self.verdict(&step);
        Ok(step)
    }

    /// Bytes that an update in host memory moves for each GPU: gradients out, new weights back.
    fn offloaded(&self, role: Role, gpus: u64) -> f64 {
        let parts = self.load(role, gpus).held().unwrap_or_default().parts;
        // As many new weights as there are gradients.
        2.0 * parts.gradients.0
    }

    /// The policy, pre-trained.
    fn alone(&self, gpus: u64) -> Result<Held, String> {
        let role = if self.method == Method::Reward { Role::Reward } else { Role::Policy };
        let load = super::Load {
            tune: Some(super::Tune::Full),
            scalar: false,
            dtype: self.dtype,
            zero: self.zero,
            ..self.load(role, gpus)
        };
        load.held().map_err(|e| e.to_string())
    }

    /// Whether the fullest phase fits, beside what nobody can compute.
    fn verdict(&self, step: &Step) -> Verdict {
        let verdict = |phase: &Phase| {
            let (gpus, _) = self.split();
            let cache = phase.roles.iter().map(|parts| parts.kv_cache.0).sum::<f64>();
            let tensors = phase.total().0 - cache;
            let weights = phase.roles[phase.work.role() as usize].weights.0;
            let beside = Overhead::of(&Basis {
                groups: f64::from(u8::from(self.tp > 1)) + f64::from(u8::from(gpus > self.tp)),
                tensors,
                step: matches!(phase.work, Work::Train(_)),
                cache,
                reduced: if matches!(phase.work, Work::Train(_)) && self.zero >= 1 { weights } else { 0.0 },
                element: self.dtype.bytes(),
                gathered: (0.0, 0.0),
            });
            Verdict::of(phase.total(), beside.total(), self.gpu.memory)
        };
        step.phases.iter().map(verdict).min().unwrap_or(Verdict::Fits)
    }
}

impl Step {
    /// The fullest phase.
    pub fn peak(&self) -> Option<&Phase> {
        self.phases.iter().reduce(|a, b| if b.total() > a.total() { b } else { a })
    }

    /// Bytes of the fullest phase.
    pub fn peak_bytes(&self) -> f64 {
        self.peak().map_or(0.0, |phase| phase.total().0)
    }

    /// Seconds of phases of which this holds.
    pub fn seconds(&self, which: impl Fn(Work) -> bool) -> f64 {
        self.phases.iter().filter(|p| which(p.work)).map(|p| p.seconds + p.loading).sum()
    }

    /// Weights, gradients and optimizer states of every role on a GPU, wherever they are meanwhile.
    pub fn states(&self) -> f64 {
        self.held.iter().map(|held| held.parts.states().0).sum()
    }
}
