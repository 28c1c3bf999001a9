//! The part of Python's pickle format that a memory snapshot needs: numbers, texts, lists, tuples and dictionaries.
//!
//! A pickle is a program for a stack machine (`python/cpython`, `Lib/pickletools.py`), and some of its instructions call whatever function
//! the file names: that is why an unknown pickle must never be loaded by Python. None of those instructions exists here. What is not a
//! plain value is refused, nothing is called, and every instruction consumes bytes, so reading ends. A value may be referred to any number of
//! times, so whoever copies what a pickle holds has to count the copies.

/// Values that are kept of one file: a snapshot of 50 MB has a fifth as many as it has bytes.
const MOST_VALUES: usize = 12_000_000;

/// Members of a dictionary that are looked through: a block has 7, a segment 13.
const MOST_MEMBERS: usize = 64;

/// A value, whose parts are named by their place among all values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// None, or a float: no snapshot says anything with it that is drawn.
    Other,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(String),
    /// A list or a tuple.
    List(Vec<usize>),
    /// A dictionary: keys and values.
    Dict(Vec<(usize, usize)>),
}

/// What a pickle holds.
#[derive(Debug, Clone, Default)]
pub(super) struct Pickle {
    all: Vec<Value>,
    top: usize,
}

impl Pickle {
    /// Reads it.
    ///
    /// # Errors
    /// A sentence: what it is instead, or where it ends too early.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut machine = Machine { rest: bytes, length: bytes.len(), ..Machine::default() };
        loop {
            if machine.all.len() > MOST_VALUES {
                return Err("The pickle has more than 12 million values. Make the snapshot without the history of allocations: \
                            torch.cuda.memory._record_memory_history(enabled=None) before _dump_snapshot."
                    .to_owned());
            }
            if machine.step()? {
                let top = machine.pop()?;
                return Ok(Self { all: machine.all, top });
            }
        }
    }

    /// Its value.
    pub fn top(&self) -> &Value {
        self.get(self.top)
    }

    /// A part of it.
    pub fn get(&self, at: usize) -> &Value {
        self.all.get(at).unwrap_or(&Value::Other)
    }

    /// What a dictionary has under a text.
    pub fn member<'a>(&'a self, dict: &Value, key: &str) -> Option<&'a Value> {
        self.place(dict, key).map(|at| self.get(at))
    }

    /// Where it is among all values: the same for all that refer to it.
    pub fn place(&self, dict: &Value, key: &str) -> Option<usize> {
        let Value::Dict(pairs) = dict else { return None };
        let is_key = |at: usize| matches!(self.get(at), Value::Text(text) if text == key);
        pairs.iter().take(MOST_MEMBERS).find(|pair| is_key(pair.0)).map(|pair| pair.1)
    }
}

/// What stands on the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Item {
    Mark,
    Value(usize),
}

#[derive(Default)]
struct Machine<'a> {
    rest: &'a [u8],
    length: usize,
    all: Vec<Value>,
    stack: Vec<Item>,
    memo: Vec<Option<usize>>,
}

impl<'a> Machine<'a> {
    fn at(&self) -> usize {
        self.length - self.rest.len()
    }

    fn broken(&self) -> String {
        format!("The pickle is damaged at byte {}.", self.at())
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| format!("The pickle ends after {} bytes, in the middle.", self.length))?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number of so many bytes, the least first.
    fn number(&mut self, bytes: usize) -> Result<u64, String> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    fn length_of(&mut self, bytes: usize) -> Result<usize, String> {
        let length = self.number(bytes)?;
        usize::try_from(length).map_err(|_| self.broken())
    }

    fn push(&mut self, value: Value) {
        self.stack.push(Item::Value(self.all.len()));
        self.all.push(value);
    }

    fn pop(&mut self) -> Result<usize, String> {
        match self.stack.pop() {
            Some(Item::Value(at)) => Ok(at),
            _ => Err(self.broken()),
        }
    }

    /// Everything above the last mark.
    fn marked(&mut self) -> Result<Vec<usize>, String> {
        let mut above = Vec::new();
        loop {
            match self.stack.pop() {
                Some(Item::Value(at)) => above.push(at),
                Some(Item::Mark) => break,
                None => return Err(self.broken()),
            }
        }
        above.reverse();
        Ok(above)
    }

    fn text(&mut self, length: usize) -> Result<(), String> {
        let text = String::from_utf8_lossy(self.take(length)?).into_owned();
        self.push(Value::Text(text));
        Ok(())
    }

    fn tuple(&mut self, count: usize) -> Result<(), String> {
        let mut parts = (0..count).map(|_| self.pop()).collect::<Result<Vec<usize>, String>>()?;
        parts.reverse();
        self.push(Value::List(parts));
        Ok(())
    }

