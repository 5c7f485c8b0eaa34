"""Which PyTorch this is: the values behind ``torch.version``.

Programs ask ``torch.version`` and ``torch.__version__`` one question: may I use the API of release so-and-so?
The answer is the release whose behaviour is followed, and the local label after the plus sign says who
follows it. The version of the project itself is ``rushlight.__version__`` and is another number;
:mod:`rushlight.compat` tells where each is seen.
"""

from __future__ import annotations

__all__ = ["__version__", "cuda", "debug", "hip", "xpu"]

__version__ = "2.13.0+rushlight"
debug = False
cuda: str | None = None
hip: str | None = None
xpu: str | None = None
