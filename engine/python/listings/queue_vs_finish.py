"""Lesson 3. A product in no time: the first stopwatch stops when the op is enqueued, the second when y is there."""
from d2l import mxnet as d2l
from mxnet import np, npx

SIZE = 1500

x = np.random.uniform(size=(SIZE, SIZE))
npx.waitall()  # x exists before the stopwatches start

timer = d2l.Timer()
y = np.dot(x, x).sum()
print(f"enqueued after {timer.stop():.5f} s")
print("y =", y.item())
print(f"finished after {timer.stop():.5f} s")
