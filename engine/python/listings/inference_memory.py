"""Lesson 7. Prediction runs ahead too: each batch that waits for its turn holds its input and its output."""
from mxnet import init, np, npx
from mxnet.gluon import nn

import runahead

BATCHES, BATCH, FEATURES = 300, 256, 512

npx.set_np()
net = nn.Sequential()
net.add(nn.Dense(1024, activation="relu"), nn.Dense(512, activation="relu"), nn.Dense(10))
net.initialize(init.Normal(sigma=0.01), ctx=npx.gpu())

for _ in range(BATCHES):
    x = np.random.normal(size=(BATCH, FEATURES))
    scores = net(x.as_in_ctx(npx.gpu()))
    runahead.step()  # a step ends here: the barrier of the window applies

npx.waitall()
print("mean score", scores.mean())
