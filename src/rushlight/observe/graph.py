"""``retain`` and ``graph``: looking at a graph that exists already, just before ``backward`` or after it.

Nothing of the model is edited and nothing runs again. The nodes are walked without recursion. What was recorded is called by
its recorded name; without a recording, rushlight's nodes still know their line and so the variable it assigns.
"""

import os
import shutil
import subprocess
import weakref

from . import engines, names
from .statistics import Statistics
from .table import columns, figure

__all__ = ["retain", "graph", "Graph", "GraphNode", "Retained"]


# ---------------------------------------------------------------- retain


class Kept:
    """The gradient of one intermediate: ``name``, ``op``, ``shape``, ``place``, and ``grad``, None until
    ``backward`` has come by.
    """

    __slots__ = ("name", "op", "shape", "place", "array", "engine", "arrivals")

    def __init__(self, node, name, engine):
        self.name, self.op, self.shape, self.place = name, node.op, node.shape, node.place
        self.array, self.engine, self.arrivals = None, engine, 0

    def see(self, grad):
        self.array = self.engine.kept(grad) if self.array is None else self.engine.add(self.array, grad)
        self.arrivals += 1

    @property
    def grad(self):
        """The gradient that ``retain_grad`` would have kept, as a tensor of its own."""
        return None if self.array is None else self.engine.tensor(self.array)

    @property
    def statistics(self):
        """``Statistics`` of the gradient, or None."""
        return None if self.array is None else Statistics(self.engine.array(self.array))

    def __repr__(self):
        state = "no gradient yet" if self.array is None else f"gradient norm {self.statistics.norm:.4g}"
        return f"<{self.name}: {self.op} {list(self.shape)}, {state}>"


class Retained:
    """What ``retain`` gives back: the intermediates by name and in order, the root first."""

    def __init__(self, kept):
        self._kept = kept
        self._by_name = {k.name: k for k in kept}

    def __getitem__(self, key):
        if isinstance(key, (int, slice)):
            return self._kept[key]
        found = self._by_name.get(key) or next((k for k in self._kept if k.op == key), None)
        if found is None:
            raise KeyError(f"nothing is called {key!r}. {names.nearest(key, self._by_name)}")
        return found

    def __iter__(self):
        return iter(self._kept)

    def __len__(self):
        return len(self._kept)

    def names(self):
        """The names, the root's first."""
        return list(self._by_name)

    def table(self):
        """The gradients as a table of text."""
        rows = []
        for k in self._kept:
            s = k.statistics
            rows.append(
                [
                    k.name,
                    k.op,
                    "x".join(map(str, k.shape)) or "()",
                    str(k.place) if k.place.file else "",
                    "-" if s is None else figure(s.norm),
                ]
            )
        return "\n".join(columns(["name", "op", "shape", "line", "norm"], rows, left=4))


def retain(loss, record=None):
    """Hold the gradient of every intermediate of the graph behind ``loss`` at the next ``backward``, in the object that is returned.

    It has them by name, ``kept["h"].grad``; no ``.grad`` of a tensor changes: that of ``h`` stays None. ``loss``: a tensor with history, of
    rushlight or of PyTorch; RuntimeError for one without. ``record``: a ``Record`` that saw the graph being built, for its names.

    Example::

        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> x = torch.tensor([1., 2.], requires_grad=True)
        >>> loss = (x * 3).tanh().sum()
        >>> kept = observe.retain(loss)
        >>> loss.backward()
        >>> kept["sum"].grad, kept["mul"].shape
        (tensor(1.), (2,))
    """
    seen = graph(loss, record)
    kept = []
    for node in seen.nodes:
        if node.kind == "operator":
            for index, name in seen.results(node):
                one = Kept(node, name, seen.engine)
                if isinstance(node.shape, list):
                    one.shape = node.shape[index]
                seen.engine.attach_node(node.made_by(), index, one.see)
                kept.append(one)
    return Retained(kept)


# ---------------------------------------------------------------- graph


