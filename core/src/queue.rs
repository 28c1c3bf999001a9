//! Numbered things in the order in which they came, of which any can be taken out.

use std::collections::BTreeMap;

/// The queue. A number is in it at most once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    /// What is in it, by when it came.
    waiting: BTreeMap<u64, usize>,
    /// By number: when it last came.
    came: Vec<u64>,
    next: u64,
}

impl PartialEq for Queue {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Queue {}

impl Queue {
    /// The numbers from `first` up to `end`, in their order.
    pub(crate) fn new(first: usize, end: usize) -> Self {
        let mut queue = Self { waiting: BTreeMap::new(), came: vec![0; end], next: 0 };
        (first..end).for_each(|number| queue.push(number));
        queue
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// From the front on.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.waiting.values().copied()
    }

    /// Puts a number of those that it was made with at the end.
    pub(crate) fn push(&mut self, number: usize) {
        let Some(came) = self.came.get_mut(number) else { return };
        *came = self.next;
        self.waiting.insert(self.next, number);
        self.next += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<usize> {
        self.waiting.pop_first().map(|(_, number)| number)
    }

    /// Takes a number out, wherever it stands.
    pub(crate) fn remove(&mut self, number: usize) {
        let Some(came) = self.came.get(number) else { return };
        if self.waiting.get(came) == Some(&number) {
            self.waiting.remove(came);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_of_the_middle_comes_back_at_the_end() {
        let mut queue = Queue::new(1, 5);
        queue.remove(3);
        queue.remove(3);
        queue.remove(9);
        assert_eq!((queue.pop(), queue.len()), (Some(1), 2));
        queue.push(3);
        queue.push(9);
        assert_eq!(queue.iter().collect::<Vec<_>>(), [2, 4, 3]);
    }
}
