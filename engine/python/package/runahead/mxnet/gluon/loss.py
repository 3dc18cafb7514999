"""mx.gluon.loss: one loss for each row of a batch."""

import math

from ... import _runahead as engine
from ... import missing, ops
from ...ops import shape_of
from ..numpy_extension import reshape_like
from .block import Block

__getattr__ = missing.names_of("mxnet.gluon.loss")


class Loss(Block):
    """The base of all losses. The batch is axis 0; `weight` multiplies the loss."""

    def __init__(self, weight=None, batch_axis=0, **keywords):
        super().__init__(**keywords)
        if batch_axis != 0:
            raise missing.unsupported(f"a loss with batch_axis={batch_axis}")
        self._weight = weight

    def __repr__(self):
        return f"{type(self).__name__}(batch_axis=0, w={self._weight})"

    @staticmethod
    def _weighted(loss, factor, sample_weight):
        if sample_weight is not None:
            loss = loss * sample_weight
        return loss if factor in (None, 1.0) else loss * factor

    @staticmethod
    def _mean_of_rows(loss):
        return loss if loss.ndim <= 1 else ops.reduce("mean", loss, tuple(range(1, loss.ndim)))


class L2Loss(Loss):
    """weight * (prediction - label)^2 / 2, averaged over each row. One op if no sample has a weight."""

    def __init__(self, weight=1.0, batch_axis=0, **keywords):
        super().__init__(weight, batch_axis, **keywords)

    def forward(self, pred, label, sample_weight=None):
        label = reshape_like(label, pred)
        if sample_weight is not None:
            loss = engine.unary("square", pred - label) * sample_weight
            return self._weighted(self._mean_of_rows(loss), self._weight / 2, None)
        columns = math.prod(shape_of(pred)[1:])
        return self._weighted(engine.l2_loss(pred, label), self._weight / columns, None)


class L1Loss(Loss):
    """weight * |prediction - label|, averaged over each row."""

    def forward(self, pred, label, sample_weight=None):
        loss = engine.unary("abs", pred - reshape_like(label, pred))
        return self._mean_of_rows(self._weighted(loss, self._weight, sample_weight))


class SoftmaxCrossEntropyLoss(Loss):
    """-log(softmax(prediction)[label]) for each row. With sparse_label=False the labels are rows of probabilities."""

    def __init__(self, axis=-1, sparse_label=True, from_logits=False, weight=None, batch_axis=0, **keywords):
        super().__init__(weight, batch_axis, **keywords)
        self._axis, self._sparse, self._is_log = axis, sparse_label, from_logits

    def forward(self, pred, label, sample_weight=None):
        if pred.ndim != 2 or ops.as_axis(self._axis, 2) != 1:
            raise missing.unsupported("SoftmaxCrossEntropyLoss of anything but the rows of a matrix")
        log = pred if self._is_log else ops.log_softmax(pred, 1)
        if self._sparse:
            chosen = engine.pick(log, ops.reshape(label, (-1,)) if label.ndim != 1 else label)
        else:
            chosen = ops.reduce("sum", log * reshape_like(label, log), 1)
        if sample_weight is not None and sample_weight.ndim > 1:  # a column, as MXNet wants it: the losses are a vector
            sample_weight = ops.reshape(sample_weight, (-1,))
        return self._weighted(-chosen, self._weight, sample_weight)


SoftmaxCELoss = SoftmaxCrossEntropyLoss
