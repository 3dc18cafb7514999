"""Lesson 10. hybridize() traces the network once. Here the traced ops are still enqueued one by one."""
from d2l import mxnet as d2l
from mxnet import init, np, npx
from mxnet.gluon import nn

TIMES = 1000

npx.set_np()


def measure(name):
    net(x)  # the first call makes the parameters, or traces the network
    npx.waitall()
    with d2l.Benchmark(name):
        for _ in range(TIMES):
            net(x)
        npx.waitall()


x = np.random.normal(size=(1, 512))
net = nn.HybridSequential()
net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
net.initialize(init.Normal(sigma=0.01))
measure("imperative")
net.hybridize()
measure("hybridized")
