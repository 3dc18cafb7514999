"""A JAX loop of a few steps. `runahead record` runs it. JAX uses CUDA's driver API, not the runtime API.

  jax_loop.py [STEPS]
"""
import os
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    step = jax.jit(lambda x, w: x - 0.01 * (jnp.tanh(x @ w) @ w.T))
    keys = jax.random.split(jax.random.PRNGKey(1))
    x, w = jax.random.normal(keys[0], (256, 512)), jax.random.normal(keys[1], (512, 512))
    for _ in range(steps):
        x = step(x, w)
    print(float(x.block_until_ready().sum()))


main()
