"""What a page holds, read back without a browser."""

import base64
import html.parser
import json

import numpy as np


class _Blocks(html.parser.HTMLParser):
    """The texts of scripts as an HTML parser delimits them, and every tag outside of them."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.blocks, self.tags, self.programs, self._id = {}, [], [], None

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        if tag == "script":
            self._id = attrs.get("id", "")

    def handle_endtag(self, tag):
        if tag == "script":
            self._id = None

    def handle_data(self, data):
        if self._id:
            self.blocks[self._id] = self.blocks.get(self._id, "") + data
        elif self._id == "":
            self.programs.append(data)


def parse(path):
    found = _Blocks()
    found.feed(path.read_text(encoding="utf-8"))
    found.close()
    return found


def data_of(path):
    """(what the page says of itself, the list of its runs)."""
    blocks = {name: json.loads(text) for name, text in parse(path).blocks.items()}
    return blocks["about"], [blocks[f"run-{i}"] for i in range(len(blocks) - 1)]


def figure_of(run, kind, figure):
    """{name: array over the columns} of one figure."""
    given, columns = run[kind][figure], len(run["starts"])
    upper = np.frombuffer(base64.b64decode(given["data"]), "<u4").astype("<u8")
    rows = (upper << np.uint64(32)).view("<f8").reshape(len(given["rows"]), columns)
    names = [t["name"] for t in run["tensors"]]
    found = {names[i]: row for i, row in zip(given["rows"], rows)}
    return found | {names[i]: np.zeros(columns) for i in given["zero"]}


def curves_of(run, kind):
    """{name: array of steps by 21 quantiles}."""
    given, steps = run["curves"][kind], len(run["curves"]["steps"])
    values = np.frombuffer(base64.b64decode(given["data"]), "<f4").reshape(len(given["rows"]), steps, 21)
    return {run["tensors"][i]["name"]: v for i, v in zip(given["rows"], values)}
