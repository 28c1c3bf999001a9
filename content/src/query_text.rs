//! Queries as the text of a URL, percent-encoded as far as a URL needs it.

use ringside_core::query::Query;

/// `params=30e9&dp=64`.
pub(crate) fn write(query: &Query) -> String {
    let mut text = String::new();
    for (name, value) in query.iter() {
        if !text.is_empty() {
            text.push('&');
        }
        encode(&mut text, name);
        text.push('=');
        encode(&mut text, value);
    }
    text
}

/// A page with a query, if there is one.
pub(crate) fn page(path: &str, query: &Query) -> String {
    let query = write(query);
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

fn encode(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~,:/*".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// Reads `params=30e9&dp=64`. A name without `=` has an empty value.
pub(crate) fn read(text: &str) -> Query {
    let pairs = text.split('&').map(str::trim).filter(|p| !p.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name.trim()), decode(value.trim()))
    });
    Query::new(pairs)
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
        rest = tail;
        match (first, tail) {
            (b'%', [a, b, tail @ ..]) => match (hex(*a), hex(*b)) {
                (Some(a), Some(b)) => {
                    bytes.push(a * 16 + b);
                    rest = tail;
                }
                _ => bytes.push(b'%'),
            },
            (b'+', _) => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let query = Query::new([("params", "30e9"), ("name", "a b&c=d%+é"), ("empty", "")]);
        assert_eq!(write(&query), "params=30e9&name=a%20b%26c%3Dd%25%2B%C3%A9&empty=");
        assert_eq!(read(&write(&query)), query);
        assert_eq!(read("%zz=1&%&&x"), Query::new([("%zz", "1"), ("%", ""), ("x", "")]));
    }
}
