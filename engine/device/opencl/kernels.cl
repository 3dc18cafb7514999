// The kernels of the OpenCL module: one for each primitive of Arithmetic (engine/device/arithmetic.h). CMake
// puts this text into the module, which compiles it when it opens a device. OpenCL C 1.2.
//
// RUNAHEAD_FP64 is defined if the device has double: then sums accumulate in double, and elementwise results
// and random numbers have the same bits as on the host. Without double, sums accumulate in pairs of floats,
// and normal numbers are computed in float.
//
// An array is a buffer and the index of its first element, because OpenCL 1.2 has no pointers into buffers.
#pragma OPENCL FP_CONTRACT OFF
#ifdef RUNAHEAD_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define THREADS 256  // items of a group, in all kernels with one dimension

// ---- elementwise ------------------------------------------------------------------------------------------

__kernel void fill(__global float* out, ulong out_at, ulong count, float value) {
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) out[out_at + i] = value;
}

// `what` is a value of WithScalar (arithmetic.h).
__kernel void with_scalar(int what, __global const float* a, ulong a_at, float s, __global float* out,
                          ulong out_at, ulong count) {
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    const float x = a[a_at + i];
    float value = 0.0f;
    switch (what) {
      case 0: value = x + s; break;
      case 1: value = x - s; break;
      case 2: value = x * s; break;
      case 3: value = x / s; break;
      default: value = x > 0.0f ? x : 0.0f; break;
    }
    out[out_at + i] = value;
  }
}

// `what` is a value of OfTwo (arithmetic.h).
__kernel void of_two(int what, __global const float* a, ulong a_at, __global const float* b, ulong b_at,
                     __global float* out, ulong out_at, ulong count) {
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    const float x = a[a_at + i], y = b[b_at + i];
    float value = 0.0f;
    switch (what) {
      case 0: value = x + y; break;
      case 1: value = x - y; break;
      case 2: value = x * y; break;
      case 3: value = x / y; break;
      default: value = y > 0.0f ? x : 0.0f; break;
    }
    out[out_at + i] = value;
  }
}

__kernel void subtract_scaled(__global const float* a, ulong a_at, float factor, __global float* out,
                              ulong out_at, ulong count) {
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    const float product = factor * a[a_at + i];
    out[out_at + i] -= product;
  }
}

// has_a 0: zeros are used instead of a.
__kernel void add_row(int has_a, __global const float* a, ulong a_at, __global const float* row, ulong row_at,
                      __global float* out, ulong out_at, ulong count, ulong columns) {
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
    const float add = row[row_at + i % columns];
    out[out_at + i] = has_a ? a[a_at + i] + add : add;
  }
}

// ---- random numbers: one item for four elements. The method: engine/device/random_math.h -------------------

uint4 words_of(ulong seed, ulong stream, ulong block) {
  uint4 counter = (uint4)((uint)block, (uint)(block >> 32), (uint)stream, (uint)(stream >> 32));
  uint key0 = (uint)seed, key1 = (uint)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint high0 = mul_hi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    const uint high1 = mul_hi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = (uint4)(high1 ^ counter.y ^ key0, low1, high0 ^ counter.w ^ key1, low0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

__kernel void uniform_numbers(__global float* out, ulong out_at, ulong count, ulong seed, ulong stream,
                              float low, float width, float below_high) {
  for (ulong block = get_global_id(0); 4 * block < count; block += get_global_size(0)) {
    const uint4 drawn = words_of(seed, stream, block);
    const uint words[4] = {drawn.x, drawn.y, drawn.z, drawn.w};
    for (uint lane = 0; lane < 4 && 4 * block + lane < count; ++lane) {
      const float value = low + (float)(words[lane] >> 8) * (1.0f / 16777216.0f) * width;
      out[out_at + 4 * block + lane] = value < below_high ? value : below_high;
    }
  }
}

#ifdef RUNAHEAD_FP64

// log_of_unit(), direction_of() and normal_of() of random_math.h, operation for operation.
double log_of_unit(uint word) {
  const ulong root_of_half = 0x3FE6A09E667F3BCDul, exponent_bits = 0xFFF0000000000000ul;
  const double x = (double)(int)(word ^ 0x80000000u) + 2147483649.0;
  const ulong bits = as_ulong(x), difference = bits - root_of_half;
  const int power = (int)(uint)(difference >> 32) >> 20;
  const double m = as_double(bits - (difference & exponent_bits));
  const double exponent = (double)(power - 32);
  const double t = (m - 1.0) / (m + 1.0), s = t * t;
  const double series = 1.0 + s * (1.0 / 3 + s * (1.0 / 5 + s * (1.0 / 7 + s * (1.0 / 9 + s * (1.0 / 11)))));
  return exponent * 0.693147180559945309417232121458176568 + 2.0 * t * series;
}

double2 direction_of(uint word) {
  const uint quarter = (word + 0x20000000u) >> 30;
  const int rest = (int)(word - (quarter << 30));
  const double a = (double)rest * (6.283185307179586476925286766559005768 / 4294967296.0), s = a * a;
  const double sine =
      a * (1.0 +
           s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 + s * (1.0 / 362880 + s * (-1.0 / 39916800))))));
  const double cosine =
      1.0 + s * (-1.0 / 2 +
                 s * (1.0 / 24 +
                      s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 + s * (1.0 / 479001600))))));
  const double c = (quarter & 1u) ? sine : cosine, n = (quarter & 1u) ? cosine : sine;
  const double x = ((quarter ^ (quarter >> 1)) & 1u) ? -c : c, y = (quarter >> 1) ? -n : n;
  return (double2)(x, y);
}

