"""Lesson 6. Without a wait in each batch, all batches are in memory at once. Choose a barrier while this runs."""
from mxnet import autograd, gluon, init, np, npx
from mxnet.gluon import nn

BATCHES, BATCH, FEATURES = 300, 256, 512

npx.set_np()
net = nn.Sequential()
net.add(nn.Dense(512, activation="relu"), nn.Dense(256, activation="relu"), nn.Dense(1))
net.initialize(init.Normal(sigma=0.01), ctx=npx.gpu())
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.005})
l2_loss = gluon.loss.L2Loss()


def batches():
    for _ in range(BATCHES):
        yield np.random.normal(size=(BATCH, FEATURES)), np.ones((BATCH, 1))


for x, y in batches():
    with autograd.record():
        loss = l2_loss(net(x.as_in_ctx(npx.gpu())), y.as_in_ctx(npx.gpu()))
    loss.backward()
    trainer.step(BATCH)  # a step ends here: the barrier of the window applies
    # loss.mean().item() would wait in each batch: slower, and with less memory

npx.waitall()
print("last loss", loss.mean())
