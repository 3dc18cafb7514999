# The faults of tests/host_cuda/planted_test.cpp. runahead_plant() is described in host_source.cmake.
runahead_plant("elementwise: one element too many" "i < count; i += stride()) function(i)"
  "@ ? i <= count : i < count; i += stride()) function(i)")
runahead_plant("elementwise: blocks begin at the wrong element" "(blockIdx.x) * blockDim.x + threadIdx.x"
  "(blockIdx.x) * (@ ? 1 : blockDim.x) + threadIdx.x")
runahead_plant("elementwise: half of the stride" "(gridDim.x) * blockDim.x; }" "(gridDim.x) * blockDim.x / (@ ? 2 : 1); }")
runahead_plant("a wrong operator" "out[i] = x - s" "out[i] = @ ? s - x : x - s")
runahead_plant("a row is added by the row's number" "row[i % columns]" "row[@ ? i / columns : i % columns]")
runahead_plant("uniform: one number too many"
  "4 * block + lane < count; ++lane)\n      out[4 * block + lane] = random_math"
  "4 * block + lane < count + (@ ? 1 : 0); ++lane)\n      out[4 * block + lane] = random_math")
runahead_plant("normal: a word is used twice" "normal_of(words.at[2], words.at[3])" "normal_of(words.at[@ ? 1 : 2], words.at[3])")
runahead_plant("sum: no barrier before the first step" "= value;\n  __syncthreads();" "= value;\n  if (!@) __syncthreads();")
runahead_plant("sum: no barrier between two steps" "+ half];\n    __syncthreads();" "+ half];\n    if (!@) __syncthreads();")
runahead_plant("sum: a barrier that only some threads reach" "if (threadIdx.x < half) parts[threadIdx.x] +="
  "if (@ && threadIdx.x < half) __syncthreads();\n    if (threadIdx.x < half) parts[threadIdx.x] +=")
runahead_plant("sum: half of the width" "half = kThreads / 2;" "half = kThreads / (@ ? 4 : 2);")
runahead_plant("sum: the last step is missing" "half > 0; half /= 2" "half > (@ ? 1 : 0); half /= 2")
runahead_plant("sum: one cell beyond the shared array" "parts[threadIdx.x + half];" "parts[threadIdx.x + half + (@ && threadIdx.x == half - 1 ? 1 : 0)];")
runahead_plant("sum: the first element is left out" "for (std::int64_t i = first_index(); i < count; i += stride()) sum +="
  "for (std::int64_t i = first_index() + (@ ? 1 : 0); i < count; i += stride()) sum +=")
runahead_plant("sum: a part is stored at the wrong place" "parts[blockIdx.x] = sum" "parts[blockIdx.x + (@ ? 1 : 0)] = sum")
runahead_plant("sum: one part too many" "i < count; i += kThreads) sum += parts[i]"
  "i < count + (@ ? 1 : 0); i += kThreads) sum += parts[i]")
runahead_plant("sum: more parts than the buffer has" "all < kSumParts ? all" "all < kSumParts || @ ? all")
runahead_plant("sum of rows: one column too many is written" "column >= columns) return;" "column >= columns + (@ ? 1 : 0)) return;")
runahead_plant("sum of rows: rows are added twice" "r < rows; r += kRowThreads)" "r < rows; r += kRowThreads - (@ ? 1 : 0))")
runahead_plant("sum of rows: a row of threads is left out" "r < kRowThreads; ++r)" "r < kRowThreads - (@ ? 1 : 0); ++r)")
runahead_plant("sum of rows: no barrier" "[threadIdx.x] = sum;\n  __syncthreads();" "[threadIdx.x] = sum;\n  if (!@) __syncthreads();")
runahead_plant("sum of rows: threads end before the barrier" "parts[threadIdx.y][threadIdx.x] = sum;"
  "if (@ && column >= columns) return;\n  parts[threadIdx.y][threadIdx.x] = sum;")
runahead_plant("loss: one column too many" "c < columns; c += kThreads)" "c < columns + (@ ? 1 : 0); c += kThreads)")
runahead_plant("loss: the last row is left out" "half_squared_errors<<<static_cast<unsigned>(p.rows)"
  "half_squared_errors<<<static_cast<unsigned>(p.rows - (@ ? 1 : 0))")
