// Opens a page of Ringside in a tab of its own, and tells the learning platform what the page says: a score from 0 to 1, whether
// it is done, and what is needed to go on elsewhere.
"use strict";

const config = JSON.parse(document.getElementById("config").textContent);
const is2004 = config.version === "scorm2004"; // otherwise scorm12
const state = document.getElementById("state");
const began = Date.now();

function find(name) {
  const within = (from) => {
    for (let at = from, i = 0; at && i < 20; i++) {
      try {
        if (at[name]) return at[name];
      } catch {
        return null;
      }
      if (at.parent === at) return null;
      at = at.parent;
    }
    return null;
  };
  let opener = null;
  try {
    opener = window.top.opener;
  } catch {
    // The platform's own page is of another origin.
  }
  return within(window) ?? within(opener);
}

const api = find(is2004 ? "API_1484_11" : "API");
const call = (name, ...values) => api?.[(is2004 ? "" : "LMS") + name](...values);
const get = (key) => call("GetValue", key) ?? "";
const set = (key, value) => call("SetValue", key, String(value));

const keys = is2004
  ? { status: "cmi.completion_status", score: "cmi.score.", exit: "cmi.exit", time: "cmi.session_time" }
  : { status: "cmi.core.lesson_status", score: "cmi.core.score.", exit: "cmi.core.exit", time: "cmi.core.session_time" };

let tab = null;
const site = new URL(config.site);

function say(text) {
  state.textContent = text;
}

function show(score, done) {
  const percent = Math.round(score * 100);
  say(`Score: ${percent}%. ${done ? "Done." : "Keep this page open while you work."}`);
}

function keep({ score, done, suspend }) {
  if (typeof score === "number" && score >= 0 && score <= 1) {
    set(keys.score + "min", 0);
    set(keys.score + "max", 100);
    set(keys.score + "raw", Math.round(score * 10000) / 100);
    if (is2004) {
      set("cmi.score.scaled", Math.round(score * 10000) / 10000);
      set("cmi.progress_measure", done ? 1 : Math.round(score * 10000) / 10000);
    }
    show(score, done);
  }
  if (get(keys.status) !== "completed") set(keys.status, done ? "completed" : "incomplete");
  // What is longer would be refused, or cut in its middle.
  if (typeof suspend === "string" && suspend.length <= config.most) set("cmi.suspend_data", suspend);
  call("Commit", "");
}

function length() {
  const seconds = Math.round((Date.now() - began) / 1000);
  if (is2004) return `PT${seconds}S`;
  const two = (n) => String(n).padStart(2, "0");
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

let ended = false;
function end() {
  if (ended) return;
  ended = true;
  set(keys.time, length());
  set(keys.exit, "suspend");
  call("Commit", "");
  call(is2004 ? "Terminate" : "Finish", "");
}

if (api) {
  call("Initialize", "");
  if (["not attempted", "unknown", ""].includes(get(keys.status))) {
    set(keys.status, "incomplete");
    call("Commit", "");
  }
  const raw = parseFloat(get(keys.score + "raw"));
  if (!Number.isNaN(raw)) show(raw / 100, get(keys.status) === "completed");
} else {
  say("The learning platform doesn't answer, so your score won't be recorded. Open this page from your course again.");
}

window.addEventListener("message", (event) => {
  if (event.origin !== site.origin || event.source !== tab || event.data?.source !== "ringside") return;
  if (event.data.type === "hello") {
    tab.postMessage({ source: "ringside", type: "resume", suspend: get("cmi.suspend_data") }, site.origin);
  }
  if (event.data.type === "score") keep(event.data);
});

document.getElementById("open").addEventListener("click", () => {
  // The page knows by its tab's name whom it reports to, and as what.
  tab = window.open(new URL(config.path, site).href, `ringside-lms|${location.origin}|${config.path}`);
  if (!tab) say("The browser blocked the new tab. Allow pop-ups for this page, then press the button again.");
});

window.addEventListener("pagehide", end);
