//! The problems: what is asked, tests, and what a "model" drafts.

/// A problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem {
    /// The function's name.
    pub name: &'static str,
    /// What is asked for.
    pub asks: &'static str,
    /// A solution.
    pub solution: &'static str,
    /// Tests that come with the problem: arguments and what they must give.
    pub base: &'static [(&'static str, &'static str)],
    /// More tests, as EvalPlus adds them (Liu et al. 2023, arXiv:2305.01210): edges that the first ones leave out.
    pub extra: &'static [(&'static str, &'static str)],
    /// What a model drafts, and its logits.
    pub drafts: &'static [(&'static str, f64)],
}

/// All of them.
pub const ALL: [Problem; 8] = [
    Problem {
        name: "gap",
        asks: "The distance between two numbers.",
        solution: "gap(a, b) = if a > b then a - b else b - a",
        base: &[("3, 5", "2"), ("9, 4", "5"), ("2, 2", "0")],
        extra: &[("-3, 4", "7"), ("-2, -9", "7"), ("0, -1", "1")],
        drafts: &[
            ("gap(a, b) = if a > b then a - b else b - a", 2.0),
            ("gap(a, b) = abs(a - b)", 2.2),
            ("gap(a, b) = abs(a) - abs(b)", 0.6),
            ("gap(a, b) = abs(abs(a) - abs(b))", 0.8),
            ("gap(a, b) = max(a, b) - min(a, b)", 0.9),
        ],
    },
    Problem {
        name: "total",
        asks: "The sum of a list.",
        solution: "total(xs) = if len(xs) == 0 then 0 else head(xs) + total(tail(xs))",
        base: &[("[1, 2, 3]", "6"), ("[5]", "5"), ("[2, 2]", "4")],
        extra: &[("[]", "0"), ("[-1, 1]", "0"), ("[7, -9, 1]", "-1")],
        drafts: &[
            ("total(xs) = if len(xs) == 0 then 0 else head(xs) + total(tail(xs))", 2.4),
            ("total(xs) = if len(xs) == 1 then head(xs) else head(xs) + total(tail(xs))", 1.6),
            ("total(xs) = head(xs) + total(tail(xs))", 0.6),
            ("total(xs) = sum(xs)", 1.0),
        ],
    },
    Problem {
        name: "clamp",
        asks: "x, kept from lo to hi.",
        solution: "clamp(x, lo, hi) = max(lo, min(x, hi))",
        base: &[("5, 0, 10", "5"), ("12, 0, 10", "10"), ("-3, 0, 10", "0")],
        extra: &[("10, 0, 10", "10"), ("4, 6, 6", "6"), ("-8, -5, -2", "-5")],
        drafts: &[
            ("clamp(x, lo, hi) = max(lo, min(x, hi))", 1.6),
            ("clamp(x, lo, hi) = min(lo, max(x, hi))", 1.2),
            ("clamp(x, lo, hi) = if x < lo then lo else if x > hi then hi else x", 1.6),
            ("clamp(x, lo, hi) = if x < 0 then 0 else min(x, hi)", 0.9),
            ("clamp(x, lo, hi) = if x < lo then lo else hi", 0.4),
        ],
    },
    Problem {
        name: "largest",
        asks: "The largest number of a list that is not empty.",
        solution: "largest(xs) = if len(xs) == 1 then head(xs) else max(head(xs), largest(tail(xs)))",
        base: &[("[3, 1, 2]", "3"), ("[1, 9]", "9"), ("[4]", "4")],
        extra: &[("[-5, -2, -8]", "-2"), ("[-1]", "-1"), ("[2, 2]", "2")],
        drafts: &[
            ("largest(xs) = if len(xs) == 0 then 0 else max(head(xs), largest(tail(xs)))", 2.3),
            ("largest(xs) = if len(xs) == 1 then head(xs) else max(head(xs), largest(tail(xs)))", 1.7),
            ("largest(xs) = max(xs)", 1.2),
            ("largest(xs) = max(head(xs), head(tail(xs)))", 0.4),
        ],
    },
    Problem {
        name: "power",
        asks: "b to the n, for n from 0.",
        solution: "power(b, n) = if n == 0 then 1 else b * power(b, n - 1)",
        base: &[("2, 3", "8"), ("5, 1", "5"), ("3, 2", "9")],
        extra: &[("7, 0", "1"), ("-2, 3", "-8"), ("0, 0", "1")],
        drafts: &[
            ("power(b, n) = if n == 0 then 1 else b * power(b, n - 1)", 1.8),
            ("power(b, n) = if n == 1 then b else b * power(b, n - 1)", 1.7),
            ("power(b, n) = b * n", 0.5),
            ("power(b, n) = b * power(b, n - 1)", 0.9),
            (
                "power(b, n) = if n == 0 then 1 else if n % 2 == 0 then power(b, n / 2) * power(b, n / 2) else b * power(b, n - 1)",
                0.6,
            ),
        ],
    },
    Problem {
        name: "count",
        asks: "How often x is in a list.",
        solution: "count(xs, x) = if len(xs) == 0 then 0 else (if head(xs) == x then 1 else 0) + count(tail(xs), x)",
        base: &[("[1, 2, 1], 1", "2"), ("[3], 3", "1"), ("[4, 5], 6", "0")],
        extra: &[("[], 1", "0"), ("[2, 2, 2], 2", "3"), ("[-1, 1], -1", "1")],
        drafts: &[
            ("count(xs, x) = if len(xs) == 0 then 0 else (if head(xs) == x then 1 else 0) + count(tail(xs), x)", 1.3),
            ("count(xs, x) = if len(xs) == 0 then 0 else if head(xs) == x then 1 else count(tail(xs), x)", 1.5),
            ("count(xs, x) = if head(xs) == x then 1 + count(tail(xs), x) else count(tail(xs), x)", 1.1),
            ("count(xs, x) = len(xs) - x", 0.1),
        ],
    },
    Problem {
        name: "backwards",
        asks: "A list in reverse.",
        solution: "backwards(xs) = if len(xs) == 0 then [] else backwards(tail(xs)) + [head(xs)]",
        base: &[("[1, 2, 3]", "[3, 2, 1]"), ("[4, 4]", "[4, 4]"), ("[7]", "[7]")],
        extra: &[("[]", "[]"), ("[0, 1]", "[1, 0]"), ("[5, 6, 5, 7]", "[7, 5, 6, 5]")],
        drafts: &[
            ("backwards(xs) = if len(xs) == 0 then [] else backwards(tail(xs)) + [head(xs)]", 1.0),
            ("backwards(xs) = if len(xs) == 0 then [] else [head(xs)] + backwards(tail(xs))", 1.9),
            ("backwards(xs) = if len(xs) < 2 then xs else backwards(tail(xs)) + [head(xs)]", 0.8),
            ("backwards(xs) = if len(xs) == 0 then xs else backwards(tail(xs)) + head(xs)", 1.4),
        ],
    },
    Problem {
        name: "fib",
        asks: "The nth Fibonacci number: 0, 1, 1, 2, 3, … with n from 0.",
        solution: "fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2)",
        base: &[("2", "1"), ("5", "5"), ("7", "13")],
        extra: &[("0", "0"), ("1", "1"), ("9", "34")],
        drafts: &[
            ("fib(n) = if n < 3 then 1 else fib(n - 1) + fib(n - 2)", 1.9),
            ("fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2)", 1.2),
            ("fib(n) = if n == 0 then 1 else fib(n - 1) + fib(n - 2)", 1.2),
            ("fib(n) = fib(n - 1) + fib(n - 2)", 0.6),
        ],
    },
];
