"""Expressions whose value (or error) PyTorch and rushlight must agree on, by the test file they belong to.

Names in scope: ``torch``, ``np``, ``copy``, ``pickle``; ``x`` = arange(6.).view(2, 3), ``i`` = arange(4),
``s`` = tensor(2.), ``g`` = ones(2, 3) that requires grad, ``c`` = a complex (2, 2), ``b`` = a bool vector.
They are made anew for every expression.
"""

SHAPE = """
x.view(3, 2); x.view(-1); x.view((3, -1)); x.view([6]); x.view(size=(6,)); x.view(4); x.view(-1, 4)
x.view(-1, -1); torch.ones(0).view(-1, 0); x.view(-2); x.t().view(6); x.t().reshape(6); x.t().view(3, 2)
x.view(); x.view(2.); x.view(torch.int32); x.view(torch.float64); x.double().view(torch.int32).shape
x.view(torch.int16).shape; x.t().view(torch.int16); c.view(torch.float64); s.view(torch.int16)
s.view(torch.int32); i.view(torch.complex128); x.reshape(-1, 2); x.reshape(); x.reshape(5)
torch.reshape(x, (3, 2)); torch.reshape(x, 3); x.reshape(shape=(6, 1)); g.t().reshape(6).grad_fn.name()
g.reshape(6).grad_fn.name(); x.reshape(3, 2).data_ptr() == x.data_ptr()
x.t().reshape(6).data_ptr() == x.data_ptr(); x.expand(2, 2, 3); x.expand(-1, 3); x.expand(-1, 2, 3)
x.expand(4, 3); x.expand(3); x[:, :1].expand(2, 4); x[:, :1].expand(2, 4).stride()
torch.zeros(0, 1).expand(0, 5).shape; x.expand((2, 3)); s.expand(2); s.expand(0)
torch.zeros(2, 1).expand(-2, 2); x.permute(1, 0); x.permute((1, 0)); x.permute(-1, 0); x.permute(0)
x.permute(0, 0); x.permute(0, 5); torch.permute(x, (1, 0)).stride(); x.transpose(0, 1); x.transpose(0, 5)
x.transpose(-1, 0).stride(); s.transpose(0, -1); x.transpose(0, 1.); s.transpose(0, 1); x.squeeze()
x[:1].squeeze().shape; x[:1].squeeze(0).shape; x.squeeze(1).shape; x.squeeze(5)
x[:1, :1].squeeze((0, 1)).shape; x.squeeze((0, 0)); s.squeeze(0); s.squeeze(1); x.unsqueeze(0).shape
x.unsqueeze(-1).stride(); x.unsqueeze(5); x.unsqueeze('a'); x.t().unsqueeze(1).stride(); x.flatten()
x.flatten(1).shape; x.flatten(1, 0); s.flatten(); x.t().flatten(); x.flatten() is x
torch.ones(3).flatten().shape; x.unflatten(1, (3, 1)).shape; x.unflatten(1, (-1, 1)).shape
x.unflatten(1, (2, 2)); x.unflatten(0, ()); x.ravel(); x.t().ravel()
x.t().ravel().data_ptr() == x.data_ptr(); x.movedim(0, 1).shape; x.movedim((0, 1), (1, 0)).shape
x.movedim((0, 0), (1, 0)); x.movedim(0, (0, 1)); x.moveaxis(0, -1).shape; x.swapaxes(0, 1).shape
x.swapdims(0, 1).shape; x.t(); x.unsqueeze(0).t(); s.t(); x[0].t(); x.T; x.mT; x[0].mT; x.H; x[0].H; c.H
c.mH; x.unsqueeze(0).H; c.adjoint(); x[0].adjoint(); x.view_as(torch.zeros(6)); x.reshape_as(torch.zeros(6))
x.expand_as(torch.zeros(4, 2, 3)).shape; x.broadcast_to((4, 2, 3)).shape
torch.broadcast_shapes((2, 1), (3,)); torch.broadcast_shapes((2,), (3,)); torch.broadcast_tensors(x, s)
torch.broadcast_tensors(x, i); torch.atleast_1d(s); torch.atleast_2d(s, i); torch.atleast_3d(x).shape
torch.atleast_2d([s, i]); x.narrow(0, 1, 1); x.narrow(0, 1, 3); x.narrow(0, -1, 1); x.narrow(0, 3, 0)
x.narrow(0, 0, -1); s.narrow(0, 0, 1); x.narrow(1, torch.tensor(1), 1); x.select(0, 1); x.select(0, 5)
x.select(3, 0); s.select(0, 0); x.select(1, -1); x.select(0, torch.tensor(1)); x.diagonal(); x.diagonal(1)
x.diagonal(5); x.diagonal(0, 0, 0); i.diagonal(); x.diagonal(-1, 1, 0); x.unfold(1, 2, 1); x.unfold(0, 3, 1)
x.unfold(0, 2, 0); x.unfold(0, -1, 1); s.unfold(0, 1, 1); i.unfold(0, 2, 2).stride(); x.unbind()
x.unbind(1); x.unbind(2); s.unbind(); x.split(1); x.split(2, 1); x.split([1, 2], 1); x.split(0); x.split(-1)
s.split(1); x.split([1, 2]); x.split([3, -1]); x.split(1.5); torch.split(i, 3); torch.zeros(0).split(2)
x.chunk(2, 1); i.chunk(3); x.chunk(0); s.chunk(2); torch.zeros(0).chunk(3); x.tensor_split(2, 1)
x.tensor_split([1, 2], 1); x.tensor_split((2, 1), 1); x.tensor_split(torch.tensor([1]), 1)
x.tensor_split(0); s.tensor_split(2); i.tensor_split(3); i.hsplit(2); x.hsplit(3); x.hsplit(2); x.vsplit(2)
i.vsplit(2); x.dsplit(2); s.hsplit(2); x.hsplit([1]); x.tril(); x.tril(1); x.triu(-1); x.triu(1); i.tril()
torch.tril_indices(2, 3); torch.triu_indices(3, 2, 1); torch.tril_indices(-1, 2)
torch.triu_indices(2, 2, dtype=torch.float); x.flip(0); x.flip(0, 1); x.flip([1]); x.flip(5); x.flip(0, 0)
s.flip(0); x.flip(); torch.flip(x, (0,)); x.fliplr(); x.flipud(); i.fliplr(); s.flipud(); x.roll(1)
x.roll(1, 0); x.roll((1, 2), (0, 1)); x.roll(1, (0, 1)); x.roll((1, 2)); x.roll(1, 5); x.rot90(); x.rot90(2)
x.rot90(-1, (1, 0)); x.rot90(1, (0, 0)); i.rot90(); x.rot90(1, (0,)); x.repeat(2, 1)
x.repeat(2, 1, 1).shape; x.repeat(2); x.repeat(2, -1); x.repeat(0, 1); s.repeat(3); x.tile(2)
x.tile((2, 2)).shape; i.tile(2, 2); x.repeat_interleave(2); x.repeat_interleave(2, 1)
x.repeat_interleave(torch.tensor([1, 2]), 0); x.repeat_interleave(torch.tensor([1, 2, 3]), 0)
x.repeat_interleave(-1); torch.repeat_interleave(torch.tensor([0, 2]))
x.repeat_interleave(torch.tensor([1., 2.]), 0); x.repeat_interleave(2, 0, output_size=5); torch.diag(i)
torch.diag(x); torch.diag(x, 1); torch.diag(s); torch.diag(x.unsqueeze(0)); torch.diag_embed(x)
torch.diag_embed(x, 1, 0, 2); torch.diag_embed(x, 0, 1, 1); torch.diagflat(x[:, :2])
torch.diagflat(i, -1).shape; x.diagonal_scatter(torch.ones(2)); x.diagonal_scatter(torch.ones(3))
x.select_scatter(torch.ones(3), 0, 1); x.select_scatter(torch.ones(2), 0, 1)
x.slice_scatter(torch.ones(2, 1), 1, 0, 1); x.slice_scatter(torch.ones(2, 2), 1, 0, 3, 2)
x.as_strided_scatter(torch.ones(2), (2,), (2,)); x.as_strided((2, 2), (1, 2)); x.as_strided((2,), (1,), 3)
x.as_strided((7,), (1,)); x.as_strided((2,), (-1,)); x.as_strided((2,), (1, 1)); x[1].as_strided((2,), (1,))
x[1].as_strided((2,), (1,), 0); torch.view_copy(x, (6,)); torch.t_copy(x); torch.expand_copy(i, (2, 4))
torch.unbind_copy(x); x.narrow_copy(1, 0, 2); torch.permute_copy(x, (1, 0)).stride()
torch.squeeze_copy(x[:1]); torch.diagonal_copy(x); x.unsqueeze_(0).shape; x.squeeze_().shape
x.transpose_(0, 1).stride(); x.t_().shape
(g * 1).t_().grad_fn.name()
(g * 1).squeeze_().grad_fn.name()
(g * 1).squeeze_(0).grad_fn.name()
g.t().grad_fn.name()
g.T.grad_fn.name()
(g * 1).unsqueeze_(0).grad_fn.name(); x.swapaxes_(0, 1).shape; i.as_strided_((2,), (2,)); x.size()
x.size(-1); x.size(5); x.stride(); x.stride(0); s.stride(); x.dim(); x.numel(); x.nelement()
x.element_size(); x.is_contiguous(); x.t().is_contiguous(); x.t().contiguous().stride()
torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).stride()
torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last)
x.contiguous(memory_format=torch.channels_last); torch.zeros(0, 3).stride(); torch.zeros(3, 0, 2).stride()
x.storage_offset(); x[1].storage_offset(); x[:, 1].storage_offset(); x[1, 1:].data_ptr() - x.data_ptr()
torch.zeros(3, 1).stride(); torch.numel(x); x.ndimension(); x.nbytes; x.itemsize
torch.zeros(2, 3).t().clone().stride(); torch.zeros(1, 4).expand(3, 4).clone().stride()
torch.zeros(3, 1).expand(3, 4).clone().stride(); torch.zeros(4, 6)[:, ::2].clone().stride()
torch.zeros(4, 6).t()[::2].clone().stride(); torch.zeros(2, 3, 4).permute(2, 0, 1).clone().stride()
torch.zeros(2, 3, 4).permute(2, 0, 1).double().stride()
torch.empty_like(torch.zeros(2, 3, 4).permute(2, 0, 1)).stride(); torch.zeros_like(x.t()).stride()
torch.zeros_like(x.t(), memory_format=torch.contiguous_format).stride()
torch.ones(2, 3).t().to(torch.float64).stride()
"""

