//! Python and torch as far as they go: what a program computes is what CPython and PyTorch compute.

use super::{prints, run};

fn same(pairs: &[(&str, &str)]) {
    for (program, printed) in pairs {
        assert_eq!(prints(program), *printed, "{program}");
    }
}

#[test]
fn python_is_python() {
    same(&[
        ("print(1 + 2 * 3 - 4 // 3, 7 % 4, 2 ** 5, 1 / 4)", "6 3 32 0.25"),
        ("x = [1, 2]\ny = x\nx += [3]\nprint(y)", "[1, 2, 3]"),
        ("x = {'a': 1}\nx['a'] += 4\nx['b'] = 2\nprint(x, x['a'])", "{'a': 5, 'b': 2} 5"),
        ("x = [1, 2, 3, 4]\nx[1:3] = [9]\nprint(x, x[-1], x[::2])", "[1, 9, 4] 4 [1, 4]"),
        ("print((1 + 2) * (3 + 4), -(-3), [i * 2 for i in range(3)])", "21 3 [0, 2, 4]"),
        ("def f(a, b=2):\n    return a + b\nprint(f(1), f(1, b=5), f'{f(1) + 1} {1 < 2}')", "3 6 4 True"),
        (
            "class P:\n    def __init__(self, x):\n        self.x = x\n    def up(self):\n        self.x += 1\n        return self\np = P(3)\nprint(p.up().x)",
            "4",
        ),
        ("a = 1\ndel a\nprint(a)", "None"),
        ("x = (1 +\n     2)\nprint(x == 3, x != 3, 1 < x <= 3)", "True False True"),
        ("try:\n    'a' + 1\nexcept TypeError as e:\n    print(e)", "can only concatenate str (not \"int\") to str"),
        (
            "try:\n    None + 1\nexcept TypeError as e:\n    print(e)",
            "unsupported operand type(s) for +: 'NoneType' and 'int'",
        ),
    ]);
}

#[test]
fn tensors_are_torch_s() {
    same(&[
        (
            "t = torch.tensor([1.0, 2.0])\nprint(t + 1, 2 * t, t / 2, -t, t ** 2)",
            "tensor([2, 3]) tensor([2, 4]) tensor([0.5000, 1.0000]) tensor([-1, -2]) tensor([1, 4])",
        ),
        (
            "a = torch.arange(6).reshape(2, 3)\nprint(a.T.shape, a[1], a[:, 1], a[0, 2].item(), a.dtype)",
            "(3, 2) tensor([3, 4, 5]) tensor([1, 4]) 2 torch.int64",
        ),
        ("a = torch.ones(2, 3)\nb = torch.ones(3, 4) * 2\nprint((a @ b).shape, (a @ b)[0, 0].item())", "(2, 4) 6.0"),
        ("t = torch.zeros(4)\nt[1:3] = 5\nv = t[2:]\nv += 1\nprint(t)", "tensor([0, 5, 6, 1])"),
        (
            "t = torch.tensor([1.0, -2.0])\nprint((t > 0).float(), torch.where(t > 0, t, 0), t.relu())",
            "tensor([1, 0]) tensor([1, 0]) tensor([1, 0])",
        ),
        (
            "t = torch.tensor([[1.0, 3.0], [2.0, 0.0]])\nprint(t.sum(0), t.max(1).values, t.argmax(1), t.mean().item())",
            "tensor([3, 3]) tensor([3, 2]) tensor([1, 0]) 1.5",
        ),
        ("x = torch.tensor(1.01).bfloat16()\nprint(x.item(), x.dtype)", "1.0078125 torch.bfloat16"),
        (
            "a, b = torch.arange(4).split(2)\nprint(a, b, torch.cat([b, a]), torch.stack([a, b]).shape)",
            "tensor([0, 1]) tensor([2, 3]) tensor([2, 3, 0, 1]) (2, 2)",
        ),
        (
            "x = torch.tensor([1.0, 2.0, 3.0])\nprint(round(x.softmax(0)[2].item(), 4), round(x.logsumexp(0).item(), 4))",
            "0.6652 3.4076",
        ),
        ("print(torch.ones(3).sum().item() == 3, torch.equal(torch.ones(2), torch.ones(2)))", "True True"),
        ("t = torch.tensor([2, 0])\nw = torch.eye(3)\nprint(w[t])", "tensor([[0, 0, 1], [1, 0, 0]])"),
        ("t = torch.ones(2)\nfor i in range(3):\n    t *= 2\nprint(t)", "tensor([8, 8])"),
        ("t = torch.tensor([1.0, 2.0])\nprint(f'{t} {t.sum().item():.1f}')", "tensor([1, 2]) 3.0"),
        (
            "print(torch.ones(2, 2).tril(), torch.tensor([3.0, 1.0, 2.0]).topk(2).indices)",
            "tensor([[1, 0], [1, 1]]) tensor([0, 2])",
        ),
    ]);
}