class GraphNode:
    """One call of the graph, or a leaf. ``kind``: "operator" or "leaf"; ``name``, ``op``, ``shape`` (a list of shapes
    for several results), ``place``, ``path`` (the module, where known), ``saved`` (bytes kept for backward), ``norm`` (of
    the gradient, where known) and ``inputs``, the numbers of the nodes it came from.
    """

    __slots__ = ("number", "kind", "name", "op", "shape", "place", "path", "saved", "inputs", "entry", "_made_by", "_norm")

    def __init__(self, number, kind, op, shape, place, saved):
        self.number, self.kind, self.op, self.shape, self.place, self.saved = number, kind, op, shape, place, saved
        self.name, self.path, self.inputs, self.entry, self._made_by, self._norm = op, "", [], None, None, None

    def made_by(self):
        return self._made_by() if self._made_by is not None else None

    @property
    def norm(self):
        """The norm of its gradient: of a recorded result, or of a leaf's ``.grad``; None where nobody kept it."""
        if self.entry is not None and self.entry.norm is not None:
            return self.entry.norm
        return self._norm() if self._norm is not None else None

    def __repr__(self):
        return f"<{self.number} {self.name}: {self.op} {_shape_text(self.shape)} from {self.inputs}>"


class Graph:
    """The graph behind a tensor: ``nodes``, the root first, each before what it came from. ``str()`` gives its text."""

    def __init__(self, engine, nodes, numbers=None):
        self.engine, self.nodes, self._numbers = engine, nodes, numbers or {}

    def number_of(self, item):
        """The number of an engine's node (or leaf), or None."""
        return self._numbers.get(self.engine.identity(item))

    def __len__(self):
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    @property
    def saved(self):
        """Bytes that the graph keeps for backward."""
        return sum(n.saved for n in self.nodes)

    def results(self, node):
        """(number, name) of each result of a node."""
        if not isinstance(node.shape, list) or len(node.shape) == 1:
            return [(0, node.name)]
        return [(i, f"{node.name}[{i}]") for i, shape in enumerate(node.shape) if shape is not None]

    def folded(self, limit):
        """The graph with at most about ``limit`` nodes: the modules that nest deepest are folded into one node each.

        A folded node is called after its module and says how many nodes it stands for. Nodes outside of modules cannot be folded.
        """
        depth = max((n.path.count(".") + 1 for n in self.nodes if n.path), default=0)
        made = self
        while len(made) > limit and depth > 0:
            made = self._fold(depth)
            depth -= 1
        return made

    def _fold(self, depth):
        """One node for everything inside each module at ``depth``."""
        groups, order = {}, []
        for n in self.nodes:
            parts = n.path.split(".") if n.path else []
            key = ".".join(parts[:depth]) if len(parts) >= depth else n.number
            if key not in groups:
                groups[key] = []
                order.append(key)
            groups[key].append(n)
        numbers = {n.number: i for i, key in enumerate(order) for n in groups[key]}
        made = []
        for i, key in enumerate(order):
            members = groups[key]
            first = members[0]
            g = GraphNode(i, first.kind, first.op, first.shape, first.place, sum(n.saved for n in members))
            g.path, g.entry, g._made_by, g._norm = first.path, first.entry, first._made_by, first._norm
            g.name = first.name
            if isinstance(key, str) and len(members) > 1:
                g.name, g.op, g.kind = key, f"{len(members)} nodes", "module"
            g.inputs = list(dict.fromkeys(numbers[j] for n in members for j in n.inputs if numbers[j] != i))
            made.append(g)
        return Graph(self.engine, made)

    def text(self, limit=200):
        """The graph as text: a line for each node, with the lines it came from."""
        shown = self.folded(limit)
        rows = []
        for n in shown.nodes[:limit]:
            rows.append(
                [
                    str(n.number),
                    n.name,
                    n.op,
                    _shape_text(n.shape),
                    str(n.place) if n.place.file else "",
                    f"{n.saved:,}" if n.saved else "",
                    figure(n.norm),
                    " ".join(map(str, n.inputs)),
                ]
            )
        lines = columns(["", "name", "op", "shape", "line", "saved", "norm", "from"], rows, left=5)
        if len(shown) > limit:
            lines.append(f"... and {len(shown) - limit} more nodes")
        return "\n".join(lines)

    __str__ = text

    def dot(self, limit=200):
        """The graph in the language of Graphviz, gradients flowing downwards; a node whose gradient is not finite is red."""
        shown = self.folded(limit)
        lines = ["digraph gradients {", "  node [shape=box, style=filled, fillcolor=white, fontname=monospace];"]
        there = {n.number for n in shown.nodes[:limit]}
        for n in shown.nodes[:limit]:
            about = [n.name, f"{n.op} {_shape_text(n.shape)}" if n.op != n.name else _shape_text(n.shape)]
            if n.place.file:
                about.append(str(n.place))
            if n.saved:
                about.append(f"saves {n.saved:,} bytes")
            if n.norm is not None:
                about.append(f"gradient norm {n.norm:.3g}")
            label = "\\n".join(a.replace("\\", "\\\\").replace('"', '\\"') for a in about)
            bad = n.entry is not None and n.entry.statistics is not None and not n.entry.statistics.finite
            color = "red" if bad else "lightblue" if n.kind == "leaf" else "lightgrey" if n.kind == "module" else "white"
            lines.append(f'  n{n.number} [label="{label}", fillcolor={color}];')
        for n in shown.nodes[:limit]:
            lines += [f"  n{n.number} -> n{i};" for i in n.inputs if i in there]
        if len(shown) > limit:
            lines.append(f'  more [label="and {len(shown) - limit} more nodes", shape=plaintext];')
        return "\n".join([*lines, "}"])

    def svg(self, limit=200):
        """The graph as an SVG picture (text), drawn by Graphviz's ``dot``; RuntimeError where that program is not installed."""
        program = shutil.which("dot")
        if program is None:
            raise RuntimeError("svg() needs the program dot of Graphviz, which is not installed\nInstall Graphviz, or use dot() or text().")
        done = subprocess.run(
            [program, "-Tsvg"],
            input=self.dot(limit),
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "LC_ALL": "C"},
        )
        if done.returncode:
            raise RuntimeError(f"dot failed: {done.stderr.strip()}")
        return done.stdout