JOINING = """
torch.cat([x, x]); torch.cat((x, x), 1); torch.cat([x, x], dim=-1); torch.cat([x, x], axis=1); torch.cat([])
torch.cat([x, i]); torch.cat([x, torch.zeros(2, 2)]); torch.cat([x, torch.zeros(2, 2)], 1)
torch.cat([s, s]); torch.cat(x); torch.cat([x, 1]); torch.cat([i, i], 2); torch.cat([torch.zeros(0), x], 1)
torch.cat([i, x[0]]); torch.cat([i, b]); torch.cat([x[0].half(), i.double()]).dtype; torch.cat([x, x], 1.)
torch.cat([torch.zeros(0), torch.zeros(0)]); torch.cat([x, x], out=torch.empty(0)); torch.cat([c, x[:, :2]])
torch.cat([torch.zeros(2, 3, dtype=torch.bfloat16), x]).dtype; torch.cat([x.t(), x.t()]).stride()
torch.concat([i, i]); torch.concatenate([i, i]); torch.stack([x, x]).shape; torch.stack([x, x], -1)
torch.stack([x, x], 3); torch.stack([]); torch.stack([i, x]); torch.stack([s, s])
torch.stack([i, i.double()]).dtype; torch.stack((i, i), dim=1)
torch.stack([x, x], out=torch.empty(0)).shape; torch.stack([i, i], axis=1); torch.stack(x.unbind())
torch.stack([i[:0], i[:0]]).shape; torch.hstack([i, i]); torch.hstack([x, x]); torch.hstack([s, s])
torch.hstack([]); torch.vstack([i, i]); torch.vstack([x, x]).shape; torch.row_stack([i, i])
torch.dstack([i, i]).shape; torch.dstack([x, x]).shape; torch.column_stack([i, i])
torch.column_stack([s, s]); torch.column_stack([x, x[:, 0]]); torch.block_diag(x, i); torch.block_diag(s, s)
torch.block_diag(); torch.block_diag(torch.zeros(1, 1, 1)); torch.block_diag(i, x).dtype
torch.meshgrid(i, x[0], indexing='ij'); torch.meshgrid(i, i[:2], indexing='xy')
torch.meshgrid([i, i[:2], i[:1]], indexing='xy')[2].shape; torch.meshgrid(x[0], x[1], indexing='ab')
torch.meshgrid(i, indexing='ij'); torch.meshgrid(x[0], x[1], indexing='xy')[0].stride()
torch.cartesian_prod(i, i[:2]); torch.cartesian_prod(i); torch.cartesian_prod(x, i); torch.combinations(i)
torch.combinations(i, 3); torch.combinations(i[:2], with_replacement=True); torch.combinations(x)
torch.combinations(i, 0); torch.combinations(i, -1); torch.vander(i); torch.vander(i, 3, True)
torch.vander(x[0], 2); torch.vander(x); torch.vander(i, 0).shape; torch.vander(b).dtype
torch.cat([g, g]).grad_fn.name(); torch.stack([g, g]).grad_fn.name(); torch.cat([g, g]).requires_grad
torch.cat([g, g], out=torch.empty(0)); torch.block_diag(g, g).grad_fn.name()
torch.autograd.grad(torch.cat([g, g * 2], 1).sum(), g)
torch.autograd.grad((torch.stack([g, g * 2], 1) * torch.arange(2.)[:, None]).sum(), g)
"""

