//! `serve`: the built site on 127.0.0.1, as a plain static host would serve it; built and reloaded by itself when a file changes.

use std::collections::HashMap;
use std::io::{ErrorKind, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use xtask::failure::{Context, Failure, Result};
use xtask::process::{self, command, say};
use xtask::{HASH_DIGITS, MANIFEST};

use crate::args::Options;
use crate::build::{self, Plan, Profile};
use crate::http::{self, Answer};

/// `cargo xtask serve`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let port = match options.value("--port") {
        None => 8080,
        Some(text) => text
            .parse()
            .map_err(|_| Failure::usage(format!("--port is a number from 0 to 65535; “{text}” is none.")))?,
    };
    // Before the build, which takes minutes.
    let listener = listen(port)?;
    let mut plan = Plan { lenient: true, profile: Profile::Development, ..Plan::default() };
    if let Some(dist) = options.value("--dist") {
        plan.out = process::given_path(dist);
    }
    if let Some(url) = options.value("--public-url") {
        plan.public_url = build::public_url(url)?;
    }
    let live = !options.has("--no-build");
    let seen = sources()?;
    if live {
        build::build(&plan)?;
    }
    let server = Server::start(listener, &plan.out, live)?;
    if options.has("--public-url") && server.public_url != plan.public_url {
        return Err(format!(
            "the site in {} was built for {}; leave out --no-build to build it for {}.",
            plan.out.display(),
            server.public_url,
            plan.public_url
        )
        .into());
    }
    println!("{}", server.address);
    let reloads = if live { " Pages reload when a file changes." } else { "" };
    say(format_args!("serving; stop with Ctrl+C.{reloads}"));
    if options.has("--open") {
        let opener = process::which(&["xdg-open", "open"]).ok_or("there is no xdg-open to open a browser with.")?;
        process::run(command(opener).arg(&server.address))?;
    }
    if live {
        follow(&plan, &server, seen)?;
    }
    loop {
        std::thread::park();
    }
}

/// Folders with sources, of which those of the course and of styles need no compiler.
const TEXTS: [&str; 4] = ["content", "app/styles", "app/editor", "public"];
const CODE: [&str; 4] = ["app", "core", "shaders", "xtask/site"];

/// A file as it was at some time.
type Version = (PathBuf, Option<SystemTime>);

/// All sources: those that need no compiler, and the rest.
fn sources() -> Result<[Vec<Version>; 2]> {
    let of = |folders: &[&str], wanted: fn(&str) -> bool| -> Result<Vec<Version>> {
        let mut all = Vec::new();
        for folder in folders {
            let folder = process::root().join(folder);
            for file in process::files_under(&folder)?.into_iter().filter(|file| wanted(file)) {
                let path = folder.join(file);
                let changed = path.metadata().and_then(|data| data.modified()).ok();
                all.push((path, changed));
            }
        }
        Ok(all)
    };
    // What a figure says of itself is compiled into the app.
    let is_code = |file: &str| {
        [".rs", "Cargo.toml", ".wgsl"].iter().any(|end| file.ends_with(end)) || file.starts_with("figures/")
    };
    Ok([of(&TEXTS, |_| true)?, of(&[&CODE[..], &["content"]].concat(), is_code)?])
}

/// Builds again whenever a source changes, and has the pages reload.
fn follow(plan: &Plan, server: &Server, mut seen: [Vec<Version>; 2]) -> Result<()> {
    let target = build::target_folder()?;
    loop {
        std::thread::sleep(Duration::from_millis(300));
        let now = sources()?;
        if now == seen {
            continue;
        }
        let started = Instant::now();
        let compiles = now[1] != seen[1];
        let code =
            || build::compile(plan.profile, &build::SITE).and_then(|()| build::maker(plan.profile, plan.with_tests));
        let built = if compiles { code() } else { Ok(()) }.and_then(|()| build::make(plan, &target));
        seen = now;
        match built {
            Ok(()) => {
                server.version.fetch_add(1, Ordering::SeqCst);
                say(format_args!("built again in {:.1} s", started.elapsed().as_secs_f64()));
            }
            // The compiler and the maker say what is wrong; the site stays as it was.
            Err(failure) => eprintln!("{failure}"),
        }
    }
}

/// Takes a port of 127.0.0.1; 0 takes a free one.
pub(crate) fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => format!(
            "port {port} is in use. Stop what uses it, or choose another with --port, such as --port {}.",
            port.wrapping_add(1)
        )
        .into(),
        _ => format!("could not listen on 127.0.0.1:{port}: {error}").into(),
    })
}