#[test]
fn a_tensor_is_as_true_as_its_element() {
    same(&[
        ("t = torch.tensor([0.0, 2.0])\nprint('yes' if t[0] > 1 else 'no', 'yes' if t[1] > 1 else 'no')", "no yes"),
        ("t = torch.zeros(3)\nif t.any():\n    print('some')\nelif not t.all():\n    print('none')", "none"),
        ("t = torch.tensor(3)\nwhile t > 0:\n    t -= 1\nprint(t.item())", "0"),
        ("t = torch.zeros(1)\nprint(not t, t == 0 and 1, t or 'else', 1 and 2, [] or 'list')", "True 1 else 2 list"),
        ("t = torch.ones(1)\nprint(t or 'else')", "tensor([1])"),
        ("x, i = [0, 0], 0\nx[i], i = 5, 1\nprint(x, i)", "[5, 0] 1"),
        ("print(len(torch.zeros(30000)), len([1, 2]))", "30000 2"),
        ("print(torch.ones(2).to('cuda', torch.bfloat16).dtype == torch.bfloat16)", "True"),
        (
            "t = torch.arange(4)\nprint(any(t > 5), all(x < 4 for x in t), [i for i in range(4) if t[i] > 1])",
            "False True [2, 3]",
        ),
        ("t = torch.tensor([1.5])\nprint(float(t), int(t), bool(t), float('2'), int(3.7))", "1.5 1 True 2.0 3"),
        ("try:\n    assert torch.zeros(1)\nexcept AssertionError:\n    print('false')", "false"),
        ("def first(x):\n    return x and 'some'\nprint(first([]), first([1]), first(0))", "[] some 0"),
    ]);
}

#[test]
fn a_tensor_is_a_sequence_of_rows() {
    same(&[
        (
            "w = torch.zeros(2, 2)\nfor i, row in enumerate(w):\n    row += i\nprint(w, len(w))",
            "tensor([[0, 0], [1, 1]]) 2",
        ),
        ("a, b = torch.arange(2)\nprint(a.item(), b.item(), [x.item() for x in torch.arange(3)])", "0 1 [0, 1, 2]"),
        ("x = [torch.ones(2)] * 3\nprint(sum(x[1:], x[0]), sum(torch.arange(4)))", "tensor([3, 3]) tensor(6)"),
        ("for a, b in zip(torch.arange(2), [5, 6]):\n    print(a.item(), b)", "0 5\n1 6"),
        (
            "t = torch.zeros(4)\nt[[3, 1]] = torch.tensor([1.0, 2.0])\nt[t > 1] = 9\nt[torch.tensor([0])] += 4\nprint(t)",
            "tensor([4, 9, 0, 1])",
        ),
    ]);
}

#[test]
fn values_are_unpacked_into_elements_and_attributes() {
    same(&[
        ("x = [1, 2, 3]\ni = 0\nx[i], x[i + 1] = x[i + 1], x[i]\nprint(x)", "[2, 1, 3]"),
        ("class P:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\np = P(1, 2)\nprint(p.a, p.b)", "1 2"),
        ("t = torch.zeros(3)\nt[0], t[2] = 1, 2\nt[1] = y = 7\nprint(t, y)", "tensor([1, 7, 2]) 7"),
        ("d = {}\nif True: d['a'], n = 1, 2\nprint(d, n)", "{'a': 1} 2"),
    ]);
}

#[test]
fn randn_is_the_same_on_every_rank() {
    let outcome = run("print(randn(2, seed=7).tolist())", 3);
    let said: Vec<&str> = outcome.run.ranks.iter().map(|r| r.printed[0].text.as_str()).collect();
    assert!(said.iter().all(|s| *s == said[0]) && said[0].starts_with('['), "{said:?}");
}

