"""torch.nn.Module and torch.nn.Parameter."""

from ... import _runahead as engine
from ... import missing
from .. import _tensor

__getattr__ = missing.names_of("torch.nn.module")


def Parameter(data, requires_grad=True):
    """A tensor that a Module counts among its parameters, because it is a leaf that requires a gradient."""
    return data.detach().requires_grad_(requires_grad)


class Module:
    """A part of a network. A subclass puts modules and parameters into attributes, and defines forward()."""

    training = True

    def __init__(self):
        self.__dict__.update(_parameters={}, _modules={}, _buffers={})

    def __setattr__(self, name, value):
        if "_modules" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__}: call super().__init__() before you set attributes")
        for kind in (self._parameters, self._modules):
            kind.pop(name, None)
        if isinstance(value, Module):
            self._modules[name] = value
        elif isinstance(value, _tensor.Tensor) and value.requires_grad and value.is_leaf:
            self._parameters[name] = value
        self.__dict__[name] = value

    def __call__(self, *arguments, **keywords):
        return self.forward(*arguments, **keywords)

    def forward(self, *arguments):
        raise NotImplementedError(f"{type(self).__name__} has no forward()")

    def add_module(self, name, module):
        setattr(self, name, module)

    def register_buffer(self, name, tensor):
        """Keeps a tensor that is no parameter, but moves with the module."""
        self._buffers[name] = tensor
        self.__dict__[name] = tensor

    # ---- parts ----

    def children(self):
        return iter(self._modules.values())

    def named_children(self):
        return iter(self._modules.items())

    def modules(self):
        yield self
        for module in self._modules.values():
            yield from module.modules()

    def named_parameters(self, prefix=""):
        yield from self._named("_parameters", prefix)

    def parameters(self):
        return (parameter for _, parameter in self.named_parameters())

    def _named(self, kind, prefix):
        for name, tensor in getattr(self, kind).items():
            yield prefix + name, tensor
        for name, module in self._modules.items():
            yield from module._named(kind, f"{prefix}{name}.")

    def state_dict(self):
        """The values of all parameters and buffers, by name."""
        return {name: tensor.detach() for kind in ("_parameters", "_buffers") for name, tensor in self._named(kind, "")}

    def load_state_dict(self, state_dict):
        """Replaces the values of all parameters and buffers."""
        own = self.state_dict()
        different = sorted(own.keys() ^ state_dict.keys())
        if different:
            where = "is missing" if different[0] in own else "is not part of the module"
            raise RuntimeError(f"load_state_dict: {different[0]} {where}")
        for name, tensor in own.items():
            tensor.copy_(state_dict[name])

    # ---- changes ----

    def apply(self, fn):
        """Calls fn(module) for all modules in this one, then for this one."""
        for module in self._modules.values():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *place, **keywords):
        """Moves all parameters. Make the optimizer afterwards: the parameters are new tensors."""
        for module in self.modules():
            for name, tensor in list(module._parameters.items()):
                moved = tensor.detach().to(*place, **keywords)
                if moved.device != tensor.device:
                    setattr(module, name, moved.requires_grad_())
            for name, tensor in list(module._buffers.items()):
                module.register_buffer(name, tensor.to(*place, **keywords))
        return self

    def cpu(self):
        return self.to("cpu")

    def cuda(self, device=None):
        return self.to("cuda" if device is None else device)

    def train(self, mode=True):
        for module in self.modules():
            module.__dict__["training"] = mode
        return self

    def eval(self):
        return self.train(False)

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    # ---- text ----

    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = [f"  ({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        body = "\n" + "\n".join(lines) + "\n" if lines else ""
        return f"{type(self).__name__}({self.extra_repr()}{body})"


def clear_grad(parameter, set_to_none):
    """Removes the gradient of a parameter, or fills it with zeros."""
    if set_to_none:
        parameter.grad = None
    elif parameter.grad is not None:
        engine.assign(parameter.grad, 0.0)
