/** A number in base units: bytes, seconds, FLOPs. */
export interface Quantity {
  id: string;
  label: string;
  value: number;
  unit: string;
  /** As a person reads it: "7.5 GB". */
  text: string;
  /** What it must not exceed, in the same unit. */
  limit: number | null;
  headline: boolean;
  /** Whether it means anything in this state. */
  applies: boolean;
  /** Where its formula comes from: a paper, a program, "by definition", … */
  source: string;
}

export interface Figure {
  id: string;
  title: string;
  summary: string;
}

export interface Description extends Figure {
  /** A JSON Schema. */
  parameters: { type: "object"; properties: Record<string, object>; additionalProperties: false };
  /** What each means (empty where its label says it all), and where its formula comes from. */
  quantities: { id: string; label: string; unit: string; meaning: string; source: string }[];
  /** States worth looking at. */
  examples: { label: string; state: string }[];
}

export interface Assertion {
  text: string;
  /** Null if it couldn't be decided. */
  holds: boolean | null;
  /** Both sides. */
  values: [number, number] | null;
}

export interface Answer {
  figure: string;
  /** The state, without what is as by default. */
  query: string;
  /** None of an impossible state. */
  quantities: Quantity[];
  /** Why the state is impossible. */
  error: string | null;
  /** Only if there were any to judge. */
  assertions?: Assertion[];
}

export interface Config {
  parameters: number;
  family: string;
  context: number | null;
  /** Bytes of cache per token, 16 bits a value. */
  kv_bytes_per_token: number;
  /** Bytes that a sequence keeps whatever its length is, 32 bits a value. */
  state_bytes: number;
  /** Why the count is a guess, if it is one. */
  guess: string | null;
  warnings: string[];
}

/** A file of a run: a run file, a configuration, a log, a trace, a snapshot, packed or not. */
export interface RunFile {
  name: string;
  content: string | Uint8Array;
}

/** A figure in a state. */
export interface Link {
  figure: string;
  query: string;
}

/** A part of a sum. */
export interface Cause {
  label: string;
  size: number;
  why: string;
  /** The figure that shows it. */
  link: Link | null;
}

export interface Report {
  /** The run that the files make together, as in run.toml. */
  run: object;
  files: {
    name: string;
    kind: string;
    outcome: string;
    said: string;
    /** What makes the run fail: the line (0 for none), what happens, and why, with what to do. */
    stop: { line: number; text: string; what: string; why: string; link: Link | null } | null;
    found: { line: number; what: string; value: string; link: Link | null }[];
    unread: { line: number; text: string; why: string }[];
    /** What the errors in a log mean: where to begin, the signs that were seen, and lines that look like errors and aren't known. */
    errors: {
      begin: string;
      signs: {
        id: string;
        kind: "note" | "consequence" | "possible" | "cause";
        title: string;
        place: { line: number; text: string; rank: number | null };
        times: number;
        means: string;
        remedy: string;
        program: string;
      }[];
      unknown: { line: number; text: string; rank: number | null }[];
      "unknown-lines": number;
    } | null;
    /** What each GPU of a memory snapshot held over time, if its history was recorded: microseconds (or entries) before its end, and bytes. */
    histories: {
      device: number;
      entries: number;
      "is-timed": boolean;
      moments: { before: number; allocated: number; reserved: number }[];
    }[];
  }[];
  /** The last two traces side by side: seconds of a step, or of the whole traces where steps aren't marked. */
  traces: {
    names: [string, string];
    "per-step": boolean;
    finding: string;
    notes: string[];
    lines: { label: string; seconds: [number, number] }[];
  } | null;
  /** The last two memory snapshots side by side, in bytes. */
  snapshots: {
    names: [string, string];
    finding: string;
    notes: string[];
    lines: { label: string; bytes: [number, number] }[];
  } | null;
  rows: {
    id: string;
    label: string;
    unit: string;
    /** The low end, the best guess, the high end. */
    predicted: [number, number, number] | null;
    measured: number | null;
    gap: number | null;
    from: string;
  }[];
  sums: { id: string; unit: string; predicted: Cause[]; gap: Cause[]; unexplained: number; total: number; measured: boolean }[];
  /** What nobody said and the prediction needs. */
  missing: string[];
  assumed: { key: string; text: string }[];
  /** The setting that nobody gave and that decides most, with the low end, the best guess and the high end for each of its values. */
  question: {
    key: string;
    text: string;
    answers: {
      value: string;
      label: string;
      "too-large": boolean;
      predicted: { "step-time": [number, number, number]; memory: [number, number, number] };
    }[];
  } | null;
  verdict: string;
  next: { why: string; command: string }[];
  assertions: Assertion[];
}
