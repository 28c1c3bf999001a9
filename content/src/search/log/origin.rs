//! Whose line it is, and when it was printed: the prefixes that launchers and loggers write.

use serde::{Deserialize, Serialize};

/// How far into a line a time is looked for.
const HEAD: usize = 120;
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A time of day with its date, if there is one. Times of unlike forms may be of unlike clocks, and are not compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stamp {
    form: Form,
    day: u32,
    second: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Form {
    /// `2024-04-06 03:03:31`, `2024/04/06 03:03:31`
    Year,
    /// `E1229 16:47:25.333820755`
    Glog,
    /// `06-16 10:03:14`
    Day,
    /// `Apr  6 03:03:31`
    Month,
    /// `16:47:25`
    Clock,
}

impl Stamp {
    /// Whether it is before another, as far as that can be said.
    pub fn is_before(self, other: Self) -> bool {
        // Around New Year December comes first.
        let across = self.day.abs_diff(other.day) > 31 * 6;
        let earlier = if across { self.day > other.day } else { self.day < other.day };
        self.form == other.form && (earlier || (self.day == other.day && self.second < other.second))
    }
}

/// The first time in the head of a line.
pub fn stamp(line: &str) -> Option<Stamp> {
    let bytes = line.as_bytes();
    let two = |at: usize| number(bytes.get(at..at + 2)?);
    let at = (0..bytes.len().min(HEAD)).find(|&at| {
        let digit = |i: Option<usize>| i.and_then(|i| bytes.get(i)).is_some_and(u8::is_ascii_digit);
        bytes.get(at + 2) == Some(&b':')
            && bytes.get(at + 5) == Some(&b':')
            && !digit(at.checked_sub(1))
            && two(at).is_some_and(|h| h < 24)
            && two(at + 3).is_some_and(|m| m < 60)
            && two(at + 6).is_some_and(|s| s < 61)
    })?;
    let rest = bytes.get(at + 8..).unwrap_or_default();
    let fraction = match rest {
        [b'.' | b',', digits @ ..] => {
            digits
                .iter()
                .take(9)
                .take_while(|b| b.is_ascii_digit())
                .fold((0.0, 0.1), |(sum, unit), b| (sum + unit * f64::from(b - b'0'), unit / 10.0))
                .0
        }
        _ => 0.0,
    };
    let second = f64::from(two(at)? * 3600 + two(at + 3)? * 60 + two(at + 6)?) + fraction;
    let before = line.get(..at)?.trim_end_matches(['T', ' ', '_']);
    let (form, month, day) = date(before).unwrap_or((Form::Clock, 0, 0));
    Some(Stamp { form, day: month * 31 + day, second })
}

/// The date at the end of a text: its form, month and day.
fn date(text: &str) -> Option<(Form, u32, u32)> {
    let bytes = text.as_bytes();
    let tail = |n: usize| bytes.len().checked_sub(n).and_then(|from| bytes.get(from..));
    if let Some([y1, y2, y3, y4, b'-' | b'/', m1, m2, b'-' | b'/', d1, d2]) = tail(10)
        && number(&[*y1, *y2, *y3, *y4]).is_some()
    {
        return Some((Form::Year, number(&[*m1, *m2])?, number(&[*d1, *d2])?));
    }
    if let Some([m1, m2, b'-', d1, d2]) = tail(5) {
        return Some((Form::Day, number(&[*m1, *m2])?, number(&[*d1, *d2])?));
    }
    // glog has two digits for the month, PyTorch’s logger one or two.
    let month = match (tail(5), tail(4)) {
        (Some([b'I' | b'W' | b'E' | b'F', m1, m2, _, _]), _) => number(&[*m1, *m2]),
        (_, Some([b'I' | b'W' | b'E' | b'F', m, _, _])) => number(&[*m]),
        _ => None,
    };
    if let Some(month) = month {
        return Some((Form::Glog, month, number(tail(2)?)?));
    }
    let mut words = text.split_whitespace().rev();
    let (day, month) = (words.next()?, words.next()?);
    let month = month.get(month.len().checked_sub(3)?..)?.to_ascii_lowercase();
    let month = MONTHS.iter().position(|name| *name == month)?;
    Some((Form::Month, u32::try_from(month + 1).ok()?, number(day.as_bytes())?))
}

fn number(digits: &[u8]) -> Option<u32> {
    let fits = !digits.is_empty() && digits.len() <= 6 && digits.iter().all(u8::is_ascii_digit);
    fits.then(|| digits.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0')))
}

/// The rank that a line names in its head as the one that prints it.
pub fn rank(line: &str) -> Option<u32> {
    let line = line.trim_start();
    let mut end = line.len().min(HEAD);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let leading = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        Some((number(&text.as_bytes()[..digits])?, text.get(digits..)?.to_owned()))
    };
    // Without a line's end between them, one rank's bar may stand before another's message.
    let message = line.find("[E ProcessGroupNCCL").or_else(|| line.find("[Rank ")).filter(|at| *at > 0);
    if let Some(own) = message.and_then(|at| line.get(at..)).filter(|own| own.contains("[Rank ")) {
        return own.split_once("[Rank ").and_then(|(_, own)| leading(own)).map(|(rank, _)| rank);
    }
    let head = &line[..end];
    // `srun --label` and `[1,3]<stderr>` of mpirun.
    if let Some((rank, rest)) = leading(head)
        && rest.starts_with(": ")
    {
        return Some(rank);
    }
    if let Some((rank, rest)) = head.strip_prefix("[1,").and_then(leading)
        && rest.starts_with("]<")
    {
        return Some(rank);
    }
    for mark in ["[rank", "[Rank ", "[default", "[RANK ", "rank=", "(rank "] {
        if let Some(at) = head.find(mark)
            && let Some((rank, _)) = head.get(at + mark.len()..).and_then(leading)
        {
            return Some(rank);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_one_form_are_compared() {
        let at = |line: &str| stamp(line).unwrap_or_else(|| panic!("{line}"));
        let pairs = [
            ("[2024-04-06 03:03:31] iteration", "[2024-04-06T03:03:37] iteration"),
            ("[rank4]:[E1229 16:47:25.333820755 ProcessGroupNCCL.cpp:541]", "[rank0]:[E1229 16:47:25.4 x"),
            ("INFO 12-31 23:59:59 [loggers.py:87]", "INFO 01-01 00:00:01 [loggers.py:87]"),
            ("Apr  6 03:03:31 node kernel:", "Apr 16 03:03:31 node kernel:"),
            ("03:03:31 x", "03:03:31,5 x"),
            ("[rank0]:[E321 02:07:08.408271257 x", "[rank3]:[E402 01:31:38.928019586 x"),
        ];
        for (first, second) in pairs {
            assert!(at(first).is_before(at(second)) && !at(second).is_before(at(first)), "{first}");
        }
        assert!(!at(pairs[0].0).is_before(at(pairs[1].1)), "unlike forms");
        for line in ["", "iteration 3", "99:03:31", "103:03:31", "ä:ö:ü"] {
            assert_eq!(stamp(line), None, "{line}");
        }
    }

    #[test]
    fn ranks_are_read_from_the_prefixes_of_launchers() {
        let lines = [
            ("[rank4]:[E1229 16:47:25] x", Some(4)),
            ("[rank12]: Traceback", Some(12)),
            ("[E ProcessGroupNCCL.cpp:541] [Rank 3] found", Some(3)),
            (
                "[default0]:Grouping: 8%|8| 726/967 [02:32<30:38][default2]:[E ProcessGroupNCCL.cpp:475] [Rank 2] Watchdog",
                Some(2),
            ),
            ("7: loss", Some(7)),
            ("[1,3]<stderr>:x", Some(3)),
            ("[default5]:x", Some(5)),
            ("(RayTrainWorker pid=17, ip=10.0.0.1) [rank=2]", Some(2)),
            ("12:30:00 x", None),
            ("node1:4016:4653 [7] NCCL", None),
            ("", None),
        ];
        for (line, expected) in lines {
            assert_eq!(rank(line), expected, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_has_an_origin_or_none(line in "\\PC{0,160}") {
            let _ = (stamp(&line), rank(&line));
        }
    }
}
