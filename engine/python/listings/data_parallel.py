"""Lesson 11. Each batch is split over two devices. Their gradients are added before each step."""
from d2l import mxnet as d2l
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn

BATCHES, BATCH, FEATURES = 40, 512, 256

npx.set_np()
devices = d2l.try_all_gpus()[:2]
net = nn.Sequential()
net.add(nn.Dense(256, activation="relu"), nn.Dense(1))
net.initialize(init.Normal(sigma=0.01), ctx=devices)
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.005})
l2_loss = gluon.loss.L2Loss()

for _ in range(BATCHES):
    x, y = np.random.normal(size=(BATCH, FEATURES)), np.ones((BATCH, 1))
    x_parts, y_parts = d2l.split_batch(x, y, devices)
    with autograd.record():
        losses = [l2_loss(net(part), label) for part, label in zip(x_parts, y_parts)]
    for loss in losses:
        loss.backward()
    trainer.step(BATCH)  # adds the gradients of the devices, and updates each device's copy

npx.waitall()
print("last loss", sum(loss.mean().item() for loss in losses) / len(losses))
