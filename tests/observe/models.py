"""Twelve small models of the kinds that people train, for either engine.

``MODELS[name](torch)`` gives a model and a function ``run(keep)`` that does one forward and backward pass. The models call
``keep(name, tensor)`` on some intermediates, where somebody without a recorder would call ``retain_grad``; the names are those
that a record gives them.
"""

import importlib
import math


def inputs(torch, *shape, seed=0.0):
    """Numbers that look random and are the same for every engine."""
    count = math.prod(shape)
    return torch.tensor([math.sin(1.7 * i * i + 0.3 * i + seed) for i in range(count)]).reshape(shape)


def settle(torch, model):
    """Give the parameters values that are the same for every engine."""
    with torch.no_grad():
        for number, p in enumerate(model.parameters()):
            p.copy_(inputs(torch, *p.shape, seed=number + 1.0) * 0.4)
    return model


def mlp(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)

        def forward(self, x, keep):
            h = torch.tanh(self.l1(x))
            keep("h", h)
            out = self.l2(h)
            keep("l2", out)
            return out

    model = settle(torch, Model())

    def run(keep):
        loss = torch.nn.functional.cross_entropy(model(inputs(torch, 5, 6), keep), torch.tensor([0, 1, 2, 0, 1]))
        keep("loss", loss)
        loss.backward()

    return model, run


def cnn(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = torch.nn.Conv2d(1, 3, 3, padding=1), torch.nn.BatchNorm2d(3)
            self.pool, self.out = torch.nn.MaxPool2d(2), torch.nn.Linear(27, 2)

        def forward(self, x, keep):
            c = self.conv(x)
            keep("conv", c)
            n = self.norm(c)
            keep("norm", n)
            r = torch.relu(n)
            keep("r", r)
            return self.out(self.pool(r).flatten(1))

    model = settle(torch, Model())

    def run(keep):
        (model(inputs(torch, 4, 1, 6, 6), keep) ** 2).mean().backward()

    return model, run


def residual(torch):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = torch.nn.Linear(5, 5), torch.nn.Linear(5, 5)

        def forward(self, x):
            h = torch.relu(self.l1(x))
            y = self.l2(h)
            y += x
            return y

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([Block(), Block(), Block()])

        def forward(self, x, keep):
            for i, block in enumerate(self.blocks):
                x = block(x)
                keep(f"blocks.{i}", x)
            return x

    model = settle(torch, Model())

    def run(keep):
        model(inputs(torch, 4, 5), keep).pow(2).sum().backward()

    return model, run


def lstm(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.out = torch.nn.LSTM(4, 5, num_layers=2, batch_first=True), torch.nn.Linear(5, 2)

        def forward(self, x, keep):
            states, (_, cell) = self.lstm(x)
            keep("lstm", states)
            keep("lstm[2]", cell)
            last = states[:, -1]
            keep("last", last)
            return self.out(last).sum() + cell.sum()

    model = settle(torch, Model())

    def run(keep):
        model(inputs(torch, 3, 6, 4), keep).backward()

    return model, run


def gru(torch):
    rnn = importlib.import_module(torch.__name__ + ".nn.utils.rnn")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.gru = torch.nn.Embedding(10, 4), torch.nn.GRU(4, 5, batch_first=True)

        def forward(self, tokens, lengths, keep):
            e = self.embed(tokens)
            keep("embed", e)
            packed = rnn.pack_padded_sequence(e, lengths, batch_first=True)
            _, hidden = self.gru(packed)
            keep("hidden", hidden)
            return hidden

    model = settle(torch, Model())

    def run(keep):
        tokens = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 0], [8, 9, 0, 0]])
        model(tokens, torch.tensor([4, 3, 2]), keep).pow(2).sum().backward()

    return model, run


class _Attention:
    """One causal head, made of plain operators."""

    @staticmethod
    def make(torch, width):
        class Attention(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.qkv, self.proj = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)

            def forward(self, x, causal):
                q, k, v = self.qkv(x).chunk(3, dim=-1)
                scores = q @ k.transpose(-2, -1) / math.sqrt(width)
                if causal:
                    n = x.shape[1]
                    hidden = torch.ones(n, n).triu(1) > 0
                    scores = scores.masked_fill(hidden, float("-inf"))
                weights = torch.softmax(scores, dim=-1)
                return self.proj(weights @ v)

        return Attention()


def _block(torch, width):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
            self.attention = _Attention.make(torch, width)
            self.up, self.down = torch.nn.Linear(width, 2 * width), torch.nn.Linear(2 * width, width)

        def forward(self, x, causal):
            x = x + self.attention(self.norm1(x), causal)
            mlp = self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))
            return x + mlp

    return Block()


