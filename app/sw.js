// Keeps the site for use without a network. `cargo xtask build` fills in what belongs to this version (xtask/src/offline.rs).
//
// Every version has a cache of its own. A page is fetched anew where there is a network, and everything else, which is named by
// what is in it, is fetched once. A new version waits until no page of an older one is open: whatever such a page still loads is
// in the older cache, or has gone from the server too.
const VERSION = "{version}";
/** What a page of this version names, and no page of another one. */
const MARKS = {marks};
/** Every file with its size in bytes. */
const FILES = {files};
/** In a name that is made from content: so many hexadecimal digits of it. */
const HASH = new RegExp("-[0-9a-f]{" + {digits} + "}[./]");

const ROOT = new URL("./", location.href);
/** What the caches of the site at this address begin with: another may be on the same host. */
const OURS = `ringside ${ROOT.pathname} `;
const CACHE = OURS + VERSION;
/** How long a page may take before the one that is kept is shown, in milliseconds. */
const PATIENCE = 3000;
/** How many files are fetched at a time in idle time. */
const AT_ONCE = 2;

/** What is being kept. */
let keeping = Promise.resolve();
/** Nothing is to be kept any more. */
let forgotten = false;

/** The name of the file at an address, if it is one of this version's. */
function nameOf(address) {
  const url = new URL(address, ROOT);
  if (url.origin !== ROOT.origin || !url.pathname.startsWith(ROOT.pathname)) return null;
  const path = url.pathname.slice(ROOT.pathname.length);
  const name = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  return Object.hasOwn(FILES, name) ? name : null;
}

/** Where a file is, without a query. */
const addressOf = (name) => new URL(name.replace(/(^|\/)index\.html$/, "$1"), ROOT).href;

const isPage = (name) => /(^|\/)(index|404)\.html$/.test(name);
const isNamedByContent = (name) => HASH.test(name);
const isOurs = (html) => MARKS.every((mark) => html.includes(mark));

/** A file as it is kept: by this version, or by another one. */
async function kept(address) {
  return (await (await caches.open(CACHE)).match(address)) ?? caches.match(address);
}

/** Keeps a response under a name, unless it is not what this version has there. */
async function put(name, response) {
  if (!response.ok || response.redirected) return;
  if (isPage(name) && !isOurs(await response.clone().text())) {
    await registration.update();
    return;
  }
  if (!forgotten) await (await caches.open(CACHE)).put(addressOf(name), response);
}

async function keep(name) {
  const address = addressOf(name);
  const cache = await caches.open(CACHE);
  if (await cache.match(address)) return;
  const same = isNamedByContent(name) ? await caches.match(address) : undefined;
  await put(name, same ?? (await fetch(address, { cache: isPage(name) ? "no-cache" : "default" })));
}

/** Keeps files, a few at a time. What cannot be had now is tried again at the next visit. */
function keepAll(names) {
  const left = [...names];
  const work = async () => {
    for (let name = left.shift(); name !== undefined && !forgotten; name = left.shift()) await keep(name).catch(() => {});
  };
  forgotten = false;
  keeping = keeping.then(() => Promise.all(Array.from({ length: AT_ONCE }, work)));
  return keeping;
}

/** Deletes what the site has kept at this address, of every version but one. */
async function clear(except) {
  const names = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== except);
  await Promise.all(names.map((name) => caches.delete(name)));
}

async function page(request) {
  const fresh = fetch(request);
  // It may fail after the page that is kept has been shown.
  fresh.catch(() => {});
  const name = nameOf(request.url);
  const old = name && (await kept(addressOf(name)));
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, old));
  try {
    return await (old ? Promise.race([fresh, late]) : fresh);
  } catch {
    // The page for an address that has none finds its way by itself.
    const instead = old ?? (await kept(addressOf("404.html")));
    return instead ?? new Response("This page is not kept here, and there is no network.", { status: 503 });
  }
}

async function file(request, event) {
  const name = nameOf(request.url);
  const old = await kept(name === null ? request.url : addressOf(name));
  if (old) return old;
  const response = await fetch(request);
  if (name !== null && response.ok) event.waitUntil(put(name, response.clone()).catch(() => {}));
  return response;
}

/** What is kept of this version, and whether a page that looks like `head` is of it. */
async function state(head = "") {
  const cache = await caches.open(CACHE);
  const names = new Set((await cache.keys()).map((request) => nameOf(request.url)));
  const all = Object.entries(FILES);
  const here = all.filter(([name]) => names.has(name));
  const sum = (files) => files.reduce((bytes, [, size]) => bytes + size, 0);
  return { files: here.length, ofFiles: all.length, bytes: sum(here), ofBytes: sum(all), current: isOurs(head) };
}

addEventListener("install", () => {});

addEventListener("activate", (event) => event.waitUntil(clear(CACHE).then(() => clients.claim())));

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== ROOT.origin || !url.pathname.startsWith(ROOT.pathname)) return;
  event.respondWith(request.mode === "navigate" ? page(request) : file(request, event));
});

addEventListener("message", (event) => {
  const { type, names, head } = event.data ?? {};
  const act = async () => {
    if (type === "forget") {
      forgotten = true;
      await keeping;
      await clear();
      return {};
    }
    if (type === "keep" && Array.isArray(names)) await keepAll(names.map(nameOf).filter((name) => name !== null));
    if (type === "keep all") await keepAll(Object.keys(FILES));
    // Where the only page that is open is of this version, it need not wait.
    if (type === "greet" && isOurs(head) && (await clients.matchAll({ includeUncontrolled: true })).length <= 1) await skipWaiting();
    return state(head);
  };
  event.waitUntil(act().then((answer) => event.ports[0]?.postMessage(answer)));
});