CREATION = """
torch.zeros(2); torch.zeros(2, 3); torch.zeros((2, 3)); torch.zeros([2]); torch.zeros([]); torch.zeros(())
torch.zeros(2, -1); torch.zeros(2, 2.); torch.zeros('a'); torch.zeros(); torch.zeros(2, (3,))
torch.zeros(size=(2,)); torch.zeros(2, dtype=float); torch.zeros(2, dtype=int, requires_grad=True)
torch.zeros(2, dtype='f'); torch.zeros(2, device='cuda'); torch.zeros(2, device='cpu')
torch.zeros(2, pin_memory=True); torch.zeros(2, requires_grad=True); torch.zeros(torch.Size([2]))
torch.zeros(0, 3); torch.zeros(2, out=torch.ones(3)); torch.ones(2); torch.ones(2, 2, dtype=torch.bfloat16)
torch.ones(2, dtype=torch.bool); torch.ones(1, dtype=torch.complex64); torch.ones(3, -2)
torch.empty(2, 3).shape; torch.empty(2, -1)
torch.empty(2, 3, 4, 5, memory_format=torch.channels_last).stride(); torch.empty(2, dtype=torch.int8).dtype
torch.full((2,), 1); torch.full((2,), 1.5); torch.full((2,), True); torch.full((2,), 1j)
torch.full((2,), torch.tensor(2)); torch.full(2, 1); torch.full((2,), torch.tensor([2, 3]))
torch.full((2,), 1e40); torch.full((2,), -1, dtype=torch.uint8); torch.full((2,), 1j, dtype=torch.float)
torch.full((2,), 3, dtype=torch.float); torch.full((2,), float('inf')); torch.full((2,), float('nan'))
torch.full((1,), 300, dtype=torch.int8); torch.full((), 7); torch.full((2,), 2, dtype=torch.bool)
torch.arange(5); torch.arange(1, 2, .3); torch.arange(0, 1, 0); torch.arange(5, 0); torch.arange(5, 0, -2)
torch.arange(True); torch.arange(torch.tensor(3.)); torch.arange(float('nan')); torch.arange(float('inf'))
torch.arange(2, dtype=torch.bool); torch.arange(2, dtype=torch.complex64); torch.arange(start=1, end=3)
torch.arange(end=3); torch.arange(1.5, 5, 1.5, dtype=torch.int64); torch.arange(3, dtype=torch.float16)
torch.arange(0, 1, 0.1); torch.arange(-3, 3, 2); torch.arange(1, 3, requires_grad=True)
torch.arange(1., 3., requires_grad=True); torch.arange(0); torch.arange(2**40, 2**40 + 3)
torch.arange(10, 0, -3.5); torch.range(1, 4); torch.range(0, 1, 0.25); torch.linspace(0, 1, 3)
torch.linspace(0, 1, 1); torch.linspace(0, 1, 0); torch.linspace(0, 1, -1); torch.linspace(0, 1j, 3)
torch.linspace(0, 10, 5, dtype=torch.int32); torch.linspace(3, -3, 5, dtype=torch.float64)
torch.linspace(torch.tensor([1]), 1, 3); torch.linspace(torch.tensor(1), torch.tensor(2.), 3)
torch.linspace(0, 1, 3, dtype=torch.bfloat16); torch.linspace(0, 1, 7).tolist(); torch.logspace(0, 2, 3)
torch.logspace(0, 3, 4, base=2); torch.logspace(0, 1, 3, dtype=torch.int64)
torch.logspace(0, 1, 5).tolist(); torch.eye(2); torch.eye(2, 3); torch.eye(3, 2); torch.eye(0)
torch.eye(2, -1); torch.eye(-2); torch.eye(2, dtype=torch.bool); torch.eye(2.); torch.zeros_like(x)
torch.ones_like(x, dtype=torch.int64); torch.full_like(x, 2.5); torch.full_like(i, 2.5)
torch.empty_like(x).shape; torch.zeros_like(3); torch.zeros_like(g).requires_grad
torch.zeros_like(x, requires_grad=True); x.new_zeros(2); i.new_ones(2, 2); x.new_full((2,), 3)
x.new_empty((2, 1)).shape; x.new_zeros(2, dtype=torch.int32); x.new_empty_strided((2, 2), (1, 2)).stride()
x.new_tensor([1, 2]); i.new_tensor(2.7); x.new_zeros(); x.new_zeros(-1)
torch.empty_strided((2, 3), (1, 2)).stride(); torch.empty_strided((2,), (1, 2))
torch.empty_permuted((2, 3), (1, 0)).stride(); torch.empty_permuted((2, 3), (0, 0)); torch.scalar_tensor(3)
torch.scalar_tensor(3, dtype=torch.int32); torch.Tensor(2, 3).shape; torch.Tensor([1, 2]); torch.Tensor(2.5)
torch.Tensor(); torch.Tensor('a'); torch.Tensor(np.array([1, 2]))
torch.Tensor(x).data_ptr() == x.data_ptr(); torch.Tensor(torch.Size([2])).shape; torch.LongTensor([1, 2])
torch.LongTensor([1.5]); torch.FloatTensor([1]).dtype; isinstance(x, torch.FloatTensor)
isinstance(x, torch.LongTensor); torch.BoolTensor([1]); x.new([1, 2]); x.new().shape; torch.FloatTensor
torch.strided; torch.channels_last; torch.contiguous_format; x.layout; torch.memory_format; torch.layout
x.fill_(3); i.fill_(1.9); x.fill_(i); x.fill_(s); x.fill_('a'); i.to(torch.int8).fill_(300)
x.half().fill_(1e9); x.expand(2, 2, 3).fill_(1); x.zero_(); b.fill_(0); torch.fill(x, 2); x.copy_(i)
torch.zeros(1).copy_(i); torch.zeros(4).copy_(i); i.copy_(torch.ones(4) * 1.7); x.copy_(torch.ones(3))
torch.ones(3).copy_(torch.ones(1, 3)); x.copy_([1]); x.expand(2, 2, 3).copy_(torch.ones(2, 2, 3))
x.copy_(2); g.fill_(1.); g.clone().fill_(1.).grad_fn.name(); g.clone().zero_().grad_fn.name()
g.clone().copy_(g).grad_fn.name(); x.copy_(g).requires_grad; x.resize_(2, 2); x.resize_(3, 3).shape
g.resize_(2); x.resize_as_(i); x.set_(); x.set_(i); x.set_(i.float())
x.set_(x.untyped_storage(), 1, (2,), (2,))
"""