/// A running server; it ends with the program.
#[derive(Debug)]
pub(crate) struct Server {
    /// Where the site's home is.
    pub(crate) address: String,
    public_url: String,
    /// Grows with each build; a page asks for it, and reloads when it has.
    version: Arc<AtomicU64>,
}

impl Server {
    /// Serves the site in `folder`; with `live` to pages that reload when it is built again.
    pub(crate) fn start(listener: TcpListener, folder: &Path, live: bool) -> Result<Self> {
        let public_url = public_url(folder)?;
        let port = listener.local_addr().could_not(|| "read the server's port".to_owned())?.port();
        let address = format!("http://127.0.0.1:{port}{public_url}");
        let version = Arc::new(AtomicU64::new(0));
        let live = live.then(|| Arc::clone(&version));
        let site =
            Site { folder: folder.to_owned(), public_url: public_url.clone(), live, compressed: Mutex::default() };
        http::answer_all(listener, move |asked| site.answer(&asked.url, asked.gzip));
        Ok(Self { address, public_url, version })
    }

    /// Serves the site in `folder` on any free port.
    pub(crate) fn quiet(folder: &Path) -> Result<Self> {
        Self::start(listen(0)?, folder, false)
    }
}

/// The path under which the site in a folder is to be served.
fn public_url(folder: &Path) -> Result<String> {
    Ok(manifest(folder)?["public_url"].as_str().unwrap_or("/").to_owned())
}

/// What the maker of the site noted in it.
pub(crate) fn manifest(folder: &Path) -> Result<serde_json::Value> {
    let path = folder.join(MANIFEST);
    if !path.is_file() {
        return Err(format!("there is no built site in {}; run `cargo xtask build` first.", folder.display()).into());
    }
    serde_json::from_slice(&process::read(&path)?).could_not(|| format!("read {}", path.display()))
}

/// The folders whose pages show something to a room, which may vote on paper: the only ones that may use the camera.
const ROOMS: [&str; 5] = ["chapter/", "de/chapter/", "w/", "mission/", "presenter/"];
/// Where a page asks for the number of the build, and the script that does.
const VERSION: &str = "build-version";
const RELOADER: &str = "reload.js";
/// Asks every half second, and reloads the page when the answer is another than the first.
const RELOAD: &str = "let first;\nsetInterval(async () => {\n  const now = await fetch(document.baseURI + \"build-version\").then((r) => r.text(), () => first);\n  \
                      if (first !== undefined && now !== first) location.reload();\n  first = now;\n}, 500);\n";

/// A built site.
struct Site {
    folder: PathBuf,
    /// With slashes around it.
    public_url: String,
    /// The number of the build, where pages reload.
    live: Option<Arc<AtomicU64>>,
    /// Compressed files, by the address of what they were compressed from.
    compressed: Mutex<HashMap<Version, Arc<Vec<u8>>>>,
}

impl Site {
    /// Answers a request for a path with a query.
    fn answer(&self, url: &str, gzip: bool) -> Answer {
        let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
        let Some(path) = decode(path) else { return self.lost(gzip) };
        let public_url = self.public_url.as_str();
        let to = |path: &str| {
            let query = query.map(|q| format!("?{q}")).unwrap_or_default();
            Answer::text(301, "moved\n").with("Location", format!("{}{query}", encode(path)))
        };
        if format!("{path}/") == public_url {
            return to(public_url);
        }
        let Some(inner) = path.strip_prefix(public_url) else { return self.lost(gzip) };
        if inner.split('/').any(|part| part == ".." || part == ".") || inner.contains("//") || inner.starts_with('/') {
            return self.lost(gzip);
        }
        if inner.is_empty() || inner.ends_with('/') {
            return self.page(inner, gzip);
        }
        if let Some(version) = &self.live {
            let text = match inner {
                VERSION => Some(("txt", version.load(Ordering::SeqCst).to_string())),
                RELOADER => Some(("js", RELOAD.to_owned())),
                _ => None,
            };
            if let Some((kind, text)) = text {
                return Answer::new(200, mime(&format!("x.{kind}")), Arc::new(text.into_bytes()))
                    .with("Cache-Control", "no-store");
            }
        }
        let file = self.folder.join(inner);
        if file.is_dir() {
            return to(&format!("{path}/"));
        }
        if inner.ends_with(".html") {
            return match inner.strip_suffix("index.html") {
                Some(folder) => self.page(folder, gzip),
                None => self.page_file(inner, 200, gzip),
            };
        }
        match std::fs::read(&file) {
            Ok(bytes) => self.file(inner, Arc::new(bytes), Some(&file), gzip),
            Err(_) => self.lost(gzip),
        }
    }

