"""Packing and padding of sequences, there and back, with gradients and refusals."""


def run(torch, say):
    rnn = torch.nn.utils.rnn
    x = torch.arange(24.0).view(3, 2, 4).requires_grad_()
    for options in ({}, {"batch_first": True}):
        lengths = [3, 2, 1] if options else [3, 2]
        packed = rnn.pack_padded_sequence(x[..., 0] if options else x, lengths[:x.shape[0 if options else 1]]
                                          if not options else [2, 2, 1], **options)
        say("packed", packed.data, packed.batch_sizes, packed.sorted_indices)
        padded, found = rnn.pad_packed_sequence(packed, padding_value=-1.0, total_length=4, **options)
        say("padded", padded, found)
        say.gradients("gradients", padded, x)
    packed = rnn.pack_padded_sequence(x, torch.tensor([1, 3]), enforce_sorted=False)
    say("unsorted", packed.data, packed.sorted_indices, packed.unsorted_indices)
    say("restored", *rnn.pad_packed_sequence(packed, batch_first=True))
    say("converted", packed.double().data.dtype, packed.to(torch.float32) is packed, packed.is_cuda, packed.long().data)
    parts = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0])]
    for side in ("left", "right"):
        padded = rnn.pad_sequence(parts, batch_first=side == "left", padding_value=9.0, padding_side=side)
        say("sequences", padded)
        say.gradients("gradients", padded, parts[0])
    say("unpacked", *rnn.unpack_sequence(rnn.pack_sequence([torch.ones(1), torch.ones(3)], enforce_sorted=False)))
    batch = torch.arange(6).view(3, 2)
    say("unpadded", *rnn.unpad_sequence(batch, torch.tensor([3, 1])))
    say("transposed in place", batch.shape)
    say("inverse", rnn.invert_permutation(torch.tensor([2, 0, 1])), rnn.invert_permutation(None))
    for lengths in ([3, 2, 1], [2, 3], [3, 0], torch.tensor([[3, 1]])):
        say.outcome("lengths", lambda lengths=lengths: rnn.pack_padded_sequence(x, lengths))
    say.outcome("empty", lambda: rnn.pack_padded_sequence(torch.zeros(0, 2), [1, 1]))
    say.outcome("nothing", lambda: rnn.pad_sequence([]))
    say.outcome("no list", lambda: rnn.pad_sequence(3))
    say.outcome("shapes", lambda: rnn.pad_sequence([torch.ones(2, 3), torch.ones(1, 2)]))
    say.outcome("side", lambda: rnn.pad_sequence([torch.ones(2)], padding_side="up"))
    say.outcome("too short", lambda: rnn.pad_packed_sequence(packed, total_length=2))
