//! Which requests the next step is spent on.
//!
//! *Prefill first* is nano-vllm's scheduler (GeeeekExplorer/nano-vllm, nanovllm/engine/scheduler.py at bb823b3), and vLLM's before its
//! version 1: as long as a prompt waits and its blocks are free, steps take prompts, of which only the first may be cut at the token
//! budget; else a step decodes a token of every running request. One that finds no free block stops the request that started last,
//! which gives its blocks back and computes all of its tokens again. *Chunked* is Sarathi-Serve's (arXiv:2403.02310, algorithm 3) and
//! vLLM's from version 1 on: each step takes the running requests first and fills the rest of the budget with pieces of prompts.
//! *Static* takes a batch, keeps room for all of its tokens, and takes the next one when the last request of it has ended.

use crate::declare::Origin;
use std::collections::VecDeque;

use super::pool::{Content, Pool};
use super::requests::Request;
use super::step::Chunk;
use crate::options;
use crate::quantity::grouped;

/// Where the choice of requests comes from.
pub const ORIGIN: Origin = Origin::Of(
    "GeeeekExplorer/nano-vllm at bb823b3, nanovllm/engine/scheduler.py (prefill first); Agrawal et al. 2024 (Sarathi-Serve), arXiv:2403.02310, Algorithm 3 (chunked); run step by step",
);

/// Which requests a step is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// One batch after another.
    Static,
    /// Prompts before tokens.
    #[default]
    PrefillFirst,
    /// Tokens and pieces of prompts together.
    Chunked,
    /// Prompts on one replica, tokens on another.
    Disaggregated,
}

options!(Policy {
    Static: "static", "static batches";
    PrefillFirst: "prefill-first", "continuous, prefill first";
    Chunked: "chunked", "continuous, chunked prefill";
    Disaggregated: "disaggregated", "disaggregated prefill";
});

/// What a scheduler keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Which requests a step is spent on.
    pub policy: Policy,
    /// Blocks of the cache.
    pub blocks: usize,
    /// Tokens of a block.
    pub block: u64,
    /// Requests of a step at the most (`max_num_seqs`).
    pub seqs: usize,
    /// New tokens of a step at the most (`max_num_batched_tokens`).
    pub tokens: u64,
    /// Whether blocks that hold the beginning of a prompt are used again.
    pub prefix: bool,
}

/// What a step does for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The request, in the order in which they came.
    pub request: usize,
    /// The tokens.
    pub chunk: Chunk,
    /// Whether it decodes.
    pub decode: bool,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Batch {
    /// What it does.
    pub work: Vec<Work>,
    /// Requests that lost their blocks.
    pub preempted: Vec<usize>,
    /// Tokens of prompts that were found in the cache.
    pub found: u64,
    /// Blocks that are free while it runs.
    pub free: usize,
}