CONVERSION = """
torch.tensor([1, 2.]); torch.tensor([[1], [2, 3]]); torch.tensor('a'); torch.tensor(['a'])
torch.tensor([1, [2]]); torch.tensor([[1], 2]); torch.tensor([None]); torch.tensor(None); torch.tensor([])
torch.tensor([[]]); torch.tensor([[], []]); torch.tensor(2**63); torch.tensor([2**70])
torch.tensor(300, dtype=torch.uint8); torch.tensor(-1, dtype=torch.uint8)
torch.tensor(1.5, dtype=torch.int32); torch.tensor([1j]); torch.tensor([1j], dtype=torch.float)
torch.tensor([True, 2]); torch.tensor([torch.tensor(1.), 2]); torch.tensor([torch.tensor([1., 2])])
torch.tensor([1], requires_grad=True); torch.tensor([1.], requires_grad=True); torch.tensor({1: 2})
torch.tensor(range(3)); torch.tensor({1, 2}); torch.tensor(())
torch.tensor([float('nan')], dtype=torch.int64); torch.tensor(True); torch.tensor([1, 2], dtype=torch.bool)
torch.tensor(1e40, dtype=torch.float32); torch.tensor(1e10, dtype=torch.int32)
torch.tensor(70000., dtype=torch.half); torch.tensor([[1, 2], [3, 4.5]])
torch.tensor([[True, False], [1, 2]]); torch.tensor(((1, 2), [3, 4])); torch.tensor([1.5, True])
torch.tensor(np.float32(2)); torch.tensor(np.float64(2)).dtype; torch.tensor([np.float32(2)]).dtype
torch.tensor([np.int32(3)]).dtype; torch.tensor(np.array([1, 2]), dtype=torch.float)
torch.tensor(np.array(['a'])); torch.tensor(np.arange(4)[::-1]); torch.from_numpy(np.arange(4)[::-1])
torch.from_numpy([1]); torch.from_numpy(np.zeros(2, '>f4')); torch.from_numpy(np.zeros(2, object))
torch.tensor(np.zeros((2, 0))); torch.tensor([1, 2], dtype=float)
torch.tensor([1, 2], dtype=torch.bfloat16); torch.tensor([1, 2], device='cuda'); torch.tensor(3 + 0j)
torch.tensor([0.1], dtype=torch.float64).item(); torch.tensor(0.1).item(); torch.tensor([2**40])
torch.tensor([1e-50, 1e50]); torch.tensor([-129], dtype=torch.int8); torch.tensor([256], dtype=torch.uint8)
torch.tensor([2**63], dtype=torch.uint64); torch.as_tensor([1, 2]); torch.as_tensor(x) is x
torch.as_tensor(x, dtype=torch.int64); torch.as_tensor(np.arange(3)); torch.asarray(x) is x
torch.asarray([1., 2.]); torch.asarray(x, copy=True).data_ptr() == x.data_ptr()
torch.asarray([1], copy=False); torch.asarray(x, dtype=torch.int64, copy=False)
torch.frombuffer(bytearray(8), dtype=torch.int32); torch.frombuffer(bytearray(7), dtype=torch.int32)
torch.frombuffer(bytearray(8), dtype=torch.int16, count=2, offset=2)
torch.frombuffer(bytearray(8), dtype=torch.int32, offset=9)
torch.frombuffer(bytearray(8), dtype=torch.int32, count=3); torch.frombuffer(3, dtype=torch.int32)
torch.frombuffer(bytearray(0), dtype=torch.int32); torch.from_dlpack(np.arange(3))
np.from_dlpack(x).tolist(); torch.from_dlpack(x).data_ptr() == x.data_ptr(); x.numpy(); g.numpy()
g.numpy(force=True); x.bfloat16().numpy(); g.detach().numpy(); x.tolist(); s.tolist(); c.tolist()
x.bfloat16().tolist(); b.tolist(); x.item(); s.item(); torch.ones(1, 1).item(); s.bfloat16().item()
torch.zeros(0).item(); float(x); float(s); int(s); int(torch.tensor(1j)); float(torch.tensor(1j))
complex(s); bool(x); bool(torch.zeros(0)); bool(s); int(torch.tensor(float('nan')))
range(3)[torch.tensor(1)]; range(3)[torch.tensor(1.)]; range(3)[torch.tensor([1])]
range(3)[torch.tensor(True)]; range(3)[i]; len(x); len(s); list(s); [v.tolist() for v in x]; 3 in i; 9 in i
'a' in i; s in x; np.sin(x); np.add(x, 1); np.asarray(g); np.array(x, dtype=float); np.greater(x, 2)
np.asarray(x).dtype; np.asarray(x.bfloat16()); np.exp(s); x.to(torch.int64); x.to('cuda'); x.to(3)
x.to() is x; x.to('cpu', torch.double); x.to(i).dtype; x.to(torch.float32) is x
x.to(torch.float32, copy=True) is x; x.to(dtype=torch.half).dtype; x.to('cpu') is x
x.to(torch.device('cpu'), torch.int32).dtype; x.to([1]); x.double().dtype; x.float() is x; x.half().dtype
x.bfloat16().dtype; (x * 1.5).long(); (x - 3).byte(); (x * 0.4).bool(); x.int().dtype; x.short().dtype
x.char().dtype; x.cfloat(); x.cdouble().dtype; torch.tensor([300, -1]).to(torch.uint8)
torch.tensor([1.9, -1.9]).int(); torch.tensor([float('nan'), 0.]).bool(); torch.tensor([1e30]).half()
torch.tensor([0.1]).bfloat16(); c.to(torch.complex64).dtype; c.bool(); x.type(); x.type(torch.int32).dtype
x.type('torch.DoubleTensor').dtype; x.type('foo'); x.type(torch.LongTensor).dtype; i.type(); b.type()
c.type(); x.bfloat16().type(); x.type_as(i).dtype; x.cpu() is x; x.cuda(); x.pin_memory()
g.double().grad_fn.name(); g.long().requires_grad; g.to(torch.float64).requires_grad
torch.autograd.grad(g.double().sum(), g); torch.autograd.grad(g.half().sum(), g); g.detach().requires_grad
g.detach()._version; (g * 2).detach_().is_leaf; g.view(6).detach_(); g.clone().grad_fn.name()
x.clone().data_ptr() == x.data_ptr(); x.detach().data_ptr() == x.data_ptr(); x.detach()._is_view()
x.view(6)._is_view(); x.view(6)._base is x
"""

