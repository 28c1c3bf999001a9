//! From what a learner typed to a number in base units, without judging it.

use super::separators::{Other, separators};
use super::units::{Named, Written, examples, read_suffix, suited, time_part};
use crate::decimal;
use crate::expr::{self, Expr, FUNCTIONS, begins_name, continues_name, plain_operator};
use crate::quantity::Unit;
use crate::query::{did_you_mean, shorten};

/// The longest answer that is read, in bytes.
pub const MAX_LENGTH: usize = 400;

/// What an input can be read as.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// A number.
    Answer(Answer),
    /// Several numbers, and only the learner knows which: the same input written so that it is clear, once for each,
    /// and the question to ask.
    Ambiguous {
        /// The input, rewritten; each reads as an answer.
        readings: Vec<String>,
        /// The question: a sentence.
        question: String,
    },
    /// Nothing.
    Unreadable {
        /// Where, in bytes from the beginning of the input.
        at: usize,
        /// What cannot be read and what could: a sentence.
        message: String,
    },
    /// No answer yet.
    Empty,
}

/// A number as it was typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// In base units: of the unit that was typed, or of the one asked for if none was.
    pub value: f64,
    /// The number in front of the unit.
    pub number: f64,
    /// The unit, if one was typed.
    pub unit: Option<Named>,
    /// How exactly it was typed; nothing for the result of an expression.
    pub digits: Option<Digits>,
    /// Whether a power of ten was written out: `4.8e11`, `4.8×10^11`, `480 billion`, `7.5k`.
    pub scaled: bool,
    /// The same number read the other way, and how to write that: `1.500` as fifteen hundred, `1,500` as one and a half.
    pub unusual: Option<(f64, String)>,
}

/// How exactly a number was typed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Digits {
    /// Significant digits: 3 in `4.80`.
    pub significant: u32,
    /// Half a step of the last digit, in base units like [`Answer::value`].
    pub half_step: f64,
}

/// Reads `input` as an amount in `asked`. `names` are what an expression may use; none where only a number is wanted.
pub fn read(input: &str, asked: Unit, names: &[(String, f64)]) -> Reading {
    if input.len() > MAX_LENGTH {
        let message = format!("That is too long for an answer: at most {MAX_LENGTH} characters are read.");
        return Reading::Unreadable { at: 0, message };
    }
    let characters = normalise(input);
    let characters = without_hedge(&characters);
    if characters.is_empty() {
        return Reading::Empty;
    }
    if asked == Unit::Seconds
        && let Some(seconds) = duration_in_parts(characters)
    {
        let (value, number) = (seconds, seconds);
        return Reading::Answer(Answer { value, number, unit: None, digits: None, scaled: true, unusual: None });
    }
    let mut scan = Scan::new(input, characters, names);
    if let Err((at, message)) = scan.run(asked) {
        return Reading::Unreadable { at, message };
    }
    scan.conclude(asked)
}

/// The seconds of a duration in several parts, as in `2 h 30 min`.
pub(super) fn duration(input: &str) -> Option<f64> {
    duration_in_parts(without_hedge(&normalise(input)))
}

/// One character of the input in its plain form, with its place there.
type Place = (usize, char);

/// Plain spaces, digits and operators; superscripts as powers; invisible characters left out.
fn normalise(input: &str) -> Vec<Place> {
    let mut plain: Vec<Place> = Vec::with_capacity(input.len());
    let mut raised = false;
    for (at, c) in input.char_indices() {
        if let Some(digit) = superscript(c) {
            if !raised {
                plain.push((at, '^'));
            }
            raised = true;
            plain.push((at, digit));
            continue;
        }
        raised = false;
        let c = match c {
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => continue,
            c if c.is_whitespace() => ' ',
            '０'..='９' => shifted(c, '０'),
            '٠'..='٩' => shifted(c, '٠'),
            '۰'..='۹' => shifted(c, '۰'),
            '．' | '٫' => '.',
            '，' => ',',
            '’' | '‘' | '٬' => '\'',
            '％' | '٪' => '%',
            '（' => '(',
            '）' => ')',
            c @ ('½' | '¼' | '¾') => {
                let alone = plain.last().is_none_or(|(_, before)| !before.is_ascii_digit());
                let decimals = match c {
                    '½' => "0.5",
                    '¼' => "0.25",
                    _ => "0.75",
                };
                if alone {
                    plain.extend(decimals.chars().map(|d| (at, d)));
                } else {
                    plain.push((at, c));
                }
                continue;
            }
            c => plain_operator(c),
        };
        plain.push((at, c));
    }
    while plain.last().is_some_and(|(_, c)| *c == ' ') {
        plain.pop();
    }
    plain
}