def _shape_text(shape):
    if isinstance(shape, list):
        return " ".join(_shape_text(s) for s in shape if s is not None)
    return "x".join(map(str, shape)) or "()"


def graph(loss, record=None):
    """The graph behind a tensor as a ``Graph``: names, shapes, lines, bytes saved and, after backward, gradient norms.

    ``record``: a ``Record`` made while the graph was built; it names modules and knows the gradients. RuntimeError for a tensor
    without history.

    Example::

        >>> import rushlight as torch
        >>> from rushlight import observe
        >>> w = torch.ones(3, requires_grad=True)
        >>> print(observe.graph((w * 2).sum()).dot())      # doctest: +ELLIPSIS
        digraph gradients {
        ...
          n0 -> n1;
          n1 -> n2;
        }
    """
    engine = engines.choose(loss)
    start = engine.graph_root(loss)
    if start is None:
        raise RuntimeError("this tensor has no history\nobserve.explain says why.")
    entries = {} if record is None else {e.node: e for e in record if e.kind == "intermediate"}
    parameters = {} if record is None else record._leaf_labels()
    nodes, numbers, identities = [], {}, {}
    for item in engine.walk(start):
        info = engine.describe(item)
        node = GraphNode(len(nodes), info.kind, info.op, info.shape, info.place, info.saved)
        numbers[id(item)] = node.number
        identities[engine.identity(item)] = node.number
        if info.kind == "leaf":
            tensor = info.tensor
            node.name = parameters.get(id(tensor)) or "leaf"
            node.path = node.name.rpartition(".")[0]
            node._norm = _leaf_norm(engine, weakref.ref(tensor))
        else:
            node._made_by = info.reference
            node.entry = entries.get(info.key)
            if node.entry is not None:
                node.name, node.path, node.op, node.place = node.entry.name, node.entry.path, node.entry.op, node.entry.place
            else:
                several = isinstance(info.shape, list) and len(info.shape) > 1
                own = info.place.file.startswith(engine.packages)
                node.name = info.op if several or own else info.place.variable(0) or info.op
        node.inputs = info.inputs
        nodes.append(node)
    for node in nodes:
        node.inputs = [numbers[i] for i in node.inputs]
    _make_unique(nodes)
    return Graph(engine, nodes, identities)


def _leaf_norm(engine, reference):
    def norm():
        leaf = reference()
        grad = None if leaf is None else engine.grad_of(leaf)
        return None if grad is None else Statistics(engine.array(grad)).norm

    return norm


def _make_unique(nodes):
    """Number nodes of the same name, the oldest first."""
    groups = {}
    for n in nodes:
        groups.setdefault(n.name, []).append(n)
    for name, several in groups.items():
        if len(several) > 1:
            for i, n in enumerate(reversed(several)):
                n.name = f"{name}#{i}"
