// The functions of the module that make or change arrays. Each enqueues one op.
#pragma once

#include "engine/python/module/python_object.h"

namespace runahead::engine::python {

[[nodiscard]] bool add_operations(PyObject* module);

}  // namespace runahead::engine::python