def encoder(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([_block(torch, 6) for _ in range(2)])
            self.norm = torch.nn.LayerNorm(6)

        def forward(self, x, keep):
            for i, layer in enumerate(self.layers):
                x = layer(x, False)
                keep(f"layers.{i}", x)
            return self.norm(x)

    model = settle(torch, Model())

    def run(keep):
        (model(inputs(torch, 2, 4, 6), keep) * inputs(torch, 2, 4, 6, seed=9.0)).sum().backward()

    return model, run


def gpt(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.place = torch.nn.Embedding(7, 6), torch.nn.Embedding(4, 6)
            self.block, self.norm = _block(torch, 6), torch.nn.LayerNorm(6)
            self.head = torch.nn.Linear(6, 7, bias=False)
            self.head.weight = self.token.weight

        def forward(self, tokens, keep):
            x = self.token(tokens) + self.place(torch.arange(tokens.shape[1]))
            keep("x", x)
            y = self.block(x, True)
            keep("block", y)
            logits = self.head(self.norm(y))
            keep("head", logits)
            return logits

    model = settle(torch, Model())

    def run(keep):
        tokens = torch.tensor([[1, 2, 3, 4], [6, 5, 0, 1]])
        logits = model(tokens, keep)
        torch.nn.functional.cross_entropy(logits.reshape(-1, 7), tokens.reshape(-1)).backward()

    return model, run


def siamese(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.act, self.l2 = torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 3)

        def forward(self, x):
            return self.l2(self.act(self.l1(x)))

    model = settle(torch, Model())

    def run(keep):
        a = model(inputs(torch, 5, 4))
        b = model(inputs(torch, 5, 4, seed=3.0))
        keep("l2#0", a)
        keep("l2#1", b)
        distance = (a - b).pow(2).sum(1)
        keep("distance", distance)
        torch.relu(1 - distance).mean().backward()

    return model, run


def gan(torch):
    generator = torch.nn.Sequential(torch.nn.Linear(3, 6), torch.nn.LeakyReLU(0.2), torch.nn.Linear(6, 4))
    critic = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.LeakyReLU(0.2), torch.nn.Linear(6, 1))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.generator, self.critic = generator, critic

    model = settle(torch, Model())

    def run(keep):
        loss = torch.nn.functional.binary_cross_entropy_with_logits
        real, noise = inputs(torch, 5, 4), inputs(torch, 5, 3, seed=2.0)
        fake = generator(noise)
        judged = critic(fake.detach())
        (loss(critic(real), torch.ones(5, 1)) + loss(judged, torch.zeros(5, 1))).backward()
        again = critic(fake)
        keep("fake", fake)
        keep("critic.2", again)
        loss(again, torch.ones(5, 1)).backward()

    return model, run


def vae(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encode, self.decode = torch.nn.Linear(6, 4), torch.nn.Linear(2, 6)

        def forward(self, x, keep):
            mean, log_variance = self.encode(x).chunk(2, dim=1)
            keep("mean", mean)
            keep("log_variance", log_variance)
            z = mean + torch.exp(0.5 * log_variance) * inputs(torch, *mean.shape, seed=5.0)
            keep("z", z)
            penalty = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum()
            return self.decode(z), penalty

    model = settle(torch, Model())

    def run(keep):
        x = inputs(torch, 5, 6)
        again, penalty = model(x, keep)
        (torch.nn.functional.mse_loss(again, x, reduction="sum") + penalty).backward()

    return model, run


def checkpointed(torch):
    checkpoint = importlib.import_module(torch.__name__ + ".utils.checkpoint").checkpoint

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.l2, self.l3 = torch.nn.Linear(5, 7), torch.nn.Linear(7, 7), torch.nn.Linear(7, 2)

        def forward(self, x, keep):
            def part(x):
                h = torch.tanh(self.l1(x))
                if not recomputing:
                    keep("h", h)
                return torch.tanh(self.l2(h))

            recomputing = []
            y = checkpoint(part, x, use_reentrant=False)
            recomputing.append(True)
            keep("tanh", y)
            return self.l3(y)

    model = settle(torch, Model())

    def run(keep):
        model(inputs(torch, 4, 5), keep).pow(2).sum().backward()

    return model, run


def custom(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = torch.nn.Linear(4, 5), torch.nn.Linear(5, 2)

        def forward(self, x, keep):
            h = self.l1(x)
            keep("l1", h)
            cube = Cube.apply(h)
            keep("cube", cube)
            return self.l2(cube)

    model = settle(torch, Model())

    def run(keep):
        model(inputs(torch, 3, 4), keep).sum().backward()

    return model, run


MODELS = {f.__name__: f for f in (mlp, cnn, residual, lstm, gru, encoder, gpt, siamese, gan, vae, checkpointed, custom)}
