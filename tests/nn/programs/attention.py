"""scaled_dot_product_attention and MultiheadAttention with all masks and options."""

import itertools

INF = float("inf")


def run(torch, say):
    nn, attend = torch.nn, torch.nn.functional.scaled_dot_product_attention
    q, k, v = (torch.randn(2, 4, 3, 5, requires_grad=True) for _ in range(3))
    mask = torch.tensor([[1, 0, 1], [0, 0, 0], [1, 1, 1]], dtype=torch.bool)
    bias = torch.zeros(3, 3).masked_fill(~mask, -INF)
    options = [{}, {"is_causal": True}, {"attn_mask": mask}, {"attn_mask": bias}, {"scale": 0.3}, {"scale": -1.0},
               {"attn_mask": torch.randn(2, 4, 3, 3), "scale": 1.0}]
    for kwargs in options:
        out = attend(q, k, v, **kwargs)
        say("attention", out, out.grad_fn.name())
        say.gradients("gradients", out, q, k, v)
    say("ranks", attend(q[0], k[0], v[0]).sum(), attend(q[0, 0], k[0, 0], v[0, 0]).sum())
    say("grouped", attend(q, k[:, :2], v[:, :2], enable_gqa=True).sum((0, 1)))
    torch.manual_seed(1)
    say("dropout", attend(q, k, v, dropout_p=0.5).sum((0, 1)))
    bias = torch.randn(3, 3, requires_grad=True)
    say.gradients("mask's gradient", attend(q, k, v, attn_mask=bias), bias)
    a, b, c = (x[0].detach().requires_grad_() for x in (q, k, v))       # of three dimensions, or PyTorch has no second order
    grad, = torch.autograd.grad(attend(a, b, c, is_causal=True).pow(2).sum(), a, create_graph=True)
    say.gradients("second order", grad, a, b)
    say.outcome("both masks", lambda: attend(q, k, v, attn_mask=mask, is_causal=True))
    say.outcome("both masks", lambda: attend(q, k, v, attn_mask=torch.randn(3, 3), is_causal=True))
    say.outcome("both masks", lambda: attend(q[0], k[0], v[0], attn_mask=mask, is_causal=True))
    say.outcome("dtype", lambda: attend(q, k.double(), v))
    say.outcome("mask dtype", lambda: attend(q, k, v, attn_mask=mask.long()))
    say.outcome("one dimension", lambda: attend(q[0, 0, 0], k, v))
    say.outcome("groups", lambda: attend(q, k[:, :3], v[:, :3], enable_gqa=True))
    backends = torch.nn.attention.SDPBackend
    with torch.nn.attention.sdpa_kernel(backends.MATH):
        say("math", attend(q, k, v).grad_fn.name())
    with torch.nn.attention.sdpa_kernel([backends.EFFICIENT_ATTENTION]):
        say.outcome("efficient", lambda: attend(q, k, v))
    say.outcome("kernel", lambda: torch.nn.attention.sdpa_kernel(3).__enter__())

    x, y, z = torch.randn(3, 2, 8), torch.randn(5, 2, 8), torch.randn(5, 2, 8)
    for flags in itertools.product([False, True], repeat=3):
        options = dict(zip(("bias", "add_bias_kv", "add_zero_attn"), flags))
        attention = nn.MultiheadAttention(8, 2, **options)
        say("module", attention, list(attention.state_dict()), attention.in_proj_weight.sum())
        for padding, mask, need in itertools.product([None, "bool"], [None, "float", "3d"], [True, False]):
            kwargs = {"need_weights": need, "average_attn_weights": padding is None}
            if padding:
                kwargs["key_padding_mask"] = torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 0]], dtype=torch.bool)
            if mask:
                kwargs["attn_mask"] = torch.randn(*(() if mask == "float" else (4,)), 3, 5)
            out, weights = attention(x, y, z, **kwargs)
            say("output", out.sum(1), None if weights is None else weights)
    attention = nn.MultiheadAttention(8, 2, kdim=3, vdim=5, batch_first=True, dropout=0.5)
    say("other sizes", attention, list(attention.state_dict()))
    torch.manual_seed(2)
    say("dropped", *attention(torch.randn(2, 3, 8), torch.randn(2, 4, 3), torch.randn(2, 4, 5)))
    attention = nn.MultiheadAttention(8, 2)
    say("unbatched", *attention(x[:, 0], x[:, 0], x[:, 0]))
    out, _ = attention(x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(3), is_causal=True,
                       need_weights=False)
    say.gradients("gradients", out, *attention.parameters())
    say.outcome("causal", lambda: attention(x, x, x, is_causal=True, need_weights=False))
    say.outcome("mask", lambda: attention(x, x, x, attn_mask=torch.zeros(2, 2)))
    say.outcome("mask", lambda: attention(x, x, x, attn_mask=torch.zeros(2, 2, 2)))
    say.outcome("mask", lambda: attention(x, x, x, attn_mask=torch.zeros(3, 3, dtype=torch.long)))
    say.outcome("padding", lambda: attention(x, x, x, key_padding_mask=torch.zeros(2, 4)))
    say.outcome("padding", lambda: attention(x, x, x, key_padding_mask=torch.zeros(2)))
    say.outcome("mixed", lambda: attention(x, x, x, key_padding_mask=torch.zeros(2, 3), attn_mask=torch.ones(3, 3).bool())[1])
    say.outcome("shape", lambda: attention(x, y, x))
    say.outcome("dims", lambda: attention(x[None], x, x))
    say.outcome("heads", lambda: nn.MultiheadAttention(8, 3))
    say.outcome("sizes", lambda: nn.MultiheadAttention(0, 3))
