"""Records what nn/test_init.py and nn/test_layers.py compare with. Run it where PyTorch is installed:

python tests/golden/make_nn.py
"""

import json
import pathlib

import torch

HERE = pathlib.Path(__file__).parent / "nn"

INITS = [
    ([3, 4], "uniform_(t)"),
    ([3, 4], "uniform_(t, -2, 5)"),
    ([4, 5], "normal_(t, 1, 0.5)"),
    ([3], "normal_(t)"),
    ([3, 3], "trunc_normal_(t)"),
    ([5, 5], "trunc_normal_(t, 0, 1, -0.5, 2)"),
    ([4, 4], "trunc_normal_(t, 0, 1, 1, 2)"),
    ([30], "trunc_normal_(t, 0, 2, -0.1, 0.1)"),
    ([2, 2], "constant_(t, 0.3)"),
    ([2], "ones_(t)"),
    ([2], "zeros_(t)"),
    ([2, 3], "eye_(t)"),
    ([4, 2, 3], "dirac_(t)"),
    ([4, 2, 3, 3], "dirac_(t, 2)"),
    ([2, 2, 1, 3, 3], "dirac_(t)"),
    ([3, 5], "xavier_uniform_(t)"),
    ([3, 5, 2], "xavier_uniform_(t, 2.0)"),
    ([3, 5], "xavier_normal_(t)"),
    ([4, 5], "xavier_normal_(t, 1.5)"),
    ([3, 5], "kaiming_uniform_(t)"),
    ([3, 5], "kaiming_uniform_(t, 0.1, 'fan_out', 'leaky_relu')"),
    ([3, 5], "kaiming_uniform_(t, nonlinearity='relu')"),
    ([4, 5], "kaiming_normal_(t)"),
    ([2, 3, 3], "kaiming_normal_(t, mode='fan_out', nonlinearity='tanh')"),
    ([3, 3], "orthogonal_(t)"),
    ([2, 5], "orthogonal_(t, 2.0)"),
    ([5, 2], "orthogonal_(t)"),
    ([3, 2, 2], "orthogonal_(t)"),
    ([6, 3], "sparse_(t, 0.4)"),
    ([6, 3], "sparse_(t, 0.4, 2.0)"),
]