    fn remember(&mut self, place: usize) -> Result<(), String> {
        let Some(Item::Value(at)) = self.stack.last().copied() else { return Err(self.broken()) };
        // Places are given in turn: one far beyond is of no real file.
        if place > self.all.len() {
            return Err(self.broken());
        }
        if self.memo.len() <= place {
            self.memo.resize(place + 1, None);
        }
        if let Some(remembered) = self.memo.get_mut(place) {
            *remembered = Some(at);
        }
        Ok(())
    }

    fn recall(&mut self, place: usize) -> Result<(), String> {
        let at = self.memo.get(place).copied().flatten().ok_or_else(|| self.broken())?;
        self.stack.push(Item::Value(at));
        Ok(())
    }

    /// Puts parts into the list on top of the stack.
    fn append(&mut self, mut parts: Vec<usize>) -> Result<(), String> {
        if let Some(Item::Value(at)) = self.stack.last()
            && let Some(Value::List(list)) = self.all.get_mut(*at)
        {
            list.append(&mut parts);
            return Ok(());
        }
        Err(self.broken())
    }

    /// Puts keys and values, in turn, into the dictionary on top of the stack.
    fn set(&mut self, parts: &[usize]) -> Result<(), String> {
        let pairs = parts.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
        if let Some(Item::Value(at)) = self.stack.last()
            && let Some(Value::Dict(dict)) = self.all.get_mut(*at)
        {
            dict.extend(pairs);
            return Ok(());
        }
        Err(self.broken())
    }

    /// One instruction. Whether it was the last.
    fn step(&mut self) -> Result<bool, String> {
        let code = self.number(1)? as u8;
        match code {
            0x80 => drop(self.take(1)?),
            0x95 => drop(self.take(8)?),
            b'.' => return Ok(true),
            b'(' => self.stack.push(Item::Mark),
            b'0' => drop(self.pop()?),
            b'N' => self.push(Value::Other),
            b'G' => {
                self.take(8)?;
                self.push(Value::Other);
            }
            0x88 | 0x89 => self.push(Value::Bool(code == 0x88)),
            b'K' | b'M' => {
                let number = self.number(if code == b'K' { 1 } else { 2 })?;
                self.push(Value::Int(number as i64));
            }
            b'J' => {
                let number = self.number(4)? as u32;
                self.push(Value::Int(i64::from(number as i32)));
            }
            0x8a => self.long()?,
            0x8c | b'X' => {
                let length = self.length_of(if code == 0x8c { 1 } else { 4 })?;
                self.text(length)?;
            }
            b']' | b')' => self.push(Value::List(Vec::new())),
            b'}' => self.push(Value::Dict(Vec::new())),
            b'l' | b't' => {
                let parts = self.marked()?;
                self.push(Value::List(parts));
            }
            0x85..=0x87 => self.tuple(usize::from(code - 0x84))?,
            b'a' => {
                let part = self.pop()?;
                self.append(vec![part])?;
            }
            b'e' => {
                let parts = self.marked()?;
                self.append(parts)?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set(&[key, value])?;
            }
            b'u' => {
                let parts = self.marked()?;
                self.set(&parts)?;
            }
            0x94 => self.remember(self.memo.len())?,
            b'q' | b'r' => {
                let place = self.length_of(if code == b'q' { 1 } else { 4 })?;
                self.remember(place)?;
            }
            b'h' | b'j' => {
                let place = self.length_of(if code == b'h' { 1 } else { 4 })?;
                self.recall(place)?;
            }
            b'c' | b'i' | b'o' | b'R' | b'b' | b'P' | b'Q' | 0x81..=0x84 | 0x92 | 0x93 => {
                return Err(format!(
                    "At byte {} it asks for an object that Python would have to call code for. A snapshot has none, so it is no snapshot, and \
                     was not read any further.",
                    self.at() - 1
                ));
            }
            _ => return Err(format!("Byte {} is no instruction that a snapshot’s pickle has.", self.at() - 1)),
        }
        Ok(false)
    }

    /// A whole number of up to eight bytes in two's complement; what is longer is no size and no address.
    fn long(&mut self) -> Result<(), String> {
        let length = self.length_of(1)?;
        let bytes = self.take(length)?;
        let fill = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
        let value = if length > 8 {
            Value::Other
        } else {
            let all = bytes.iter().copied().chain(std::iter::repeat(fill)).take(8);
            Value::Int(all.enumerate().fold(0, |n, (i, byte)| n | i64::from(byte) << (8 * i)))
        };
        self.push(value);
        Ok(())
    }
}