fn shifted(c: char, zero: char) -> char {
    char::from_digit((c as u32).saturating_sub(zero as u32), 10).unwrap_or('0')
}

fn superscript(c: char) -> Option<char> {
    let plain = match c {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴'..='⁹' => shifted(c, '⁰'),
        '⁻' => '-',
        '⁺' => '+',
        _ => return None,
    };
    Some(plain)
}

/// Leaves out what only says that the number is rounded, or that an answer follows.
fn without_hedge(mut characters: &[Place]) -> &[Place] {
    const WORDS: [&str; 9] =
        ["approximately", "approx.", "approx", "about", "around", "roughly", "circa", "ca.", "it is"];
    loop {
        let before = characters.len();
        while let Some(((_, ' ' | '≈' | '~' | '∼' | '=' | '≃' | '≅' | ':'), rest)) = characters.split_first() {
            characters = rest;
        }
        for word in WORDS {
            let begins = characters.len() > word.chars().count()
                && word.chars().zip(characters).all(|(w, (_, c))| w == c.to_ascii_lowercase());
            let rest = characters.get(word.chars().count()..).unwrap_or_default();
            if begins && rest.first().is_some_and(|(_, c)| !c.is_alphabetic()) {
                characters = rest;
            }
        }
        if characters.len() == before {
            return characters;
        }
    }
}

/// `2 h 30 min`: at least two numbers, each with a unit of time.
fn duration_in_parts(characters: &[Place]) -> Option<f64> {
    let text: String = characters.iter().map(|(_, c)| *c).collect();
    let (mut rest, mut total, mut parts) = (text.trim(), 0.0, 0);
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let number = decimal::parse(rest.get(..digits)?)?;
        rest = rest.get(digits..)?.trim_start();
        let letters = rest.len() - rest.trim_start_matches(|c: char| c.is_alphabetic()).len();
        total += number * time_part(rest.get(..letters)?)?;
        rest = rest.get(letters..)?.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
        parts += 1;
    }
    (parts > 1 && f64::is_finite(total)).then_some(total)
}

/// A number found in the input.
struct Literal {
    /// Its place in the input, in bytes.
    from: usize,
    to: usize,
    /// As `expr` reads it; with `other`, the first of two readings.
    text: String,
    other: Option<Other>,
}

struct Scan<'a> {
    input: &'a str,
    characters: &'a [Place],
    names: &'a [(String, f64)],
    /// What `expr` will read, and for each of its bytes the place in the input.
    clean: String,
    places: Vec<usize>,
    literals: Vec<Literal>,
    /// What follows the number, and where.
    suffix: Option<(usize, String)>,
    /// Whether a number inside the expression has a unit, so that the result is in base units.
    units_inside: bool,
}

impl<'a> Scan<'a> {
    fn new(input: &'a str, characters: &'a [Place], names: &'a [(String, f64)]) -> Self {
        Self {
            input,
            characters,
            names,
            clean: String::new(),
            places: Vec::new(),
            literals: Vec::new(),
            suffix: None,
            units_inside: false,
        }
    }

    fn char_at(&self, i: usize) -> char {
        self.characters.get(i).map_or('\0', |(_, c)| *c)
    }

    /// The place in the input of the character `i`, or the end.
    fn place(&self, i: usize) -> usize {
        self.characters.get(i).map_or(self.input.len(), |(at, _)| *at)
    }

