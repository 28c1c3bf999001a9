//! Texts that occur many times, each held once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Texts by number.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Box<str>>", into = "Vec<Box<str>>")]
pub struct Names {
    all: Vec<Box<str>>,
    numbers: BTreeMap<Box<str>, u32>,
}

/// Whether a call of a runtime waits for the device, by its name: CUDA's, HIP's and Level Zero's say so in it; SYCL's Unified Runtime has
/// two (`oneapi-src/unified-runtime`, `scripts/core/queue.yml` and `event.yml`).
pub(super) fn waits(name: &str) -> bool {
    name.contains("Synchronize") || matches!(name, "urQueueFinish" | "urEventWait")
}

/// Whether a call takes memory from the device or gives it back.
pub(super) fn allocates(name: &str) -> bool {
    let cuda = ["cudaMalloc", "cudaFree", "cuMemCreate", "cuMemUnmap"];
    let others = ["hipMalloc", "hipFree", "urUSMDeviceAlloc", "urUSMFree", "zeMemAllocDevice", "zeMemFree"];
    cuda.contains(&name) || others.contains(&name)
}

impl From<Vec<Box<str>>> for Names {
    fn from(all: Vec<Box<str>>) -> Self {
        let numbers = all.iter().enumerate().map(|(i, text)| (text.clone(), i as u32)).collect();
        Self { all, numbers }
    }
}

impl From<Names> for Vec<Box<str>> {
    fn from(names: Names) -> Self {
        names.all
    }
}

impl Names {
    /// The number of a text, a new one if it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    /// The number of a text that is there.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.numbers.get(text).copied()
    }

    /// The text with a number; empty if there is none.
    pub fn get(&self, number: u32) -> &str {
        self.all.get(number as usize).map_or("", |text| text)
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(AsRef::as_ref)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