impl Batch {
    /// Whether it computes prompts.
    pub fn prefills(&self) -> bool {
        self.work.iter().any(|work| !work.decode)
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Sequence {
    request: Request,
    /// Whose tokens they are: the requests of one owner continue each other.
    owner: usize,
    tokens: u64,
    cached: u64,
    table: Vec<usize>,
    /// Its cache comes from another replica: it is not computed here.
    received: bool,
    done: bool,
}

/// The scheduler of one replica.
#[derive(Debug, Clone, PartialEq)]
pub struct Scheduler {
    rules: Rules,
    pool: Pool,
    sequences: Vec<Sequence>,
    waiting: VecDeque<usize>,
    running: VecDeque<usize>,
    /// Blocks that were looked for, taken, filled or given back.
    touched: usize,
}

impl Scheduler {
    /// Without requests.
    pub fn new(rules: Rules) -> Self {
        let rules = Rules { block: rules.block.max(1), seqs: rules.seqs.max(1), tokens: rules.tokens.max(1), ..rules };
        Self {
            rules,
            pool: Pool::new(rules.blocks),
            sequences: Vec::new(),
            waiting: VecDeque::new(),
            running: VecDeque::new(),
            touched: 0,
        }
    }

    /// Blocks that were handled since this was asked last: what a step costs beside its requests.
    pub fn take_touched(&mut self) -> usize {
        std::mem::take(&mut self.touched)
    }

    /// Adds a request at the end of the queue.
    ///
    /// # Errors
    /// If it could never run: a sentence.
    pub fn add(&mut self, request: Request) -> Result<(), String> {
        self.add_turn(request, self.sequences.len())
    }

    /// Adds a request that begins with all tokens of the earlier ones of its owner, a session.
    ///
    /// # Errors
    /// As [`Scheduler::add`].
    pub fn add_turn(&mut self, request: Request, owner: usize) -> Result<(), String> {
        let longest = (request.prompt + request.output).saturating_sub(1);
        let needs = longest.div_ceil(self.rules.block);
        if needs > self.rules.blocks as u64 {
            return Err(format!(
                "A request of {} and {} tokens needs {} blocks of {} and the cache has {}: it could never end.",
                grouped(request.prompt),
                grouped(request.output),
                grouped(needs),
                self.rules.block,
                grouped(self.rules.blocks as u64)
            ));
        }
        self.waiting.push_back(self.sequences.len());
        self.sequences.push(Sequence { request, owner, tokens: request.prompt, ..Sequence::default() });
        Ok(())
    }

    /// Adds a request whose prompt and first token were computed elsewhere.
    ///
    /// # Errors
    /// As [`Scheduler::add`].
    pub fn receive(&mut self, request: Request) -> Result<(), String> {
        self.add(request)?;
        if let Some(last) = self.sequences.last_mut() {
            last.tokens = request.prompt + 1;
            last.received = true;
        }
        Ok(())
    }

    /// Whether every request has ended.
    pub fn is_done(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Requests that wait, the first one first.
    pub fn waiting(&self) -> impl Iterator<Item = usize> + '_ {
        self.waiting.iter().copied()
    }

    /// Tokens that a request has, its prompt's included.
    pub fn tokens(&self, request: usize) -> u64 {
        self.sequences.get(request).map_or(0, |s| s.tokens)
    }

    /// Tokens of a request's prompt that are still to be computed.
    pub fn prompt_left(&self, request: usize) -> u64 {
        self.sequences.get(request).map_or(0, |s| s.request.prompt.saturating_sub(s.cached))
    }

    /// Tokens at the beginning of an owner's next prompt that are in the cache.
    pub fn holds(&self, request: &Request, owner: usize) -> u64 {
        self.find(request, owner, request.prompt).0.len() as u64 * self.rules.block
    }

    /// The next step. It has no work only if nothing can be done before another request comes.
    pub fn schedule(&mut self) -> Batch {
        let mut batch = Batch::default();
        match self.rules.policy {
            Policy::Static => self.next_of_static(&mut batch),
            Policy::Chunked => self.mixed(&mut batch),
            Policy::PrefillFirst | Policy::Disaggregated => {
                self.take_received();
                self.prefill(&mut batch);
                if batch.work.is_empty() {
                    self.decode(&mut batch);
                }
            }
        }
        batch.free = self.pool.free();
        batch
    }

    fn sequence(&self, s: usize) -> (u64, u64, usize) {
        self.sequences.get(s).map_or((0, 0, 0), |q| (q.tokens, q.cached, q.table.len()))
    }

    /// What the block of this number holds of a request.
    fn content(&self, request: &Request, owner: usize, number: u64) -> Content {
        let end = (number + 1) * self.rules.block;
        if end <= request.shared.min(request.prompt) {
            Content::Prefix(number)
        } else if request.shared > 0 && request.prompt <= request.shared {
            Content::Alike(request.prompt, number)
        } else {
            Content::Own(owner, number)
        }
    }

    /// Blocks at the beginning of a request's `tokens` tokens that are in the cache, and how many of them nobody uses. The last block is
    /// computed always: its last token has to be.
    fn find(&self, request: &Request, owner: usize, tokens: u64) -> (Vec<usize>, usize) {
        let whole = if self.rules.prefix { tokens.div_ceil(self.rules.block).saturating_sub(1) } else { 0 };
        let (mut found, mut idle) = (Vec::new(), 0);
        for number in 0..whole {
            let Some((block, used)) = self.pool.find(self.content(request, owner, number)) else { break };
            found.push(block);
            idle += usize::from(!used);
        }
        (found, idle)
    }

    /// The same for a request that is here.
    fn cached(&self, s: usize) -> (Vec<usize>, usize) {
        self.sequences.get(s).map_or_else(Default::default, |q| self.find(&q.request, q.owner, q.tokens))
    }

    /// Gives a request the blocks that were found and as many new ones as `tokens` tokens need. False, and nothing, if they are not free.
    fn place(&mut self, s: usize, (found, idle): (&[usize], usize), tokens: u64) -> bool {
        let new = (tokens.div_ceil(self.rules.block) as usize).saturating_sub(found.len());
        self.touched += found.len();
        if self.pool.free() < new + idle {
            return false;
        }
        for block in found {
            self.pool.share(*block);
        }
        self.touched += new;
        let mut table = found.to_vec();
        table.extend((0..new).map_while(|_| self.pool.take()));
        let cached = found.len() as u64 * self.rules.block;
        if let Some(q) = self.sequences.get_mut(s) {
            q.table = table;
            q.cached = cached;
        }
        true
    }

    /// Makes room for requests whose cache comes from elsewhere.
    fn take_received(&mut self) {
        while self.running.len() < self.rules.seqs
            && let Some(&s) = self.waiting.front()
            && self.sequences.get(s).is_some_and(|q| q.received)
        {
            let (tokens, ..) = self.sequence(s);
            if !self.place(s, (&[], 0), tokens - 1) {
                break;
            }
            if let Some(q) = self.sequences.get_mut(s) {
                q.cached = tokens - 1;
                q.received = false;
            }
            self.waiting.pop_front();
            self.running.push_back(s);
        }
    }

    fn prefill(&mut self, batch: &mut Batch) {
        let mut taken = 0;
        while batch.work.len() < self.rules.seqs
            && let Some(&s) = self.waiting.front()
        {
            let left = self.rules.tokens - taken;
            let received = self.sequences.get(s).is_some_and(|q| q.received);
            if left == 0 || received {
                break;
            }
            let (tokens, cached, blocks) = self.sequence(s);
            let found = (blocks == 0).then(|| self.cached(s));
            self.touched += found.as_ref().map_or(0, |(found, _)| found.len());
            let past = found.as_ref().map_or(cached, |(found, _)| found.len() as u64 * self.rules.block);
            let new = tokens - past;
            if let Some((found, idle)) = &found {
                let all = tokens.div_ceil(self.rules.block) as usize;
                let needs = all - (found.len() - idle);
                // Only the first prompt of a step is cut.
                if self.pool.free() < needs || (left < new && !batch.work.is_empty()) {
                    break;
                }
                self.place(s, (found, *idle), tokens);
                batch.found += past;
            } else if left < new && !batch.work.is_empty() {
                break;
            }
            let new = new.min(left);
            taken += new;
            if past + new == tokens {
                self.waiting.pop_front();
                self.running.push_back(s);
            }
            batch.work.push(Work { request: s, chunk: Chunk { new, past }, decode: false });
        }
    }

    fn decode(&mut self, batch: &mut Batch) {
        let mut kept = VecDeque::new();
        'next: while batch.work.len() < self.rules.seqs
            && let Some(s) = self.running.pop_front()
        {
            let (tokens, cached, _) = self.sequence(s);
            let needs_block = tokens % self.rules.block == 1 || self.rules.block == 1;
            while needs_block && self.pool.free() == 0 {
                match self.running.pop_back() {
                    Some(last) => self.preempt(last, batch),
                    None => {
                        self.preempt(s, batch);
                        continue 'next;
                    }
                }
            }
            if needs_block {
                self.extend(s, 1);
            }
            batch.work.push(Work { request: s, chunk: Chunk { new: 1, past: cached }, decode: true });
            kept.push_back(s);
        }
        kept.append(&mut self.running);
        self.running = kept;
    }

    fn extend(&mut self, s: usize, blocks: usize) {
        let taken: Vec<usize> = (0..blocks).map_while(|_| self.pool.take()).collect();
        if let Some(q) = self.sequences.get_mut(s) {
            q.table.extend(taken);
        }
    }

    /// Takes a request's blocks; all of its tokens are computed again, and it is the first of the queue.
    fn preempt(&mut self, s: usize, batch: &mut Batch) {
        if let Some(q) = self.sequences.get_mut(s) {
            self.touched += q.table.len();
            self.pool.give_back(&mut q.table);
            q.cached = 0;
        }
        self.waiting.push_front(s);
        batch.preempted.push(s);
    }

    fn mixed(&mut self, batch: &mut Batch) {
        let mut left = self.rules.tokens;
        let mut at = 0;
        'running: while left > 0
            && let Some(&s) = self.running.get(at)
        {
            let (tokens, cached, blocks) = self.sequence(s);
            let new = (tokens - cached).min(left);
            let needs = ((cached + new).div_ceil(self.rules.block) as usize).saturating_sub(blocks);
            while self.pool.free() < needs {
                let Some(last) = self.running.pop_back() else { break 'running };
                self.preempt(last, batch);
                if last == s {
                    break 'running;
                }
            }
            self.extend(s, needs);
            let decode = tokens > self.sequences.get(s).map_or(0, |q| q.request.prompt) && new == 1;
            batch.work.push(Work { request: s, chunk: Chunk { new, past: cached }, decode });
            left -= new;
            at += 1;
        }
        while batch.preempted.is_empty()
            && left > 0
            && self.running.len() < self.rules.seqs
            && let Some(&s) = self.waiting.front()
        {
            let (tokens, ..) = self.sequence(s);
            let (found, idle) = self.cached(s);
            let past = found.len() as u64 * self.rules.block;
            let new = (tokens - past).min(left);
            if !self.place(s, (&found, idle), past + new) {
                break;
            }
            batch.found += past;
            batch.work.push(Work { request: s, chunk: Chunk { new, past }, decode: false });
            left -= new;
            self.waiting.pop_front();
            self.running.push_back(s);
        }
    }

    fn next_of_static(&mut self, batch: &mut Batch) {
        if self.running.is_empty() {
            while self.running.len() < self.rules.seqs
                && let Some(&s) = self.waiting.front()
            {
                let request = self.sequences.get(s).map_or_else(Request::default, |q| q.request);
                if !self.place(s, (&[], 0), (request.prompt + request.output).saturating_sub(1)) {
                    break;
                }
                self.waiting.pop_front();
                self.running.push_back(s);
            }
        }
        let mut left = self.rules.tokens;
        for &s in &self.running {
            let Some(q) = self.sequences.get(s).filter(|q| !q.done && q.cached < q.request.prompt) else { continue };
            let new = (q.request.prompt - q.cached).min(left);
            if new > 0 {
                batch.work.push(Work { request: s, chunk: Chunk { new, past: q.cached }, decode: false });
            }
            left -= new;
        }
        if batch.work.is_empty() {
            let unfinished = self.running.iter().filter_map(|&s| Some((s, self.sequences.get(s).filter(|q| !q.done)?)));
            let one =
                |(s, q): (usize, &Sequence)| Work { request: s, chunk: Chunk { new: 1, past: q.cached }, decode: true };
            batch.work = unfinished.map(one).collect();
        }
    }

    /// Ends a step: what it computed is in the cache, and whose tokens were all computed has one more. Returns the requests that got a
    /// token, and whether each has ended.
    pub fn finish(&mut self, batch: &Batch) -> Vec<(usize, bool)> {
        let mut got = Vec::new();
        for work in &batch.work {
            let s = work.request;
            self.remember(s, work.chunk);
            let Some(q) = self.sequences.get_mut(s) else { continue };
            q.cached += work.chunk.new;
            if q.cached < q.tokens {
                continue;
            }
            q.tokens += 1;
            let ended = q.tokens >= q.request.prompt + q.request.output;
            got.push((s, ended));
            if ended {
                q.done = true;
                self.touched += q.table.len();
                if self.rules.policy != Policy::Static {
                    self.pool.give_back(&mut q.table);
                    self.running.retain(|other| *other != s);
                }
            }
        }
        let all_done = self.running.iter().all(|&s| self.sequences.get(s).is_none_or(|q| q.done));
        if self.rules.policy == Policy::Static && all_done {
            for s in std::mem::take(&mut self.running) {
                if let Some(q) = self.sequences.get_mut(s) {
                    self.pool.give_back(&mut q.table);
                }
            }
        }
        got
    }

    /// Notes what the blocks hold that a step has filled, if anybody will look for it.
    fn remember(&mut self, s: usize, chunk: Chunk) {
        if !self.rules.prefix {
            return;
        }
        let block = self.rules.block;
        for number in chunk.past / block..(chunk.past + chunk.new) / block {
            self.touched += 1;
            let Some(q) = self.sequences.get(s) else { continue };
            if let Some(&at) = q.table.get(number as usize) {
                self.pool.fill(at, self.content(&q.request, q.owner, number));
            }
        }
    }
}
