-- The rules of `nsys analyze`, written by hand from NVIDIA's documentation, for an SQLite export of Nsight Systems:
--   sqlite3 FILE < scripts/lab/nsys-rules.sql
-- One line for each rule: name, device (or empty), rows, time in ns. docs/causes.md compares them with the findings
-- nsys_* of `runahead explain FILE --json`.
CREATE TEMP VIEW call AS
  SELECT r.start, r.end, r.correlationId, r.globalTid >> 24 AS pid, s.value AS name
  FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId;
CREATE TEMP VIEW op AS
  SELECT start, end, deviceId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL
  UNION ALL SELECT start, end, deviceId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMCPY
  UNION ALL SELECT start, end, deviceId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET;

-- asynchronous copies of pageable memory (0: pageable)
SELECT 'cuda_memcpy_async', '', count(*), coalesce(sum(m.end - m.start), 0)
FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN call c ON c.correlationId = m.correlationId AND c.pid = m.globalPid >> 24
WHERE c.name LIKE 'cudaMemcpy%Async%' AND (m.srcKind = 0 OR m.dstKind = 0);

-- synchronous copies, but not within a device (8), and not of 64 KiB or less to a device (1)
SELECT 'cuda_memcpy_sync', '', count(*), coalesce(sum(m.end - m.start), 0)
FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN call c ON c.correlationId = m.correlationId AND c.pid = m.globalPid >> 24
WHERE c.name LIKE 'cudaMemcpy%' AND c.name NOT LIKE '%Async%' AND m.copyKind <> 8
  AND NOT (m.copyKind = 1 AND m.bytes <= 65536);

-- synchronous memsets of pinned (1) or managed (4) memory
SELECT 'cuda_memset_sync', '', count(*), coalesce(sum(m.end - m.start), 0)
FROM CUPTI_ACTIVITY_KIND_MEMSET m JOIN call c ON c.correlationId = m.correlationId AND c.pid = m.globalPid >> 24
WHERE c.name LIKE 'cudaMemset%' AND c.name NOT LIKE '%Async%' AND m.memKind IN (1, 4);

SELECT 'cuda_api_sync', '', count(*), coalesce(sum(end - start), 0) FROM call
WHERE name LIKE 'cudaDeviceSynchronize%' OR name LIKE 'cudaStreamSynchronize%';

-- gaps of 500 ms or longer between the first and the last operation of a process on a device
WITH ordered AS (
  SELECT *, max(end) OVER (PARTITION BY deviceId, globalPid ORDER BY start
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM op)
SELECT 'gpu_gaps', deviceId, count(*), sum(start - before) FROM ordered
WHERE start - before >= 500000000 GROUP BY deviceId, globalPid;

-- 30 equal parts; work at the same time adds up; parts below 50 % that follow each other are one row
WITH use AS (
  SELECT deviceId, globalPid, min(start) AS first, max(end) AS last, (max(end) - min(start) + 29) / 30 AS length
  FROM op GROUP BY deviceId, globalPid),
number(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i < 29),
part AS (
  SELECT u.deviceId, u.globalPid, i, first + i * length AS begin, min(first + (i + 1) * length, last) AS finish
  FROM use u, number WHERE first + i * length < last),
used AS (
  SELECT p.*, finish - begin AS time,
    (SELECT coalesce(sum(min(o.end, finish) - max(o.start, begin)), 0) FROM op o
     WHERE o.deviceId = p.deviceId AND o.globalPid = p.globalPid AND o.end > begin AND o.start < finish) AS busy
  FROM part p),
low AS (
  SELECT *, busy < 0.5 * time AS is_low,
    lag(busy < 0.5 * time, 1, 0) OVER (PARTITION BY deviceId, globalPid ORDER BY i) AS was_low FROM used)
SELECT 'gpu_time_util', deviceId, sum(is_low AND NOT was_low), sum(CASE WHEN is_low THEN time - busy ELSE 0 END)
FROM low GROUP BY deviceId, globalPid HAVING sum(is_low) > 0;