LAYERS = """
Identity(3, x=4)
Linear(3, 2)
Linear(3, 2, bias=False)
Linear(20, 3, dtype=torch.float64)
Bilinear(2, 3, 2)
Flatten()
Flatten(0, 1)
Unflatten(1, (2, 3))
Sequential(Linear(2, 3), torch.nn.ReLU(), torch.nn.Sequential(torch.nn.Linear(3, 1)))
Threshold(0.1, 20)
Threshold(0.1, 20, True)
ReLU()
ReLU(inplace=True)
RReLU()
RReLU(0.1, 0.3, True)
Hardtanh()
Hardtanh(-2, 2, True)
ReLU6()
ReLU6(True)
Sigmoid()
Hardsigmoid(True)
Tanh()
SiLU()
SiLU(True)
Mish()
Hardswish(True)
ELU()
ELU(2.0, True)
CELU(0.5)
SELU(True)
GLU()
GLU(1)
GELU()
GELU('tanh')
Hardshrink()
Softshrink(0.7)
LeakyReLU()
LeakyReLU(0.2, True)
LogSigmoid()
Softplus()
Softplus(2, 10)
PReLU()
PReLU(3, 0.1)
Softsign()
Tanhshrink()
Softmin(1)
Softmax()
Softmax(-1)
Softmax2d()
LogSoftmax(0)
Dropout()
Dropout(0.2, True)
Dropout1d()
Dropout2d(0.1)
Dropout3d()
AlphaDropout()
FeatureAlphaDropout()
Embedding(4, 3)
Embedding(4, 3, padding_idx=-1, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True)
EmbeddingBag(4, 3)
EmbeddingBag(4, 3, max_norm=2.0, norm_type=1.0, mode='sum', padding_idx=0)
LayerNorm(4)
LayerNorm((2, 3), eps=1e-3, bias=False)
LayerNorm([2], elementwise_affine=False)
GroupNorm(2, 4)
GroupNorm(2, 4, affine=False)
RMSNorm(3)
RMSNorm((2, 3), eps=1e-6, elementwise_affine=False)
LocalResponseNorm(2)
BatchNorm1d(3)
BatchNorm2d(3, momentum=None, affine=False)
BatchNorm3d(2, track_running_stats=False)
BatchNorm1d(2, bias=False)
InstanceNorm1d(3)
InstanceNorm2d(3, affine=True, track_running_stats=True)
InstanceNorm3d(2)
Conv2d(2, 4, 3)
Conv2d(2, 4, (3, 1), stride=2, padding=(1, 0), dilation=2, groups=2, bias=False, padding_mode='circular')
Conv2d(1, 2, 3, padding='same')
MaxPool2d(2)
MaxPool2d((2, 1), stride=1, padding=1, dilation=1, ceil_mode=True)
AvgPool2d(2)
AvgPool2d(3, (1, 2), 1)
AdaptiveAvgPool2d((None, 3))
Conv1d(2, 4, 3, dilation=2)
Conv3d(2, 4, (1, 2, 3), padding=(0, 1, 0), groups=2)
ConvTranspose1d(2, 4, 3, stride=2, output_padding=1)
ConvTranspose2d(4, 2, (3, 2), stride=2, padding=1, groups=2, bias=False)
ConvTranspose3d(1, 2, 2, dilation=2)
MaxPool1d(2, padding=1)
MaxPool3d((2, 1, 1), return_indices=True)
MaxUnpool1d(2)
MaxUnpool2d(3, stride=2)
MaxUnpool3d(2, padding=1)
AvgPool1d(2, padding=1)
AvgPool3d((2, 1, 1))
FractionalMaxPool2d(2, output_size=3)
FractionalMaxPool3d(2, output_ratio=0.5)
LPPool1d(2, 3)
LPPool2d(1.5, (2, 1), stride=1, ceil_mode=True)
LPPool3d(2, 2)
AdaptiveMaxPool1d(3)
AdaptiveMaxPool2d((None, 2))
AdaptiveMaxPool3d((1, 2, 3), return_indices=True)
AdaptiveAvgPool1d(2)
AdaptiveAvgPool3d((None, 2, 1))
CircularPad1d(1)
CircularPad2d((1, 2, 3, 4))
CircularPad3d(1)
ConstantPad1d((1, 2), 0.5)
ConstantPad2d(1, 2)
ConstantPad3d(1, -1.0)
ReflectionPad1d(1)
ReflectionPad2d((1, 0, 0, 1))
ReflectionPad3d(1)
ReplicationPad1d(1)
ReplicationPad2d(1)
ReplicationPad3d((1, 2, 3, 4, 5, 6))
ZeroPad1d(1)
ZeroPad2d((1, 2, 0, 0))
ZeroPad3d(1)
Upsample(scale_factor=2)
Upsample(size=(3, 4), mode='bilinear', align_corners=True)
UpsamplingNearest2d(scale_factor=(2, 3))
UpsamplingBilinear2d(4)
Fold((4, 5), 2, padding=1)
Unfold((2, 1), stride=2)
PixelShuffle(3)
PixelUnshuffle(2)
ChannelShuffle(4)
CrossMapLRN2d(3, 0.5)
SyncBatchNorm(3)
CosineSimilarity()
PairwiseDistance()
L1Loss()
NLLLoss(torch.tensor([1.0, 2.0]))
CrossEntropyLoss(label_smoothing=0.1)
BCEWithLogitsLoss(pos_weight=torch.tensor([3.0]))
PoissonNLLLoss()
GaussianNLLLoss()
KLDivLoss()
MSELoss()
BCELoss()
HingeEmbeddingLoss()
MultiLabelMarginLoss()
SmoothL1Loss()
HuberLoss()
SoftMarginLoss()
MultiLabelSoftMarginLoss()
CosineEmbeddingLoss()
MarginRankingLoss()
MultiMarginLoss()
TripletMarginLoss()
TripletMarginWithDistanceLoss()
""".strip().splitlines()


def record_init(shape, call):
    torch.manual_seed(1)
    t = torch.empty(shape)
    eval(f"torch.nn.init.{call}", {"torch": torch, "t": t})
    return {"shape": shape, "call": call, "values": t.flatten().tolist(), "next": torch.rand(1).item()}


def record_layer(make):
    make = make.replace("(Linear", "(torch.nn.Linear")
    torch.manual_seed(2)
    layer = eval(f"torch.nn.{make}", {"torch": torch})
    state = {k: v.flatten().tolist() for k, v in layer.state_dict().items()}
    return {"make": make, "repr": repr(layer), "state": state}


def write(name, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / name).write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    write("init.json", [record_init(*case) for case in INITS])
    write("layers.json", [record_layer(make) for make in LAYERS])