TENSOR = """
copy.copy(g); copy.copy(g).data_ptr() == g.data_ptr(); copy.deepcopy(g); copy.deepcopy(g * 2)
copy.deepcopy(x.t()).stride(); copy.deepcopy(x[1]).storage_offset()
copy.deepcopy([x, x[1]])[1].data_ptr() - copy.deepcopy([x, x[1]])[0].data_ptr() != 0
(lambda p: p[1].data_ptr() - p[0].data_ptr())(copy.deepcopy([x, x[1]]))
(lambda p: p[0] is p[1])(copy.deepcopy([x, x])); pickle.loads(pickle.dumps(g))
pickle.loads(pickle.dumps(g * 2)); pickle.loads(pickle.dumps(x.t())).stride()
pickle.loads(pickle.dumps(x.bfloat16())); pickle.loads(pickle.dumps(torch.zeros(0, 3))).shape
pickle.loads(pickle.dumps(s)); pickle.loads(pickle.dumps(torch.float32))
pickle.loads(pickle.dumps(torch.Size([2]))); pickle.loads(pickle.dumps(torch.device('cpu')))
pickle.loads(pickle.dumps(torch.channels_last)); copy.deepcopy(torch.float32) is torch.float32
copy.deepcopy(c); copy.deepcopy(torch.zeros(3).expand(2, 3)).stride(); copy.deepcopy(torch.nn.Parameter(x))
type(copy.deepcopy(torch.nn.Parameter(x))).__name__; pickle.loads(pickle.dumps(torch.nn.Parameter(x)))
x.untyped_storage().nbytes(); x[1].untyped_storage().nbytes(); x.untyped_storage().size()
len(i.untyped_storage()); i.untyped_storage()[8]; i.untyped_storage().tolist()[:9]
x.untyped_storage().data_ptr() == x.data_ptr(); x[1].untyped_storage().data_ptr() == x.data_ptr()
i[:1].untyped_storage().nbytes(); torch.is_storage(x.untyped_storage()); x.untyped_storage().device
torch.is_tensor(x); torch.is_tensor(3); torch.is_floating_point(x); x.is_floating_point()
i.is_floating_point(); torch.is_floating_point(3); c.is_complex(); x.is_complex(); i.is_signed()
i.byte().is_signed(); torch.is_nonzero(s); torch.is_nonzero(x); x.is_same_size(g); x.is_same_size(i)
x.is_conj(); x.is_neg(); torch.is_conj(x); torch.is_inference(x); x.is_pinned(); x.is_shared()
x.share_memory_().is_shared(); x.is_set_to(x); x.is_set_to(x.clone()); x.get_device()
torch.result_type(x, 1j); torch.result_type(1, 2.); torch.result_type(i, 1.); torch.result_type(i, s)
torch.result_type(i.int(), i); torch.result_type(True, 1); x.apply_(lambda v: v + 1); g.apply_(lambda v: v)
x.map_(x, lambda p, q: p * q); g.map_(g, lambda p, q: p); i.apply_(lambda v: v * 2); x.device; x.dtype
x.layout; x.is_cuda; x.requires_grad; x.is_leaf; x.names; x.nosuch; torch.typename(x); x.resolve_conj() is x
x.resolve_neg() is x; x.data_ptr() != 0; torch.empty(0).data_ptr(); x.is_distributed(); x.element_size()
x.long().element_size(); x.bfloat16().element_size(); x.dim_order(); x.t().dim_order()
x.requires_grad_(True).requires_grad; i.requires_grad_(True); bool(b[0]); x.view(6).tolist()
x.storage().tolist(); x.storage().size()
"""

FAMILIES = {
    "shape": SHAPE,
    "joining": JOINING,
    "creation": CREATION,
    "conversion": CONVERSION,
    "tensor": TENSOR,
}


def expressions(family):
    """The expressions of one family, in order."""
    return [
        e.strip() for line in FAMILIES[family].strip().splitlines() for e in line.split("; ") if e.strip()
    ]


def answer(expression, torch):
    """The text of an expression's value, or of its error (type and first line)."""
    import copy
    import pickle
    import warnings

    import numpy as np

    scope = {
        "torch": torch,
        "np": np,
        "copy": copy,
        "pickle": pickle,
        "x": torch.arange(6.0).view(2, 3),
        "i": torch.arange(4),
        "s": torch.tensor(2.0),
        "g": torch.ones(2, 3, requires_grad=True),
        "c": torch.tensor([[1 + 2j, 3j], [4, 5 - 1j]], dtype=torch.complex128),
        "b": torch.tensor([True, False, True]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(eval(expression, scope))
        except Exception as error:
            text = str(error).split("\n")[0].rstrip()
            return f"{type(error).__name__}: {text}"