    fn push(&mut self, text: &str, at: usize) {
        self.clean.push_str(text);
        self.places.resize(self.clean.len(), at);
    }

    fn after_space(&self, mut i: usize) -> usize {
        while self.char_at(i) == ' ' {
            i += 1;
        }
        i
    }

    /// Splits the input into an expression and what follows it.
    fn run(&mut self, asked: Unit) -> Result<(), (usize, String)> {
        let mut i = 0;
        // For each open parenthesis, whether it belongs to a function, inside which a comma separates.
        let mut open: Vec<bool> = Vec::new();
        let mut after_function = false;
        while i < self.characters.len() {
            let c = self.char_at(i);
            let begins_number = c.is_ascii_digit() || (c == '.' && self.char_at(i + 1).is_ascii_digit());
            let lone_decimal = c == ',' && self.clean.trim().is_empty() && self.char_at(i + 1).is_ascii_digit();
            if begins_number || lone_decimal {
                i = self.literal(i, open.last() == Some(&true))?;
            } else if matches!(c, 'x' | 'X') && self.is_multiplication(i) {
                self.push("*", self.place(i));
                i += 1;
            } else if begins_name(c) || c == 'µ' {
                let end = (i..self.characters.len())
                    .find(|&j| !continues_name(self.char_at(j)))
                    .unwrap_or(self.characters.len());
                let word: String = (i..end).map(|j| self.char_at(j)).collect();
                let function = FUNCTIONS.contains(&word.as_str()) && self.char_at(self.after_space(end)) == '(';
                if !function && !self.knows(&word) {
                    if let Some(behind) = self.unit_inside(i, end, asked) {
                        i = behind;
                        continue;
                    }
                    return self.rest_is_suffix(i, &word, asked);
                }
                self.push(&word, self.place(i));
                after_function = function;
                i = end;
            } else {
                match c {
                    '(' => open.push(std::mem::take(&mut after_function)),
                    ')' => {
                        open.pop();
                    }
                    '%' if self.ends_with_percent(i) => {
                        self.suffix = Some((self.place(i), "%".to_owned()));
                        return Ok(());
                    }
                    '*' if i + 1 >= self.characters.len() && is_signed_number(&self.clean) => {
                        self.suffix = Some((self.place(i), "x".to_owned()));
                        return Ok(());
                    }
                    _ => {}
                }
                self.push(c.encode_utf8(&mut [0; 4]), self.place(i));
                i += 1;
            }
        }
        Ok(())
    }

    fn knows(&self, word: &str) -> bool {
        self.names.iter().any(|(name, _)| name == word)
    }

    /// Whether the `x` at `i` stands between two numbers: `4.8x10^11`, `4.8 x 10^11`, but not `0x10`.
    fn is_multiplication(&self, i: usize) -> bool {
        let before = self.clean.trim_end();
        let after = self.char_at(self.after_space(i + 1));
        before.ends_with(|c: char| c.is_ascii_digit() || c == ')')
            && (after.is_ascii_digit() || after == '(')
            && before != "0"
    }

    /// Whether the percent sign at `i` is the unit of the one number before it.
    fn ends_with_percent(&self, i: usize) -> bool {
        i + 1 >= self.characters.len() && self.literals.len() == 1 && is_signed_number(&self.clean)
    }

