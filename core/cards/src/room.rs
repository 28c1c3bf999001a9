//! A room's votes, over many pictures.

use serde::{Deserialize, Serialize};

use crate::code::{Answer, CARDS};
use crate::read::Reading;

/// In how many pictures in a row, of those that show a card, it has to say the same to be counted.
const STEADY: u8 = 3;

/// What one card said so far.
#[derive(Debug, Clone, Copy, Default)]
struct Card {
    /// What is counted.
    counted: Option<Answer>,
    /// What it said last, and in how many pictures in a row.
    last: Option<(Answer, u8)>,
    /// In how many pictures in a row it was there twice.
    twice: u8,
}

/// The votes of a room: every card counts once, as it was held last and steadily. A card that is lowered stays counted.
#[derive(Debug, Clone)]
pub struct Room {
    cards: [Card; CARDS as usize],
}

/// A room's votes, as they stand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Count {
    /// Cards for each answer, A to D.
    pub votes: [u32; 4],
    /// Counted cards whose number is higher than the cards that were handed out; they are in no vote.
    pub beyond: Vec<u8>,
    /// Cards of which two were seen at once: only one of the two is counted.
    pub twice: Vec<u8>,
}

/// What the program that looks says to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It has started.
    Ready,
    /// A picture was read.
    Read {
        /// Its width and height, in pixels.
        size: (u32, u32),
        /// The cards in it.
        cards: Vec<Reading>,
        /// All votes so far.
        count: Count,
        /// How long it took to read, in milliseconds.
        took: f64,
    },
    /// This browser does not let a worker look at pictures, or the picture has no size that can be read.
    Failed,
}

impl Default for Room {
    fn default() -> Self {
        Self { cards: [Card::default(); CARDS as usize] }
    }
}

impl Room {
    /// Takes in the cards of the next picture.
    pub fn see(&mut self, seen: &[Reading]) {
        for (number, card) in (1..).zip(self.cards.iter_mut()) {
            let mut said = seen.iter().filter(|reading| reading.card == number).map(|reading| reading.answer);
            let Some(answer) = said.next() else { continue };
            card.twice = if said.next().is_some() { card.twice.saturating_add(1) } else { 0 };
            let times = card.last.filter(|(last, _)| *last == answer).map_or(1, |(_, times)| times.saturating_add(1));
            card.last = Some((answer, times));
            if times >= STEADY {
                card.counted = Some(answer);
            }
        }
    }

    /// The votes, if so many cards were handed out: those with the numbers from 1.
    pub fn count(&self, handed_out: u8) -> Count {
        let mut count = Count::default();
        for (number, card) in (1..).zip(&self.cards) {
            match card.counted {
                Some(_) if number > handed_out => count.beyond.push(number),
                Some(answer) => count.votes[answer as usize] += 1,
                None => {}
            }
            if card.twice >= STEADY {
                count.twice.push(number);
            }
        }
        count
    }
}

impl Count {
    /// How many cards are counted.
    pub fn cards(&self) -> u32 {
        self.votes.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(card: u8, answer: Answer) -> Reading {
        Reading { card, answer, corners: [(0.0, 0.0); 4] }
    }

    #[test]
    fn a_card_counts_once_as_it_was_held_last_and_steadily() {
        let mut room = Room::default();
        let see = |room: &mut Room, answer: Answer, times: usize| {
            (0..times).for_each(|_| room.see(&[reading(7, answer)]));
            room.count(40).votes
        };
        assert_eq!(see(&mut room, Answer::B, 2), [0, 0, 0, 0], "not yet");
        assert_eq!(see(&mut room, Answer::B, 30), [0, 1, 0, 0]);
        // On its way from B to D it is C for a moment.
        assert_eq!(see(&mut room, Answer::C, 2), [0, 1, 0, 0]);
        assert_eq!(see(&mut room, Answer::D, 3), [0, 0, 0, 1]);
        room.see(&[]);
        assert_eq!(room.count(40).cards(), 1, "a card that is lowered stays counted");
    }

    #[test]
    fn cards_that_were_not_handed_out_and_cards_that_are_there_twice_are_named() {
        let mut room = Room::default();
        for _ in 0..3 {
            room.see(&[reading(5, Answer::A), reading(5, Answer::B), reading(41, Answer::C)]);
        }
        let count = room.count(40);
        assert_eq!((count.cards(), count.beyond.clone(), count.twice.clone()), (1, vec![41], vec![5]));
        assert_eq!((room.count(41).votes, room.count(0).cards()), ([1, 0, 1, 0], 0));
        let said = Said::Read { size: (4, 3), cards: vec![reading(5, Answer::A)], count, took: 1.5 };
        for said in [Said::Ready, Said::Failed, said] {
            let bytes = postcard::to_allocvec(&said).expect("written");
            assert_eq!(postcard::from_bytes::<Said>(&bytes).expect("read"), said);
        }
    }
}
