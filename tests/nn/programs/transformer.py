"""The Transformer family: layers, stacks, masks, evaluation with padding."""


def run(torch, say):
    nn = torch.nn
    src, tgt = torch.randn(4, 2, 8), torch.randn(3, 2, 8)
    causal = nn.Transformer.generate_square_subsequent_mask(4)
    say("mask", causal)
    padding = torch.tensor([[0, 0, 0, 1], [0, 0, 0, 0]], dtype=torch.bool)
    for options in ({}, {"norm_first": True, "activation": "gelu"}, {"bias": False, "activation": torch.tanh}):
        torch.manual_seed(3)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, **options)
        say("layer", [name for name, _ in layer.named_parameters()], layer.activation_relu_or_gelu)
        for kwargs in ({}, {"src_mask": causal, "is_causal": True}, {"src_mask": causal, "src_key_padding_mask": padding}):
            out = layer(src, **kwargs)
            say("encoder layer", out.sum(1))
        say.gradients("gradients", out, *layer.parameters())
        layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, **options)
        out = layer(tgt, src, tgt_mask=causal[:3, :3], memory_key_padding_mask=padding, tgt_is_causal=True)
        say("decoder layer", out.sum(1))
    torch.manual_seed(4)
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    say("repr", layer)
    for norm in (None, nn.LayerNorm(8)):
        encoder = nn.TransformerEncoder(layer, 2, norm).eval()
        x = src.transpose(0, 1)
        for ragged in (padding, padding.flip(1)):
            with torch.no_grad():
                say("evaluated", encoder(x, src_key_padding_mask=ragged))
            say("with gradients", encoder(x, src_key_padding_mask=ragged))
        torch.backends.mha.set_fastpath_enabled(False)
        with torch.no_grad():
            say("slowly", encoder(x, src_key_padding_mask=padding))
            say("causal", encoder(x, mask=causal).sum(1), encoder(x, mask=causal, is_causal=True).sum(1))
        torch.backends.mha.set_fastpath_enabled(True)
    say.outcome("no nesting", lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 1).use_nested_tensor)
    say.outcome("odd heads", lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(9, 3, 9, batch_first=True), 1).num_layers)
    torch.manual_seed(5)
    model = nn.Transformer(8, 2, 1, 2, 16, dropout=0.1)
    say("model", list(model.state_dict()), sum(p.sum() for p in model.parameters()))
    torch.manual_seed(6)
    say("training", model(src, tgt, tgt_mask=causal[:3, :3]))
    say("evaluation", model.eval()(src, tgt, src_key_padding_mask=padding, memory_key_padding_mask=padding).sum(1))
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), 2, nn.LayerNorm(8)).eval()
    say("decoder", decoder(tgt.transpose(0, 1), src.transpose(0, 1), tgt_mask=causal[:3, :3]).sum(1))
    say.outcome("batch", lambda: model(src, tgt[:, :1]))
    say.outcome("features", lambda: model(src[..., :4], tgt))
    say.outcome("activation", lambda: nn.TransformerEncoderLayer(8, 2, activation="elu"))