    /// The unit of a number inside an expression, as in `3.4 µs + 50 MB/(450 GB/s)`: makes the number one in base units. The
    /// index behind it; none where what follows is the unit of all of it, or no unit.
    fn unit_inside(&mut self, i: usize, end: usize, asked: Unit) -> Option<usize> {
        let text =
            |to: usize| self.characters.get(i..to).unwrap_or_default().iter().map(|(_, c)| *c).collect::<String>();
        if !self.units_inside && read_suffix(&text(self.characters.len()), asked).unit != Written::Unknown {
            return None;
        }
        let literal = self.literals.last().filter(|l| self.clean.trim_end().ends_with(&l.text))?;
        let from = self.clean.trim_end().len() - literal.text.len();
        let next = self.after_space(end);
        let slash = if self.char_at(next) == '/' { 1 } else { 3 };
        let is_rate = slash == 1 || (next > end && text(next + slash).ends_with(" per"));
        let per = self.after_space(next + slash);
        let per_end = (per..).find(|&j| !continues_name(self.char_at(j))).unwrap_or(per);
        let rate = (is_rate && begins_name(self.char_at(per))).then_some(per_end);
        let (behind, factor) = rate.into_iter().chain([end]).find_map(|to| {
            let suffix = read_suffix(&text(to), asked);
            let unit = match suffix.unit {
                Written::One(named) => named.factor,
                Written::Nothing => 1.0,
                _ => return None,
            };
            let next = self.after_space(to);
            let ends = matches!(self.char_at(next), '+' | '-' | '*' | '/' | '^' | ')' | ',');
            (ends || next >= self.characters.len()).then_some((to, suffix.multiplier * unit))
        })?;
        let at = literal.from;
        self.clean.insert(from, '(');
        self.places.insert(from, at);
        self.push(&format!("*{factor:e})"), self.place(i));
        self.units_inside = true;
        Some(behind)
    }

    /// Everything from `i` on is a unit, or cannot be read.
    fn rest_is_suffix(&mut self, i: usize, word: &str, asked: Unit) -> Result<(), (usize, String)> {
        let at = self.place(i);
        let text: String = self.characters.get(i..).unwrap_or_default().iter().map(|(_, c)| *c).collect();
        let before = self.clean.trim_end();
        let unfinished = before.is_empty() || before.ends_with(['+', '-', '*', '/', '^', '(', ',']);
        if unfinished && !self.names.is_empty() {
            return Err((at, self.unknown_name(word)));
        }
        if before.trim_matches(['-', '+', '(']).is_empty() {
            let (_, example) = examples(asked);
            let message = format!("There is no number in front of “{}”: write one like {example}.", shorten(&text));
            return Err((at, message));
        }
        if unfinished {
            return Err((at, format!("“{}” cannot be calculated with here: write a number.", shorten(word))));
        }
        self.suffix = Some((at, text));
        Ok(())
    }

    fn unknown_name(&self, word: &str) -> String {
        let known: Vec<&str> = self.names.iter().map(|(name, _)| name.as_str()).collect();
        let hint = did_you_mean(word, &known);
        format!("There is nothing called “{}” here{hint}. You can use {}.", shorten(word), known.join(", "))
    }

    /// Reads the number at `i`; the index behind it.
    fn literal(&mut self, i: usize, commas_separate: bool) -> Result<usize, (usize, String)> {
        let mut end = i;
        let mut body = String::new();
        // Digits since the last separator, for spaces: `1 000` is one number and `10 20` two.
        let (mut group, mut grouped) = (0, false);
        loop {
            let c = self.char_at(end);
            let next_is_digit = self.char_at(end + 1).is_ascii_digit();
            let whole = !body.contains(['.', ',']);
            match c {
                c if c.is_ascii_digit() => group += 1,
                '.' if next_is_digit || (end > i && whole) => group = 0,
                ',' if next_is_digit && !commas_separate => group = 0,
                '_' | '\'' if next_is_digit => group = 0,
                ' ' if next_is_digit && whole && (group == 3 || (group < 3 && group > 0 && !grouped)) => {
                    let digits = (end + 1..).take_while(|&j| self.char_at(j).is_ascii_digit()).count();
                    if digits != 3 {
                        break;
                    }
                    (group, grouped) = (0, true);
                }
                _ => break,
            }
            body.push(c);
            end += 1;
        }
        let mut exponent = String::new();
        if matches!(self.char_at(end), 'e' | 'E') {
            let signed = matches!(self.char_at(end + 1), '+' | '-');
            let from = end + 1 + usize::from(signed);
            let digits: String = (from..).map(|j| self.char_at(j)).take_while(char::is_ascii_digit).collect();
            if !digits.is_empty() {
                let sign = if signed { self.char_at(end + 1).to_string() } else { String::new() };
                end = from + digits.len();
                exponent = format!("e{sign}{digits}");
            }
        }
        let from = self.place(i);
        let (text, other) = separators(&body).map_err(|message| (from, message))?;
        let with_exponent = |text: String| format!("{text}{exponent}");
        let other = match other {
            Some(Other::Ask(text)) => Some(Other::Ask(with_exponent(text))),
            Some(Other::Unusual(text)) if exponent.is_empty() => Some(Other::Unusual(text)),
            _ => None,
        };
        let text = with_exponent(text);
        self.push(&text, from);
        self.literals.push(Literal { from, to: self.place(end), text, other });
        Ok(end)
    }

