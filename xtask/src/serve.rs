//! `serve`: the built site on 127.0.0.1, as a plain static host would serve it, and changed content at the next load.

use std::collections::{BTreeMap, HashMap};
use std::io::{ErrorKind, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::args::Options;
use crate::build::{self, Plan, Profile};
use crate::content::{self, Rendered};
use crate::dist::{self, Manifest};
use crate::failure::{Context, Failure, Result};
use crate::html;
use crate::http::{self, Answer};
use crate::prerender;
use crate::process::{self, command, say};
use crate::split::HASH_DIGITS;

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
    let mut plan = Plan { lenient: true, profile: Profile::Light, ..Plan::default() };
    if let Some(dist) = options.value("--dist") {
        plan.out = process::given_path(dist);
    }
    if let Some(url) = options.value("--public-url") {
        plan.public_url = build::public_url(url)?;
    }
    if !options.has("--no-build") {
        build::build(&plan)?;
    }
    let server = Server::start(listener, &plan.out, true)?;
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
    say("serving; stop with Ctrl+C. A page that is reloaded shows changed content.");
    if options.has("--open") {
        let opener = process::which(&["xdg-open", "open"]).ok_or("there is no xdg-open to open a browser with.")?;
        process::run(command(opener).arg(&server.address))?;
    }
    loop {
        std::thread::park();
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

/// The service worker of a site that changes while it is read: it keeps nothing, and takes the place of one that did.
const NO_WORKER: &str = "addEventListener(\"install\", () => skipWaiting());\n\
                         addEventListener(\"activate\", (event) => event.waitUntil(registration.unregister()));\n";

/// A running server; it ends with the program.
#[derive(Debug)]
pub(crate) struct Server {
    /// Where the site's home is.
    pub(crate) address: String,
    public_url: String,
}

impl Server {
    /// Serves the site in `folder`. With `live`, content that changes from now on is rendered anew.
    pub(crate) fn start(listener: TcpListener, folder: &Path, live: bool) -> Result<Self> {
        let manifest = dist::manifest(folder)?;
        let port = listener.local_addr().could_not(|| "read the server's port".to_owned())?.port();
        let public_url = manifest.public_url.clone();
        let site = Site::new(folder, manifest, live)?;
        http::answer_all(listener, move |asked| site.answer(&asked.url, asked.gzip));
        Ok(Self { address: format!("http://127.0.0.1:{port}{public_url}"), public_url })
    }

    /// Serves the site in `folder` on any free port.
    pub(crate) fn quiet(folder: &Path) -> Result<Self> {
        Self::start(listen(0)?, folder, false)
    }
}

/// The content as it is now, where it is no longer what was built.
#[derive(Default)]
struct Live {
    seen: Vec<(String, u64, Option<SystemTime>)>,
    rendered: Option<Rendered>,
    /// Everything rendered since the start: a page that is open may still ask for what was.
    files: BTreeMap<String, Arc<Vec<u8>>>,
}

/// A file as it was at some time.
type Version = (PathBuf, Option<SystemTime>);

/// A built site.
struct Site {
    folder: PathBuf,
    manifest: Manifest,
    live: Option<Mutex<Live>>,
    /// Compressed files, by the address of what they were compressed from.
    compressed: Mutex<HashMap<Version, Arc<Vec<u8>>>>,
}

impl Site {
    fn new(folder: &Path, manifest: Manifest, live: bool) -> Result<Self> {
        let live =
            if live { Some(Mutex::new(Live { seen: content::fingerprint()?, ..Live::default() })) } else { None };
        Ok(Self { folder: folder.to_owned(), manifest, live, compressed: Mutex::default() })
    }

    /// Answers a request for a path with a query.
    fn answer(&self, url: &str, gzip: bool) -> Answer {
        let (path, query) = url.split_once('?').map_or((url, None), |(path, query)| (path, Some(query)));
        let Some(path) = decode(path) else { return self.lost(gzip) };
        let public_url = self.manifest.public_url.as_str();
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
        if inner == "sw.js" && self.live.is_some() {
            return Answer::new(200, mime(inner), Arc::new(NO_WORKER.as_bytes().to_vec()))
                .with("Cache-Control", "no-cache");
        }
        if let Some(bytes) = self.live_file(inner) {
            return self.file(inner, bytes, None, gzip);
        }
        let file = self.folder.join(inner);
        if file.is_dir() || self.live_page(inner).is_some() {
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
        self.refresh();
        match self.live_page(route.trim_end_matches('/')) {
            Some(html) => self.file("index.html", Arc::new(html.into_bytes()), None, gzip),
            None => self.page_file(&format!("{route}index.html"), 200, gzip),
        }
    }

    /// A page that is a file.
    fn page_file(&self, name: &str, status: u16, gzip: bool) -> Answer {
        self.refresh();
        match std::fs::read_to_string(self.folder.join(name)) {
            Ok(html) => {
                let html = self.with_live_content(html);
                Answer { status, ..self.file(name, Arc::new(html.into_bytes()), None, gzip) }
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

    /// Renders the content anew if any of it has changed.
    fn refresh(&self) {
        let Some(live) = &self.live else { return };
        let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(now) = content::fingerprint() else { return };
        if now == live.seen {
            return;
        }
        live.seen = now;
        let rendered = content::render(true);
        say(format_args!("content changed: rendered anew, {} mistakes", rendered.diagnostics.len()));
        for diagnostic in &rendered.diagnostics {
            eprintln!("{diagnostic}");
        }
        let folder = rendered.folder();
        let files = rendered.files.iter().map(|(name, bytes)| (format!("{folder}{name}"), Arc::new(bytes.clone())));
        live.files.extend(files);
        live.rendered = Some(rendered);
    }

    fn live<T>(&self, f: impl FnOnce(&Live) -> Option<T>) -> Option<T> {
        f(&self.live.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn live_file(&self, name: &str) -> Option<Arc<Vec<u8>>> {
        self.live(|live| live.files.get(name).cloned())
    }

    /// The page of a route of the content as it is now, if that is no longer what was built.
    fn live_page(&self, route: &str) -> Option<String> {
        let (route, prerendered) = self.live(|live| {
            let rendered = live.rendered.as_ref()?;
            let route = rendered.routes.iter().find(|r| r.path.trim_end_matches('/') == route)?;
            Some((route.clone(), prerender::of(&route.path, rendered)))
        })?;
        Some(self.with_live_content(html::page(
            &self.manifest.template,
            &route.title,
            &route.description,
            &prerendered,
        )))
    }

    /// A page that points to the content as it is now.
    fn with_live_content(&self, html: String) -> String {
        match self.live(|live| live.rendered.as_ref().map(Rendered::folder)) {
            Some(folder) => html.replace(&self.manifest.content, &folder),
            None => html,
        }
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
    use crate::content::Route;

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
        let routes = vec![Route { path: String::new(), title: String::new(), description: String::new() }];
        let manifest = Manifest {
            public_url: public_url.into(),
            content: "content/0123456789/".into(),
            template: String::new(),
            routes,
        };
        Site::new(&folder, manifest, false).expect("a site")
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
