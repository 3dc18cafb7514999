"""The error for a name of another library that Runahead lacks."""


def names_of(module):
    """Returns a __getattr__ for a module such as "mxnet.np". It says which name of which module is missing."""

    def missing(name):
        raise AttributeError(f"{module}.{name}: Runahead's {module} has no name '{name}'")

    return missing


def unsupported(what):
    """Returns the error for an argument that Runahead cannot honour."""
    return NotImplementedError(f"{what}: Runahead does not have this")
