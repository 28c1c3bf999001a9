//! Numbered things in the order in which they came, of which any can be taken out.

/// The queue. A number is in it at most once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Queue {
    /// By number: what stands before and behind it. What is not in the queue stands beside itself. The last is the queue's two ends.
    beside: Vec<Beside>,
    len: usize,
}

#[derive(Debug, Clone, Copy)]
struct Beside {
    before: usize,
    behind: usize,
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
        let mut queue = Self { beside: (0..=end).map(|n| Beside { before: n, behind: n }).collect(), len: 0 };
        (first..end).for_each(|number| queue.push(number));
        queue
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The place of the ends.
    fn ends(&self) -> usize {
        self.beside.len().saturating_sub(1)
    }

    fn behind(&self, place: usize) -> Option<usize> {
        self.beside.get(place).map(|beside| beside.behind).filter(|behind| *behind < self.ends())
    }

    /// From the front on.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        std::iter::successors(self.behind(self.ends()), |number| self.behind(*number))
    }

    fn join(&mut self, before: usize, behind: usize) {
        if let Some(beside) = self.beside.get_mut(before) {
            beside.behind = behind;
        }
        if let Some(beside) = self.beside.get_mut(behind) {
            beside.before = before;
        }
    }

    /// Puts a number of those that it was made with at the end.
    pub(crate) fn push(&mut self, number: usize) {
        let ends = self.ends();
        if number >= ends {
            return;
        }
        self.remove(number);
        let last = self.beside.get(ends).map_or(ends, |beside| beside.before);
        self.join(last, number);
        self.join(number, ends);
        self.len += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<usize> {
        let first = self.behind(self.ends())?;
        self.remove(first);
        Some(first)
    }

    /// Takes a number out, wherever it stands.
    pub(crate) fn remove(&mut self, number: usize) {
        let Some(&Beside { before, behind }) = self.beside.get(number) else { return };
        if number >= self.ends() || behind == number {
            return;
        }
        self.join(before, behind);
        self.join(number, number);
        self.len -= 1;
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
        queue.push(2);
        assert_eq!(queue.iter().collect::<Vec<_>>(), [4, 3, 2]);
        while queue.pop().is_some() {}
        assert_eq!((queue.len(), queue.pop(), queue == Queue::default()), (0, None, true));
        queue.push(1);
        assert_eq!(queue.iter().collect::<Vec<_>>(), [1]);
    }
}