#[test]
fn memory_is_counted_as_it_is_held() {
    let peak = |program: &str| run(program, 1).run.totals.memory;
    assert_eq!(peak("x = torch.zeros(100)\n"), 400);
    assert_eq!(peak("x = torch.zeros(100)\nx = torch.zeros(100)\n"), 800);
    assert_eq!(peak("x = torch.zeros(100)\ndel x\ny = torch.zeros(100)\n"), 400);
    assert_eq!(peak("for i in range(40):\n    x = torch.zeros(100)\n    x = None\n"), 400);
    assert_eq!(peak("def f():\n    return torch.zeros(100).sum()\nfor i in range(40):\n    y = f()\n"), 408);
    assert_eq!(peak("x = torch.zeros(100)\ny = x[:50]\n"), 400);
    assert_eq!(peak("x = torch.zeros(100, dtype=torch.bfloat16)\n"), 200);
    assert_eq!(peak("x = [torch.zeros(100) for _ in range(3)]\nx.pop()\ny = torch.zeros(100)\n"), 1200);
}

#[test]
fn errors_have_their_line() {
    let cases = [
        (
            "x = 1\ny = x + torch.ones(2) @ torch.ones(3)\n",
            "Rank 0 stopped at line 5: RuntimeError: matmul: shapes [2] and [3] don't match.",
        ),
        ("x = undefined\n", "Rank 0 stopped at line 4: NameError: name 'undefined' is not defined."),
        (
            "dist.all_redduce(torch.ones(1))\n",
            "Rank 0 stopped at line 4: AttributeError: module 'torch.distributed' has no attribute 'all_redduce' here.",
        ),
        (
            "x = step\n",
            "Rank 0 stopped at line 4: NameError: name 'step' is not defined; add “from ringside import step”.",
        ),
        (
            "torch.ones(2).frobnicate()\n",
            "Rank 0 stopped at line 4: AttributeError: tensors have no method 'frobnicate' here.",
        ),
        ("def f(:\n    pass\n", "Line 4 is not valid Python: Expected a parameter or the end of the parameter list."),
        ("def f():\n    yield 1\n", "Line 5 can't run here: generators aren't available. Build a list and return it."),
        ("x = [1]\nprint(x[3])\n", "Rank 0 stopped at line 5: IndexError: list index out of range."),
        (
            "torch.ones(2)[5]\n",
            "Rank 0 stopped at line 4: IndexError: index 5 is out of bounds for dimension 0 with size 2.",
        ),
        ("assert rank() == 3, 'no'\n", "Rank 0 stopped at line 4: AssertionError: no."),
        (
            "if torch.ones(2):\n    pass\n",
            "Rank 0 stopped at line 4: RuntimeError: a tensor with 2 elements is neither true nor false and no single number; use any() \
             or all(), or one element.",
        ),
        (
            "t = torch.zeros(1)\nfor t[0] in range(2):\n    pass\n",
            "Line 5 can't run here: a loop or an unpacking can't fill this target. Use plain names, then assign each on its own.",
        ),
        (
            "import torch.distributed as dist\nx = [0, 0, 0]\nx[dist.get_rank()], y = 1, 2\n",
            "Line 6 can't run here: a loop or an unpacking can't fill this target. Use plain names, then assign each on its own.",
        ),
        ("print('%d' % rank())\n", "Rank 0 stopped at line 4: TypeError: strings have no % here; use an f-string."),
        (
            "d = torch.device('cuda', rank())\n",
            "Rank 0 stopped at line 4: AttributeError: module 'torch' has no attribute 'device' here; there are no devices to choose, so \
             leave it out.",
        ),
        (
            "torch.cuda.set_device(rank())\nprint(torch.cuda.device_count())\n",
            "Rank 0 stopped at line 5: AttributeError: module 'torch.cuda' has no attribute 'device_count' here; each rank has one device \
             of its own, so leave it out.",
        ),
        (
            "torch.linspace(0, 1, 5)\n",
            "Rank 0 stopped at line 4: AttributeError: module 'torch' has no attribute 'linspace' here.",
        ),
        (
            "dist.all_reduce(torch.ones(1), op='mean')\n",
            "Rank 0 stopped at line 4: TypeError: all_reduce: 'op' must be dist.ReduceOp.SUM, AVG, MAX, MIN or PRODUCT; name other \
             arguments, such as group=.",
        ),
        (
            "dist.all_reduce(torch.ones(1), asnyc_op=True)\n",
            "Rank 0 stopped at line 4: TypeError: all_reduce() has no argument 'asnyc_op' here.",
        ),
    ];
    for (program, says) in cases {
        assert_eq!(run(program, 2).diagnosis.sentence, says, "{program}");
    }
}
