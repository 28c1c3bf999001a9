//! The programs beside the app, each of which runs in a worker that the page starts when it first needs it.

/// The binary of each, by which its files are named, and the `<meta>` in which every page names its script.
pub(crate) const ALL: [(&str, &str); 6] = [
    ("gpu-worker", "ringside-gpu"),
    ("glass-worker", "ringside-glass"),
    ("author-worker", "ringside-author"),
    ("trace-worker", "ringside-trace"),
    ("rank-worker", "ringside-ranks"),
    ("card-worker", "ringside-cards"),
];
