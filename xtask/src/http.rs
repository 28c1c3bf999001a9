//! Just enough of HTTP/1.1 for `serve`: GET and HEAD, a thread for each connection.
//!
//! tiny_http was used before. It hands connections to a pool of threads, and two that arrive together can be given to one
//! thread, so that the second waits until the browser closes the first: a page that never finishes loading.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// How long a connection may be idle.
const IDLE: Duration = Duration::from_secs(60);
/// The longest head of a request.
const HEAD: usize = 32 * 1024;

/// What a browser asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// Path and query.
    pub(crate) url: String,
    /// Whether the answer may be compressed.
    pub(crate) gzip: bool,
}

/// What is sent back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Arc<Vec<u8>>,
}

impl Answer {
    pub(crate) fn new(status: u16, kind: &str, body: Arc<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type", kind.to_owned()), ("X-Content-Type-Options", "nosniff".to_owned())];
        Self { status, headers, body }
    }

    pub(crate) fn text(status: u16, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", Arc::new(text.as_bytes().to_vec()))
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The bytes of the answer; without its body to a HEAD.
    fn bytes(&self, body: bool) -> Vec<u8> {
        let mut out = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            // A header that holds a line break would be two.
            out.push_str(&format!("{name}: {}\r\n", value.replace(['\r', '\n'], "")));
        }
        out.push_str(&format!("Content-Length: {}\r\n\r\n", self.body.len()));
        let mut out = out.into_bytes();
        if body {
            out.extend_from_slice(&self.body);
        }
        out
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "",
    }
}

/// Answers every request to `listener`, from a thread of its own, for as long as the program runs.
pub(crate) fn answer_all(listener: TcpListener, answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) {
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || converse(stream, &*answer));
        }
    });
}

/// Answers the requests of one connection until the browser, or what it sends, ends it.
fn converse(mut stream: TcpStream, answer: &dyn Fn(&Asked) -> Answer) {
    // Neither is needed for a right answer.
    let _ = stream.set_read_timeout(Some(IDLE));
    let _ = stream.set_nodelay(true);
    let mut received = Vec::new();
    loop {
        let (reply, rest, body) = match next(&received) {
            Next::Asked(asked, length) => match asked.method.as_str() {
                "GET" => (answer(&asked), length, true),
                "HEAD" => (answer(&asked), length, false),
                // What it may carry is not read: the connection ends here.
                _ => (Answer::text(405, "only GET and HEAD\n").with("Allow", "GET, HEAD"), usize::MAX, true),
            },
            Next::Nonsense => (Answer::text(400, "not a request\n"), usize::MAX, true),
            Next::More => {
                let mut piece = [0; 4096];
                match stream.read(&mut piece) {
                    Ok(0) => return,
                    Ok(n) => received.extend_from_slice(piece.get(..n).unwrap_or_default()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
                continue;
            }
        };
        // A browser that goes away before it has everything is no news.
        if stream.write_all(&reply.bytes(body)).is_err() || rest > received.len() {
            return;
        }
        received.drain(..rest);
    }
}

enum Next {
    /// A request, and how many bytes it took.
    Asked(Asked, usize),
    More,
    Nonsense,
}

/// The first request of what has been received.
fn next(received: &[u8]) -> Next {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(received) {
        Ok(httparse::Status::Complete(length)) => {
            let accepts = |h: &&mut httparse::Header<'_>| h.name.eq_ignore_ascii_case("accept-encoding");
            let gzip = request.headers.iter_mut().filter(accepts).any(|h| {
                std::str::from_utf8(h.value).is_ok_and(|v| v.split(',').any(|part| part.trim().starts_with("gzip")))
            });
            let (method, url) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
            Next::Asked(Asked { method: method.to_owned(), url: url.to_owned(), gzip }, length)
        }
        Ok(httparse::Status::Partial) if received.len() < HEAD => Next::More,
        Ok(httparse::Status::Partial) | Err(_) => Next::Nonsense,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn server() -> std::net::SocketAddr {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        answer_all(listener, |asked| Answer::text(200, &format!("{} {}", asked.url, asked.gzip)));
        address
    }

    fn say(stream: &mut TcpStream, text: &str) -> String {
        stream.write_all(text.as_bytes()).expect("sent");
        let mut piece = [0; 4096];
        let n = stream.read(&mut piece).expect("an answer");
        String::from_utf8_lossy(&piece[..n]).into_owned()
    }

    #[test]
    fn a_connection_is_kept_and_a_head_has_no_body() {
        let mut stream = TcpStream::connect(server()).expect("connected");
        let first = say(&mut stream, "GET /a?b HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br, gzip;q=1\r\n\r\n");
        assert!(first.starts_with("HTTP/1.1 200 OK\r\n") && first.ends_with("\r\n\r\n/a?b true"), "{first}");
        let head = say(&mut stream, "HEAD /c HTTP/1.1\r\n\r\n");
        assert!(head.contains("Content-Length: 8\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    }

    #[test]
    fn many_connections_are_answered_while_one_is_silent() {
        let address = server();
        let silent: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(address).expect("connected")).collect();
        let mut busy: Vec<TcpStream> = (0..8).map(|_| TcpStream::connect(address).expect("connected")).collect();
        for stream in &mut busy {
            assert!(say(stream, "GET / HTTP/1.1\r\n\r\n").ends_with("/ false"));
        }
        drop(silent);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for (text, status) in [("POST / HTTP/1.1\r\n\r\n", "405"), ("\0\0\r\n\r\n", "400"), ("GET\r\n\r\n", "400")] {
            let mut stream = TcpStream::connect(server()).expect("connected");
            assert!(say(&mut stream, text).starts_with(&format!("HTTP/1.1 {status}")), "{text:?}");
        }
    }
}