    /// The input with the literals replaced by one of their readings.
    fn rewritten(&self, pick: impl Fn(&Literal) -> String) -> String {
        let mut text = String::new();
        let mut done = 0;
        for literal in &self.literals {
            text.push_str(self.input.get(done..literal.from).unwrap_or_default());
            text.push_str(&pick(literal));
            // A space that ended up in the literal's range belongs to what follows.
            let source = self.input.get(literal.from..literal.to).unwrap_or_default();
            text.push_str(source.get(source.trim_end().len()..).unwrap_or_default());
            done = literal.to;
        }
        text.push_str(self.input.get(done..).unwrap_or_default());
        text.trim().to_owned()
    }

    /// Evaluates what [`Scan::run`] found.
    fn conclude(self, asked: Unit) -> Reading {
        let unreadable = |at, message| Reading::Unreadable { at, message };
        let asking = |l: &&Literal| matches!(l.other, Some(Other::Ask(_)));
        if let Some(first) = self.literals.iter().find(asking) {
            let typed = self.input.get(first.from..first.to).unwrap_or_default().trim_end();
            let Some(Other::Ask(grouped)) = &first.other else {
                return Reading::Empty;
            };
            let question = format!(
                "“{}” can be read as {} or as {grouped}. Which do you mean: {} or {grouped}? \
                 Decimals are written with a point here.",
                shorten(typed),
                first.text,
                first.text
            );
            let readings = vec![
                self.rewritten(|l| l.text.clone()),
                self.rewritten(|l| match &l.other {
                    Some(Other::Ask(other)) => other.clone(),
                    _ => l.text.clone(),
                }),
            ];
            return Reading::Ambiguous { readings, question };
        }
        let lookup = |name: &str| self.names.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        let number = match Expr::parse(&self.clean).and_then(|e| e.eval(&lookup)) {
            Ok(number) => number,
            Err(error) => {
                let open = self.clean.matches('(').count() > self.clean.matches(')').count();
                return match &self.suffix {
                    Some((at, text)) if open && read_suffix(text, asked).unit == Written::Unknown => {
                        unreadable(*at, self.unknown_unit(text, asked))
                    }
                    _ => self.explain(error, asked),
                };
            }
        };
        if self.is_range() {
            let message = "That looks like a range: answer with one number.".to_owned();
            return unreadable(self.literals.first().map_or(0, |l| l.from), message);
        }
        let (multiplier, unit) = match &self.suffix {
            None => (1.0, None),
            Some((at, text)) => {
                let suffix = read_suffix(text, asked);
                match suffix.unit {
                    Written::Nothing => (suffix.multiplier, None),
                    Written::One(named) => (suffix.multiplier, Some(named)),
                    Written::Either(options) => return self.which_unit(*at, text, &options),
                    Written::Unknown => return unreadable(*at, self.unknown_unit(text, asked)),
                }
            }
        };
        let factor = multiplier * unit.as_ref().map_or(1.0, |u| u.factor);
        let value = number * factor;
        if !value.is_finite() {
            return unreadable(0, "That is larger than any number that can be read.".to_owned());
        }
        if self.units_inside {
            let unit = suited(value, asked).filter(|u| !u.name.is_empty());
            let number = value / unit.as_ref().map_or(1.0, |u| u.factor);
            return Reading::Answer(Answer { value, number, unit, digits: None, scaled: true, unusual: None });
        }
        let digits = self.digits().map(|(significant, half)| Digits { significant, half_step: half * factor });
        let unusual = match self.literals.as_slice() {
            [Literal { text, other: Some(Other::Unusual(whole)), .. }] if digits.is_some() => {
                let ratio = decimal::parse(text).zip(decimal::parse(whole)).map(|(a, b)| b / a);
                ratio.filter(|r| r.is_finite()).map(|r| (value * r, self.rewritten(|_| whole.clone())))
            }
            _ => None,
        };
        let scaled =
            multiplier != 1.0 || self.clean.contains('^') || self.literals.iter().any(|l| l.text.contains('e'));
        Reading::Answer(Answer { value, number: number * multiplier, unit, digits, scaled, unusual })
    }

