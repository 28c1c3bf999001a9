import json
import os
from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    price: float
    quantity: int = 1

    def total(self):
        return self.price * self.quantity


@dataclass
class Cart:
    items: list = field(default_factory=list)
    discount: float = 0.0

    def add(self, item):
        self.items.append(item)
        return self

    def remove(self, name):
        self.items = [item for item in self.items if item.name != name]
        return self

    def total(self):
        total = 0.0
        for item in self.items:
            total += item.total()
        if self.discount:
            total = total * (1 - self.discount)
        return total

    def count(self):
        return sum(item.quantity for item in self.items)


def load(path):
    with open(path) as file:
        data = json.load(file)
    cart = Cart()
    for row in data:
        cart.add(Item(row["name"], row["price"], row.get("quantity", 1)))
    return cart


def save(cart, path):
    data = []
    for item in cart.items:
        data.append({"name": item.name, "price": item.price})
    with open(path, "w") as file:
        json.dump(data, file)


def find(items, name):
    for item in items:
        if item.name == name:
            return item
    return None


def mean(values):
    if not values:
        return 0.0
    return sum(values) / len(values)


def largest(values):
    best = None
    for value in values:
        if best is None or value > best:
            best = value
    return best


def index(values, wanted):
    for i in range(len(values)):
        if values[i] == wanted:
            return i
    return -1


def read(path):
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return file.read()


def lines(path):
    text = read(path)
    if text is None:
        return []
    return [line for line in text.split("\n") if line]


def merge(left, right):
    result = []
    i = 0
    j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    return result + left[i:] + right[j:]


def test_total():
    cart = Cart()
    cart.add(Item("pen", 2.0, 3))
    cart.add(Item("ink", 5.0))
    assert cart.total() == 11.0
    assert cart.count() == 4


def test_mean():
    assert mean([1, 2, 3]) == 2.0
    assert mean([]) == 0.0


def main():
    path = os.environ.get("CART", "cart.json")
    cart = load(path)
    print(cart.total())


if __name__ == "__main__":
    main()