float2 normal_of(uint radius_word, uint angle_word, float mean, float deviation) {
  const double radius = sqrt(-2.0 * log_of_unit(radius_word));
  const double2 z = radius * direction_of(angle_word);
  return (float2)((float)(mean + deviation * z.x), (float)(mean + deviation * z.y));
}

#else

// The same in float. log1p() keeps the logarithm of a number just below 1 exact.
float2 normal_of(uint radius_word, uint angle_word, float mean, float deviation) {
  const float scale = 1.0f / 4294967296.0f;
  const float log_of_unit = radius_word >= 0x80000000u ? log1p(-(float)(0xFFFFFFFFu - radius_word) * scale)
                                                       : log(((float)radius_word + 1.0f) * scale);
  const float radius = sqrt(-2.0f * log_of_unit);
  const uint quarter = (angle_word + 0x20000000u) >> 30;
  const float angle = (float)(int)(angle_word - (quarter << 30)) * (6.28318530717958648f * scale);
  const float sine = sin(angle), cosine = cos(angle);
  const float c = (quarter & 1u) ? sine : cosine, n = (quarter & 1u) ? cosine : sine;
  const float x = ((quarter ^ (quarter >> 1)) & 1u) ? -c : c, y = (quarter >> 1) ? -n : n;
  return (float2)(mean + deviation * (radius * x), mean + deviation * (radius * y));
}

#endif

__kernel void normal_numbers(__global float* out, ulong out_at, ulong count, ulong seed, ulong stream,
                             float mean, float deviation) {
  for (ulong block = get_global_id(0); 4 * block < count; block += get_global_size(0)) {
    const uint4 words = words_of(seed, stream, block);
    const float2 front = normal_of(words.x, words.y, mean, deviation);
    const float2 back = normal_of(words.z, words.w, mean, deviation);
    const float values[4] = {front.x, front.y, back.x, back.y};
    for (uint lane = 0; lane < 4 && 4 * block + lane < count; ++lane)
      out[out_at + 4 * block + lane] = values[lane];
  }
}

// ---- sums -------------------------------------------------------------------------------------------------

#ifdef RUNAHEAD_FP64

typedef double sum_t;
typedef double divisor_t;
sum_t sum_of(float value) { return (double)value; }
sum_t add(sum_t a, sum_t b) { return a + b; }
sum_t squared_difference(float b, float a) {
  const double error = (double)b - (double)a;
  return error * error;
}
float quotient(sum_t sum, divisor_t divisor) { return (float)(sum / divisor); }

#else

// A sum is a float and what rounding took from it (Knuth's TwoSum).
typedef float2 sum_t;
typedef float divisor_t;
sum_t two_sum(float a, float b) {
  const float s = a + b, b_part = s - a;
  return (float2)(s, (a - (s - b_part)) + (b - b_part));
}
sum_t sum_of(float value) { return (float2)(value, 0.0f); }
sum_t add(sum_t a, sum_t b) {
  const float2 s = two_sum(a.x, b.x);
  return two_sum(s.x, s.y + (a.y + b.y));
}
sum_t squared_difference(float b, float a) {
  const float2 d = two_sum(b, -a);
  const float square = d.x * d.x;
  return two_sum(square, fma(d.x, d.x, -square) + 2.0f * d.x * d.y);
}
float quotient(sum_t sum, divisor_t divisor) { return (sum.x + sum.y) / divisor; }

#endif

