"""The context managers of ``modes`` under PyTorch's module name."""
from .modes import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = ["no_grad", "enable_grad", "set_grad_enabled", "inference_mode"]