    /// Significant digits and half a step of the last one, where the number was typed as one: `4.80`, `4.8*10^11`.
    fn digits(&self) -> Option<(u32, f64)> {
        let compact = self.clean.replace(' ', "");
        let power = match self.literals.as_slice() {
            [only] if is_signed_number(&compact) && compact.ends_with(&only.text) => 0,
            [_, ten, power] if ten.text == "10" => {
                let (mantissa, exponent) = compact.split_once("*10^")?;
                let mantissa_plain = is_signed_number(mantissa);
                let exponent: i32 = exponent.parse().ok()?;
                if !mantissa_plain || !power.text.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                exponent
            }
            _ => return None,
        };
        let text = self.literals.first()?.text.as_str();
        let (body, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let exponent: i32 = exponent.parse().ok()?;
        let decimals = body.split_once('.').map_or(0, |(_, d)| d.len());
        let digits = body.bytes().filter(u8::is_ascii_digit).skip_while(|b| *b == b'0').count();
        let place = exponent.saturating_add(power).saturating_sub(i32::try_from(decimals).ok()?);
        Some((u32::try_from(digits).ok()?, 0.5 * 10_f64.powi(place)))
    }

    /// `400-500`: a smaller number, a dash, a larger one, and nothing else.
    fn is_range(&self) -> bool {
        let [low, high] = self.literals.as_slice() else {
            return false;
        };
        let smaller = decimal::parse(&low.text) < decimal::parse(&high.text);
        smaller && self.clean.replace(' ', "") == format!("{}-{}", low.text, high.text)
    }

    fn explain(&self, error: expr::Error, asked: Unit) -> Reading {
        let at = self.places.get(error.at).copied();
        let end = self.suffix.as_ref().map_or(self.input.len(), |(at, _)| *at);
        if self.clean.trim().trim_matches(['-', '+']).is_empty() {
            let (_, example) = examples(asked);
            let message = format!("There is no number here yet: write one like {example}.");
            return Reading::Unreadable { at: 0, message };
        }
        let message = match &error.unknown {
            Some(name) => self.unknown_name(name),
            None => error.message,
        };
        Reading::Unreadable { at: at.unwrap_or(end), message }
    }

    fn which_unit(&self, at: usize, text: &str, options: &[Named]) -> Reading {
        let names: Vec<&str> = options.iter().map(|o| o.name.as_str()).collect();
        let number = self.input.get(..at).unwrap_or_default().trim();
        let readings = options.iter().map(|o| o.attach(number)).collect();
        let question = format!("“{}” can mean {}. Which do you mean?", shorten(text.trim()), names.join(" or "));
        Reading::Ambiguous { readings, question }
    }

    fn unknown_unit(&self, text: &str, asked: Unit) -> String {
        let (units, example) = examples(asked);
        let text = text.trim();
        if text.contains(['*', '+', '(', ')']) || text.bytes().any(|b| b.is_ascii_digit()) {
            return format!(
                "“{}” cannot be read: write each unit behind its number, or one number with its unit, such as {example}.",
                shorten(text)
            );
        }
        format!("“{}” is not a unit that is known here. Units here: {units}; for example {example}.", shorten(text))
    }
}

/// Whether `text` is one number, perhaps with a sign.
fn is_signed_number(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['-', '+']);
    !text.is_empty() && expr::number_length(text) == text.len()
}