// Each item of the group passes one value. Returns the sum of these values. The order of the additions is
// fixed, so that the sum always has the same bits.
sum_t sum_of_group(sum_t value, __local sum_t* parts) {
  const uint me = get_local_id(0);
  parts[me] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_ = THREADS / 2; half_ > 0; half_ /= 2) {
    if (me < half_) parts[me] = add(parts[me], parts[me + half_]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return parts[0];
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void sum_parts_of(
    __global const float* a, ulong a_at, ulong count, __global sum_t* parts) {
  __local sum_t shared[THREADS];
  sum_t sum = sum_of(0.0f);
  for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) sum = add(sum, sum_of(a[a_at + i]));
  sum = sum_of_group(sum, shared);
  if (get_local_id(0) == 0) parts[get_group_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void sum_of_parts(
    __global const sum_t* parts, uint count, divisor_t divisor, __global float* out, ulong out_at) {
  __local sum_t shared[THREADS];
  sum_t sum = sum_of(0.0f);
  for (uint i = get_local_id(0); i < count; i += THREADS) sum = add(sum, parts[i]);
  sum = sum_of_group(sum, shared);
  if (get_local_id(0) == 0) out[out_at] = quotient(sum, divisor);
}

// Each group sums 32 adjacent columns, with 8 items for each column.
#define COLUMNS 32
#define ROW_ITEMS (THREADS / COLUMNS)
__kernel __attribute__((reqd_work_group_size(COLUMNS, ROW_ITEMS, 1))) void sum_down(
    __global const float* a, ulong a_at, ulong rows, ulong columns, __global float* out, ulong out_at) {
  __local sum_t parts[ROW_ITEMS][COLUMNS];
  const ulong column = get_global_id(0);
  const uint mine = get_local_id(1);
  sum_t sum = sum_of(0.0f);
  if (column < columns) {
    for (ulong r = mine; r < rows; r += ROW_ITEMS) sum = add(sum, sum_of(a[a_at + r * columns + column]));
  }
  parts[mine][get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (mine != 0 || column >= columns) return;
  for (uint r = 1; r < ROW_ITEMS; ++r) sum = add(sum, parts[r][get_local_id(0)]);
  out[out_at + column] = quotient(sum, 1.0f);
}

__kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void half_squared_errors(
    __global const float* a, ulong a_at, __global const float* b, ulong b_at, ulong columns,
    __global float* out, ulong out_at) {
  __local sum_t shared[THREADS];
  const ulong begin = get_group_id(0) * columns;
  sum_t sum = sum_of(0.0f);
  for (ulong c = get_local_id(0); c < columns; c += THREADS)
    sum = add(sum, squared_difference(b[b_at + begin + c], a[a_at + begin + c]));
  sum = sum_of_group(sum, shared);
  if (get_local_id(0) == 0) out[out_at + get_group_id(0)] = quotient(sum, 2.0f);
}

// ---- products ---------------------------------------------------------------------------------------------

// c = op(a) x op(b) + beta * c. A group of 16 x 16 items computes a tile of 64 x 64 elements, 4 x 4 for each
// item. It goes through k in steps of 16, and keeps these parts of both operands in local memory.
#define SIDE 16
#define EACH 4
#define TILE (SIDE * EACH)
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void product(
    ulong m, ulong n, ulong k, int transpose_a, int transpose_b, float beta, __global const float* a,
    ulong a_at, __global const float* b, ulong b_at, __global float* c, ulong c_at) {
  __local float of_a[SIDE][TILE + 1], of_b[SIDE][TILE + 1];
  const uint x = get_local_id(0), y = get_local_id(1), item = y * SIDE + x;
  const ulong first_row = get_group_id(1) * TILE, first_column = get_group_id(0) * TILE;
  float sums[EACH][EACH];
  for (uint i = 0; i < EACH; ++i) {
    for (uint j = 0; j < EACH; ++j) sums[i][j] = 0.0f;
  }
  for (ulong step = 0; step < k; step += SIDE) {
    for (uint at = item; at < SIDE * TILE; at += SIDE * SIDE) {
      // Neighbouring items read neighbouring elements, so the order depends on how the operand lies in memory.
      const uint a_depth = transpose_a ? at / TILE : at % SIDE, a_row = transpose_a ? at % TILE : at / SIDE;
      const uint b_depth = transpose_b ? at % SIDE : at / TILE, b_column = transpose_b ? at / SIDE : at % TILE;
      const ulong row = first_row + a_row, column = first_column + b_column;
      const ulong depth_a = step + a_depth, depth_b = step + b_depth;
      of_a[a_depth][a_row] =
          row < m && depth_a < k ? a[a_at + (transpose_a ? depth_a * m + row : row * k + depth_a)] : 0.0f;
      of_b[b_depth][b_column] =
          column < n && depth_b < k ? b[b_at + (transpose_b ? column * k + depth_b : depth_b * n + column)] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint depth = 0; depth < SIDE; ++depth) {
      float mine_a[EACH], mine_b[EACH];
      for (uint i = 0; i < EACH; ++i) mine_a[i] = of_a[depth][y + i * SIDE];
      for (uint j = 0; j < EACH; ++j) mine_b[j] = of_b[depth][x + j * SIDE];
      for (uint i = 0; i < EACH; ++i) {
        for (uint j = 0; j < EACH; ++j) sums[i][j] += mine_a[i] * mine_b[j];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = 0; i < EACH; ++i) {
    for (uint j = 0; j < EACH; ++j) {
      const ulong row = first_row + y + i * SIDE, column = first_column + x + j * SIDE;
      if (row >= m || column >= n) continue;
      const ulong at = c_at + row * n + column;
      c[at] = beta == 0.0f ? sums[i][j] : sums[i][j] + beta * c[at];
    }
  }
}