    /// The page of a route.
    fn page(&self, route: &str, gzip: bool) -> Answer {
        self.page_file(&format!("{route}index.html"), 200, gzip)
    }

    /// A page that is a file.
    fn page_file(&self, name: &str, status: u16, gzip: bool) -> Answer {
        match std::fs::read_to_string(self.folder.join(name)) {
            Ok(mut html) => {
                if self.live.is_some() {
                    html.push_str(&format!("<script src=\"{}{RELOADER}\"></script>\n", self.public_url));
                }
                let camera = if ROOMS.iter().any(|room| name.starts_with(room)) { "self" } else { "" };
                Answer { status, ..self.file(name, Arc::new(html.into_bytes()), None, gzip) }
                    .with("Permissions-Policy", format!("camera=({camera}), microphone=(), geolocation=()"))
            }
            Err(_) if status == 404 => Answer::text(404, "there is no such page\n"),
            Err(_) => self.lost(gzip),
        }
    }

    fn lost(&self, gzip: bool) -> Answer {
        self.page_file("404.html", 404, gzip)
    }

    /// A file, compressed where that helps; `key` is its path where it may be kept compressed.
    fn file(&self, name: &str, bytes: Arc<Vec<u8>>, key: Option<&Path>, gzip: bool) -> Answer {
        let kind = mime(name);
        let cache = if is_hashed(name) { "public, max-age=31536000, immutable" } else { "no-cache" };
        let compressible = !(kind.starts_with("font/") || kind.starts_with("image/") && kind != "image/svg+xml");
        if !gzip || !compressible {
            return Answer::new(200, kind, bytes).with("Cache-Control", cache);
        }
        let key = key.map(|path| (path.to_owned(), path.metadata().and_then(|m| m.modified()).ok()));
        let lock = || self.compressed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = key.as_ref().and_then(|key| lock().get(key).cloned());
        let packed = known.unwrap_or_else(|| {
            let packed = Arc::new(gzipped(&bytes, 6));
            if let Some(key) = key {
                lock().insert(key, Arc::clone(&packed));
            }
            packed
        });
        Answer::new(200, kind, packed)
            .with("Cache-Control", cache)
            .with("Content-Encoding", "gzip")
            .with("Vary", "Accept-Encoding")
    }
}

/// Compresses.
pub(crate) fn gzipped(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    // Writing into memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// A path without percent-encoding; none if it is not text or not a path of ours.
fn decode(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |b: Option<u8>| (b? as char).to_digit(16);
        let (high, low) = (digit(rest.next())?, digit(rest.next())?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    let text = String::from_utf8(bytes).ok()?;
    (text.starts_with('/') && !text.contains(['\0', '\\', '\r', '\n'])).then_some(text)
}

/// A path as it may stand in a header.
fn encode(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-_.~!$&'()*+,;=:@".contains(&b);
    path.bytes().map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") }).collect()
}

/// The media type of a file.
pub(crate) fn mime(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Whether a file's name, or its folder's, is made from its content.
fn is_hashed(path: &str) -> bool {
    path.split('/').any(|part| {
        let stem = part.split_once('.').map_or(part, |(stem, _)| stem);
        let end = stem.rsplit('-').next().unwrap_or(stem);
        end.len() == HASH_DIGITS && end.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site in a folder of its own.
    fn site(name: &str, public_url: &str) -> Site {
        let folder = std::env::temp_dir().join(format!("ringside-serve-{name}-{}", std::process::id()));
        for (file, text) in [
            ("index.html", "<title>home</title>"),
            ("404.html", "<title>lost</title>"),
            ("w/zero/index.html", "<title>zero</title>"),
            ("app-0123456789.wasm", "wasm"),
            ("content/0123456789/course.json", "{}"),
            ("icon.svg", "<svg/>"),
        ] {
            process::write(&folder.join(file), text).expect("written");
        }
        process::write(&folder.with_extension("secret"), "secret").expect("written");
        Site { folder, public_url: public_url.into(), live: None, compressed: Mutex::default() }
    }

    #[test]
    fn a_page_that_is_worked_on_asks_for_the_number_of_the_build() {
        let version = Arc::new(AtomicU64::new(7));
        let site = Site { live: Some(version), ..site("live", "/sub/") };
        let text = |url: &str| String::from_utf8_lossy(&site.answer(url, false).body).into_owned();
        assert!(text("/sub/").ends_with("<script src=\"/sub/reload.js\"></script>\n"));
        assert_eq!(text("/sub/build-version"), "7");
        assert!(text("/sub/reload.js").contains("build-version"));
    }

    #[test]
    fn only_pages_that_show_something_to_a_room_may_use_the_camera_here_and_in_the_hosting_guide() {
        let site = site("camera", "/");
        let guide = process::read_text(&process::root().join("docs/hosting.md")).expect("there");
        let policy = |url: &str| header(&site.answer(url, false), "Permissions-Policy");
        assert_eq!(policy("/"), "camera=(), microphone=(), geolocation=()");
        assert_eq!(policy("/w/zero/"), "camera=(self), microphone=(), geolocation=()");
        let line = format!("  Permissions-Policy: {}\n", policy("/w/zero/"));
        for room in ROOMS {
            let (_, rules) = guide.split_once(&format!("\n/{room}*\n")).expect(room);
            let rules: String = rules.split_inclusive('\n').take_while(|rule| rule.starts_with("  ")).collect();
            assert!(rules.contains(&line), "{room}");
        }
        assert_eq!(guide.matches(&line).count(), ROOMS.len());
        let nginx = format!("~^/({})/", ROOMS.map(|room| room.trim_end_matches('/')).join("|"));
        assert!(guide.contains(&nginx), "{nginx}");
    }

    fn header(answer: &Answer, name: &str) -> String {
        answer.headers.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone()).unwrap_or_default()
    }

    #[test]
    fn files_have_their_type_and_only_hashed_ones_are_kept() {
        let site = site("types", "/");
        for (url, kind, kept) in [
            ("/", "text/html; charset=utf-8", false),
            ("/w/zero/", "text/html; charset=utf-8", false),
            ("/w/zero/?params=30e9", "text/html; charset=utf-8", false),
            ("/app-0123456789.wasm", "application/wasm", true),
            ("/content/0123456789/course.json", "application/json", true),
            ("/icon.svg", "image/svg+xml", false),
        ] {
            let answer = site.answer(url, false);
            assert_eq!((answer.status, header(&answer, "Content-Type").as_str()), (200, kind), "{url}");
            assert_eq!(header(&answer, "Cache-Control").contains("immutable"), kept, "{url}");
        }
        let packed = site.answer("/app-0123456789.wasm", true);
        assert_eq!(header(&packed, "Content-Encoding"), "gzip");
        assert_eq!(packed.body.get(..2), Some(&[0x1f, 0x8b][..]));
    }

    #[test]
    fn folders_are_redirected_to_with_their_query() {
        let answer = site("redirect", "/").answer("/w/zero?a=%20b&c=d", false);
        assert_eq!((answer.status, header(&answer, "Location").as_str()), (301, "/w/zero/?a=%20b&c=d"));
        let answer = site("redirect-sub", "/sub/").answer("/sub", false);
        assert_eq!((answer.status, header(&answer, "Location").as_str()), (301, "/sub/"));
    }

    #[test]
    fn nothing_outside_the_site_is_served() {
        let site = site("outside", "/");
        let secret = format!("{}.secret", site.folder.file_name().expect("named").to_string_lossy());
        for url in [
            format!("/../{secret}"),
            format!("/w/../../{secret}"),
            format!("/%2e%2e/{secret}"),
            format!("/..%2f{secret}"),
            "//etc/passwd".to_owned(),
            "/%2fetc/passwd".to_owned(),
            "/\\..\\x".into(),
            "/%00".into(),
            "/%zz".into(),
            "/no/such/".into(),
            "/no-such.wasm".into(),
            "*".into(),
        ] {
            let answer = site.answer(&url, false);
            assert_eq!(answer.status, 404, "{url}");
            assert_eq!(answer.body.as_slice(), b"<title>lost</title>", "{url}");
        }
    }

    #[test]
    fn under_a_sub_path_only_that_is_the_site() {
        let site = site("sub", "/sub/");
        assert_eq!(site.answer("/sub/w/zero/", false).status, 200);
        assert_eq!(site.answer("/w/zero/", false).status, 404);
    }

    #[test]
    fn a_port_in_use_is_named_with_the_way_out() {
        let taken = listen(0).expect("a port");
        let port = taken.local_addr().expect("bound").port();
        let failure = listen(port).expect_err("in use");
        assert!(failure.message.contains(&port.to_string()) && failure.message.contains("--port"), "{failure}");
    }
}
