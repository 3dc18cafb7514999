#!/usr/bin/env python3
"""Reads a .runahead recording. Written from docs/recording-format.md alone. Needs the standard library and zstd.

    read_recording.py FILE TABLE        TABLE: slice, counter, instant, op, flow, dependency, holding, track, metadata, loss;
                                        slice_by_index, op_by_index, ...: the same rows, found through the index

Writes the rows as JSON, one array per line. If the file cannot be read, prints the reason and exits with 1.
"""
import ctypes
import ctypes.util
import json
import math
import struct
import sys

MASK = (1 << 64) - 1
NEVER = -(1 << 63)


class Damaged(Exception):
    pass


# ---- xxHash64, seed 0 ---------------------------------------------------------------------------------------

P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotate(x, by):
    return ((x << by) | (x >> (64 - by))) & MASK


def mix(acc, word):
    return rotate((acc + word * P2) & MASK, 31) * P1 & MASK


def xxhash64(data):
    end, at = len(data), 0
    if end >= 32:
        accs = [(P1 + P2) & MASK, P2, 0, (-P1) & MASK]
        for at in range(0, end - 31, 32):
            words = struct.unpack_from("<4Q", data, at)
            accs = [mix(acc, word) for acc, word in zip(accs, words)]
        at += 32
        value = sum(rotate(acc, by) for acc, by in zip(accs, (1, 7, 12, 18))) & MASK
        for acc in accs:
            value = ((value ^ mix(0, acc)) * P1 + P4) & MASK
    else:
        value = P5
    value = (value + end) & MASK
    while at + 8 <= end:
        value = (rotate(value ^ mix(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
        at += 8
    if at + 4 <= end:
        value = (rotate(value ^ (struct.unpack_from("<I", data, at)[0] * P1 & MASK), 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        value = rotate(value ^ (byte * P5 & MASK), 11) * P1 & MASK
    value = (value ^ (value >> 33)) * P2 & MASK
    value = (value ^ (value >> 29)) * P3 & MASK
    return value ^ (value >> 32)


# ---- zstd ---------------------------------------------------------------------------------------------------


def load_zstd():
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return library


def decompress(library, data, size):
    out = ctypes.create_string_buffer(max(size, 1))
    if library.ZSTD_decompress(out, size, data, len(data)) != size:
        raise Damaged("a payload does not decode to its raw length")
    return out.raw[:size]


# ---- values -------------------------------------------------------------------------------------------------


def signed(value):
    value &= MASK
    return value - (1 << 64) if value >> 63 else value


class Values:
    def __init__(self, data):
        self.data, self.at = data, 0

    def at_end(self):
        return self.at == len(self.data)

    def u8(self):
        self.at += 1
        return self.data[self.at - 1]

    def f64(self):
        self.at += 8
        return struct.unpack_from("<d", self.data, self.at - 8)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            if byte < 128:
                return value & MASK
            shift += 7

    def svarint(self):
        value = self.varint()
        return signed(-(value & 1) ^ (value >> 1))

    def text(self):
        size = self.varint()
        self.at += size
        return self.data[self.at - size:self.at].decode("utf-8", "replace")

    def differences(self, n):
        out, last = [], 0
        for _ in range(n):
            last = signed(last + self.svarint())
            out.append(last)
        return out

    def planes(self, n):
        base, count = self.svarint(), self.u8()
        planes = [self.data[self.at + i * n:self.at + (i + 1) * n] for i in range(count)]
        self.at += count * n
        if self.at > len(self.data):
            raise Damaged("a column ends early")
        return [signed(base + int.from_bytes(code, "little")) for code in zip(*planes)] if planes else [base] * n

    def column(self, n):
        mode = self.u8()
        if mode == 0:
            return [self.svarint()] * n
        if mode == 3:
            return self.planes(n)
        if mode == 4:
            out = [self.svarint()]
            for step in self.planes(n - 1):
                out.append(signed(out[-1] + step))
            return out
        return [self.svarint() for _ in range(n)] if mode == 1 else self.differences(n)

    def dense(self, n):
        return self.column(n) if n else []

    def reals(self, n):
        return [float(v) for v in self.column(n)] if self.u8() == 0 else [self.f64() for _ in range(n)]

    def columns(self, n, count):
        return list(zip(*(self.column(n) for _ in range(count)))) if n else []

    def track(self):
        return maybe_track(self.varint())


def maybe_track(value):
    return None if value == 0 else value - 1


# ---- the file -----------------------------------------------------------------------------------------------


def whole_block(data, at):
    """Kind, codec, raw length, payload and end of the block at `at`. None: no undamaged block starts at `at`."""
    if at + 24 > len(data) or data[at:at + 4] != b"RBLK":
        return None
    kind, codec, zeros, stored, raw, check = struct.unpack_from("<BBHIIQ", data, at + 4)
    end = at + 24 + stored
    if zeros or end > len(data) or max(stored, raw) > 32 << 20 or check != xxhash64(data[at:at + 16] + data[at + 24:end]):
        return None
    return kind, codec, raw, data[at + 24:end], end


def check_preamble(data):
    """True if the preamble is damaged. If an undamaged block follows it, the file is still a recording."""
    version, check = struct.unpack_from("<2I", data, 8)
    if data[:8] == b"RUNAHEAD" and check == xxhash64(data[:12]) & 0xFFFFFFFF:
        if version > 1:
            raise Damaged(f"version {version} is newer than this reader")
        return False
    if not whole_block(data, 16):
        raise Damaged("not a recording, or damaged in its first bytes")
    return True


class Blocks:
    """Iterates over the undamaged blocks of a file, in order. Counts its damaged and its cut-off bytes."""

    def __init__(self, data):
        self.data, self.damaged, self.cut = data, 16 if check_preamble(data) else 0, 0
        self.blocks_damaged = False

    def __iter__(self):
        library, at, last, data = load_zstd(), 16, None, self.data
        while at < len(data):
            block = whole_block(data, at)
            start = at
            while not block and len(data) - at != 16 and (start := data.find(b"RBLK", start + 1)) >= 0:
                block = whole_block(data, start)
            if not block:
                return self.end(at, last)
            kind, codec, raw, payload, end = block
            self.blocks_damaged |= start != at
            self.damaged += start - at
            at, last = end, kind
            yield start, kind, payload if codec == 0 else decompress(library, payload, raw)

    def end(self, at, last):
        rest = len(self.data) - at
        trailer = rest >= 16 and self.data[-8:] == b"RUNAHEND"
        has_all_its_bytes = False
        if rest >= 24 and self.data[at:at + 4] == b"RBLK":
            has_all_its_bytes = struct.unpack_from("<I", self.data, at + 8)[0] <= rest - 24
        if trailer or (rest == 16 and last == 13) or has_all_its_bytes:
            self.damaged += rest - (16 if trailer else 0)
        else:
            self.cut = rest


SLICE_KINDS = ["zone", "enqueue", "execute", "wait", "copy_to_device", "copy_to_host", "copy_on_device", "allocation",
               "step", "pause"]
SLICE_FLAGS = ["late", "failed", "unfinished", "held_by_limit", "skipped", "part_of_op"]
TRACK_KINDS = ["group", "thread", "frontend", "worker", "stream", "queue", "async", "counter", "markers"]
FLOW_KINDS = ["enqueue_to_execute", "execute_to_wait", "op_to_op", "launch_to_device", "flow"]
DEPENDENCY_KINDS = ["read_after_write", "write_after_read", "write_after_write"]


class Column:
    """A column of a row: its id in a file, its name, its meaning, and the coding of its values:

    gap         time since the end of the previous row. A row without a `length` ends when it begins.
    since NAME  value minus column NAME, modulo 2^64
    back NAME   column NAME minus value
    end NAME    0: no value; otherwise 1 + time since column NAME
    before NAME 0: no value; otherwise 1 + time until column NAME
    maybe       0: no value; otherwise 1 + value
    (empty)     the value itself. `words` are the names of the values of an `enum`, and of the bits of `flags`.
    """

    def __init__(self, ident, name, meaning, coding="", words=(), default=None, shown=True):
        self.ident, self.name, self.meaning, self.words, self.default = ident, name, meaning, words, default
        self.coding, _, self.base = coding.partition(" ")
        self.shown = shown  # whether the tables of a query have this column


# For each kind of block: the name of its rows, and their columns in the order of a file. Columns after ADDED are
# added columns. A payload contains an added column only if one of its rows has a value other than the default.
ADDED = None
ROWS = {
    5: ("slice", Column(1, "ts", "time", "gap"), Column(2, "dur", "length"), Column(3, "name", "string"),
        Column(4, "kind", "enum", words=SLICE_KINDS), Column(5, "flags", "flags", words=SLICE_FLAGS),
        Column(6, "op", "op"), Column(7, "bytes", "bytes"), Column(8, "args", "args"), ADDED),
    6: ("counter", Column(1, "ts", "time", "gap"), Column(2, "value", "real"), ADDED),
    7: ("instant", Column(1, "ts", "time", "gap"), Column(2, "track", "track"), Column(3, "name", "string"),
        Column(4, "op", "op"), Column(5, "args", "args"), ADDED),
    8: ("op", Column(1, "id", "op"), Column(2, "name", "string"), Column(3, "step", "count"),
        Column(4, "enqueued", "time"), Column(5, "ready", "time", "since enqueued"),
        Column(6, "started", "time", "since enqueued"), Column(7, "ended", "time", "since enqueued"),
        Column(8, "enqueue_track", "track", "maybe"), Column(9, "execute_track", "track", "maybe"),
        Column(10, "output_bytes", "bytes"), Column(11, "flags", "flags", words=SLICE_FLAGS), ADDED),
    9: ("flow", Column(1, "from_ts", "time"), Column(2, "to_ts", "time", "since from_ts"),
        Column(3, "kind", "enum", words=FLOW_KINDS), Column(4, "from_track", "track", "maybe"),
        Column(5, "to_track", "track", "maybe"), Column(6, "op", "op"), Column(7, "name", "string"), ADDED,
        Column(8, "message", "integer", default=0)),
    14: ("dependency", Column(1, "op", "op"), Column(2, "on_op", "op", "back op"),
         Column(3, "kind", "enum", words=DEPENDENCY_KINDS), Column(4, "ts", "time"), ADDED),
    20: ("holding", Column(1, "block", "integer"), Column(2, "track", "counter"), Column(3, "category", "string"),
         Column(4, "name", "string"), Column(5, "op", "op"), Column(6, "bytes", "bytes"), Column(7, "ts", "time"),
         Column(8, "end_ts", "time", "end ts"), Column(9, "flags", "flags", shown=False), ADDED,
         Column(10, "dropped_ts", "time", "before end_ts"), Column(11, "early_drop_ns", "integer", default=0)),
}


def fixed_columns(kind):
    return ROWS[kind][1:ROWS[kind].index(ADDED)]


def added_columns(kind):
    return ROWS[kind][ROWS[kind].index(ADDED) + 1:]


def at(kind, name):
    """Index of a column in a row of block kind `kind`, not counting track and depth before it."""
    return [column.name for column in fixed_columns(kind) if column.shown].index(name)


def bits(value):
    """The bits of a double, as a signed integer."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


def bounds(ids):
    ids = [i for i in ids if i]
    return (min(ids), max(ids)) if ids else (-1, 0)  # if there are no ids: -1 (all bits set) and 0


def of_each_block(allocations):
    """The last row of each allocation. If it was freed, this is the row with its end."""
    return list({row[0]: row for row in allocations}.values())


class Recording:
    def __init__(self, data):
        self.strings, self.tracks, self.args, self.metadata, self.losses = [""], {}, [()], {}, {}
        self.slices, self.counters, self.instants = [], [], []
        self.ops, self.flows, self.dependencies, self.holdings = [], [], [], []
        readers = {1: self.read_metadata, 2: self.read_strings, 3: self.read_tracks, 4: self.read_args,
                   5: self.read_slices, 6: self.read_counters, 7: self.read_instants, 8: self.read_ops,
                   9: self.read_flows, 10: self.read_losses, 14: self.read_dependencies, 20: self.read_holdings}
        self.blocks, self.file, self.guessed = {}, Blocks(data), set()
        for offset, kind, payload in self.file:
            self.blocks[offset] = kind, payload
            if kind not in readers:  # open, commit, footer and index blocks add no rows to a finished file
                continue
            values = Values(payload)
            readers[kind](values)
            if values.at != len(payload):
                raise Damaged(f"a block of kind {kind} does not end where its last value does")
        for cause, count in ((8, self.file.cut), (19, self.file.damaged)):
            if count:
                self.losses[cause] = self.losses.get(cause, 0) + count

    def summary(self, values):
        values.track(), values.varint()
        rows, first, last = values.varint(), values.svarint(), values.svarint()
        return rows, first, last

    def read_metadata(self, values):
        for _ in range(values.varint()):
            key = values.text()
            self.metadata[key] = values.text()

    # If a file has damaged blocks, an id without a definition is not an error: its definition was lost. Rows
    # that refer to the id are kept.

    def fill_gap(self, defined, first, lost):
        """Call it before definitions that start at id `first`. In a damaged file it fills the ids of lost definitions.
        In an undamaged file a gap is an error."""
        if len(defined) > first or (len(defined) < first and not self.file.blocks_damaged):
            raise Damaged("ids are not dense")
        defined += [lost] * (first - len(defined))

    def string(self, ident):
        if ident >= len(self.strings):
            self.fill_gap(self.strings, ident + 1, "(name lost)")
        return self.strings[ident]

    def on_track(self, ident, kind=None):
        """Call it for a row on track `ident`. Makes placeholders for lost tracks; a placeholder gets the `kind`."""
        if ident is None:
            return None
        for lost in range(len(self.tracks), ident + 1) if self.file.blocks_damaged else ():
            self.tracks[lost] = [lost, "(track lost)", "thread", None, "", 0, 0, 0]
            self.guessed.add(lost)
        if kind and ident in self.guessed:
            self.tracks[ident][2] = kind
            self.guessed.remove(ident)
        return ident

    def read_strings(self, values):
        self.fill_gap(self.strings, values.varint(), "(name lost)")
        self.strings += [values.text() for _ in range(values.varint())]

    def read_tracks(self, values):
        for _ in range(values.varint()):
            ident, parent = values.varint(), self.on_track(values.track(), "group")
            kind, _unit, _role, simulated = (values.u8() for _ in range(4))
            _order, pid, tid = values.svarint(), values.svarint(), values.svarint()
            name, device = values.text(), values.text()
            self.on_track(ident - 1 if ident else None)
            self.guessed.discard(ident)
            self.tracks[ident] = [ident, name, TRACK_KINDS[kind], parent, device, simulated, pid, tid]

    def read_args(self, values):
        self.fill_gap(self.args, values.varint(), ())
        for _ in range(values.varint()):
            self.args.append([self.read_arg(values) for _ in range(values.varint())])

    def read_arg(self, values):
        key, kind = self.string(values.varint()), values.u8()
        if kind == 1:
            return key, values.f64()
        return key, values.svarint() if kind == 0 else self.string(values.varint())

    def value(self, column, coded, row, before):
        """The value that a query's table shows for a coded value. row: the earlier columns of the row, by name."""
        if column.coding == "gap":
            return before + coded
        if column.coding == "since":
            base = row[column.base]
            coded = signed((NEVER if base is None else base) + coded)
        if column.coding == "back":
            return row[column.base] - coded
        if column.coding == "before":
            return row[column.base] - (coded - 1) if coded else None
        if column.coding == "end":
            return row[column.base] + coded - 1 if coded else None
        if column.meaning == "time":
            return None if coded == NEVER else coded
        if column.meaning == "string":
            return self.string(coded)
        if column.meaning == "enum":
            return column.words[coded]
        if column.meaning == "flags":
            return "|".join(name for bit, name in enumerate(column.words) if coded >> bit & 1)
        if column.meaning in ("track", "counter"):
            ident = maybe_track(coded) if column.coding == "maybe" else coded
            return self.on_track(ident, "counter" if column.meaning == "counter" else None)
        if column.meaning in ("args", "op"):
            return coded or None
        if column.meaning == "count":
            return coded if coded >= 0 else None
        if column.meaning == "real" and isinstance(coded, int):  # added columns store the bits of a double
            return struct.unpack("<d", struct.pack("<q", coded))[0]
        return coded

    def fixed_rows(self, values, kind, n, first):
        """Reads n rows as dictionaries by column name, without the added columns."""
        columns, coded = fixed_columns(kind), []
        for column in columns:
            if column.meaning == "real":
                coded.append(values.reals(n))
            else:
                coded.append(values.dense(n) if column is columns[0] else values.column(n))
        rows = []
        for of_row in zip(*coded):
            row = {}
            for column, value in zip(columns, of_row):
                row[column.name] = self.value(column, value, row, first)
            if columns[0].coding == "gap":
                first = row["ts"] + row.get("dur", 0)
            rows.append(row)
        return rows

    def add_columns(self, values, kind, rows):
        """Reads the rest of a payload, the added columns. Skips columns that this reader does not know."""
        known, last = {column.ident: column for column in added_columns(kind)}, len(fixed_columns(kind))
        for row in rows:
            row.update({column.name: column.default for column in known.values()})
        while not values.at_end():
            ident, size = values.varint(), values.varint()
            end = values.at + size
            if ident <= last or end > len(values.data):
                raise Damaged("added columns are not in order, or too long")
            last = ident
            if ident in known:
                for row, coded in zip(rows, values.column(len(rows))):
                    row[known[ident].name] = self.value(known[ident], coded, row, 0)
                if values.at != end:
                    raise Damaged("an added column has another length")
            values.at = end

    def in_order(self, kind, rows, *place):
        shown = [column.name for column in fixed_columns(kind) + added_columns(kind) if column.shown]
        return [[*place, *(row[name] for name in shown)] for row in rows]

    def read_slices(self, values):
        _, first, _ = self.summary(values)
        lanes = []
        for _ in range(values.varint()):
            track, depth, n = self.on_track(values.varint(), "thread"), values.varint(), values.varint()
            lanes.append((track, depth, self.fixed_rows(values, 5, n, first)))
        self.add_columns(values, 5, [row for lane in lanes for row in lane[2]])
        for track, depth, rows in lanes:
            self.slices += self.in_order(5, rows, track, depth)

    def read_counters(self, values):
        _, first, _ = self.summary(values)
        counters = []
        for _ in range(values.varint()):
            track, n = self.on_track(values.varint(), "counter"), values.varint()
            counters.append((track, self.fixed_rows(values, 6, n, first)))
        self.add_columns(values, 6, [row for counter in counters for row in counter[1]])
        for track, rows in counters:
            self.counters += self.in_order(6, rows, track)

    def read_rows(self, values, kind):
        n, first, _ = self.summary(values)
        rows = self.fixed_rows(values, kind, n, first)
        self.add_columns(values, kind, rows)
        return self.in_order(kind, rows)

    def read_instants(self, values):
        self.instants += self.read_rows(values, 7)

    def read_ops(self, values):
        self.ops += self.read_rows(values, 8)

    def read_flows(self, values):
        self.flows += self.read_rows(values, 9)

    def read_dependencies(self, values):
        self.dependencies += self.read_rows(values, 14)

    def read_holdings(self, values):
        self.holdings += self.read_rows(values, 20)

    def read_losses(self, values):
        for _ in range(values.varint()):
            cause = values.u8()
            self.losses[cause] = self.losses.get(cause, 0) + values.varint()

    def by_index(self, data, name):
        """Finds the rows of a table through the index, not by a read in order: first the chunks, then the tails."""
        wanted = {"slice": 5, "counter": 6, "instant": 7, "op": 8, "flow": 9, "dependency": 14, "holding": 20}[name]
        names = self.footer_entries(data)
        if not names or names[-1][1] != 18:
            raise Damaged("the recording has no opening block")
        opening, out = Values(self.blocks[names[-1][0]][1]), []
        chunks, tails, tables = (opening.column(opening.varint()) for _ in range(3))
        also = 0 if opening.at_end() else opening.u8()
        if wanted in (6, 7) and not also & (1 if wanted == 6 else 2):
            return self.table(name)
        for offset in chunks if wanted == 5 else tables:
            values = Values(self.blocks[offset][1])
            out += self.lane_chunks(values) if wanted == 5 else self.table_chunks(values, wanted)
        for offset in tails:
            if self.blocks[offset][1][0] == wanted:
                out += self.rows_at(offset, wanted)
        return of_each_block(out) if wanted == 20 else out

    def footer_entries(self, data):
        """Offset and kind of each block that the footers list."""
        if data[-8:] != b"RUNAHEND":
            return []
        offset, entries = struct.unpack_from("<Q", data, len(data) - 16)[0], []
        while offset:
            values = Values(self.blocks[offset][1])
            offset, n = values.varint(), values.varint()
            entries = [row[:2] for row in values.columns(n, 7)] + entries
        return entries

    def rows_at(self, offset, wanted):
        """The rows of a block. The block must be of kind `wanted`, or repeat rows of this kind."""
        kind, payload = self.blocks[offset]
        values = Values(payload)
        if (values.u8() if kind == 15 else kind) != wanted:
            raise Damaged("the index names a block of another kind")
        name, read = {5: ("slices", self.read_slices), 6: ("counters", self.read_counters),
                      7: ("instants", self.read_instants), 8: ("ops", self.read_ops), 9: ("flows", self.read_flows),
                      14: ("dependencies", self.read_dependencies), 20: ("holdings", self.read_holdings)}[wanted]
        kept = getattr(self, name)
        setattr(self, name, [])
        read(values)
        rows = getattr(self, name)
        setattr(self, name, kept)
        return rows

    def lane_chunks(self, values):
        out = []
        for _ in range(values.varint()):
            track, depth, n = values.varint(), values.varint(), values.varint()
            end = 0
            for row in values.columns(n, 12):
                offset, part, since, length, last, busy, longest, index, kinds, name, kind_flags, op = row
                rows = self.rows_at(offset, 5)[1024 * part:1024 * (part + 1)]
                lengths = [slice[3] for slice in rows]
                worst = lengths.index(max(lengths))
                there = [rows[0][2], rows[-1][2] + rows[-1][3], rows[-1][3], sum(lengths), max(lengths), worst]
                said = [end + since, end + since + length, last, busy, longest, index]
                look = [self.value(column, coded, {}, 0) for column, coded in zip(
                    fixed_columns(5)[2:6], (name, kind_flags & 255, kind_flags >> 8, op))]
                end += since + length
                if (said != there or rows[worst][4:8] != look or len(rows) != 1024
                        or kinds != sum({1 << SLICE_KINDS.index(slice[5]) for slice in rows})
                        or any(slice[:2] != [track, depth] for slice in rows)):
                    raise Damaged("a chunk does not match the index")
                out += rows
            values.column(values.varint())  # skips the offsets of levels of detail
        return out

    def table_chunks(self, values, wanted):
        out = []
        if values.u8() != wanted:
            return out
        counter = values.varint() if wanted == 6 else None
        for offset, part, *said in values.columns(values.varint(), 2 + {6: 6, 7: 3, 8: 6, 9: 4, 14: 5, 20: 2}[wanted]):
            rows = self.rows_at(offset, wanted)[1024 * part:1024 * (part + 1)]
            if wanted == 6:
                numbers = [v for _, _, v in rows if v == v]
                extremes = [min(numbers, default=math.inf), max(numbers, default=-math.inf)]
                there = [rows[0][1], rows[-1][1], *map(bits, [*extremes, rows[0][2], rows[-1][2]])]
                if any(row[0] != counter for row in rows):
                    raise Damaged("a chunk has samples of another counter")
            elif wanted == 7:
                tracks = {1 << row[at(7, "track")] % 64 for row in rows}
                there = [rows[0][0], rows[-1][0], signed(sum(tracks))]
            elif wanted == 8:
                op_times = [[NEVER if t is None else t for t in row[3:7]] for row in rows]
                ends, ids = [t[3] for t in op_times], [row[0] for row in rows]
                there = [*bounds(ids), max(map(max, op_times)), min(ends), max(ends), min(t[0] for t in op_times)]
            elif wanted == 9:
                times = [t for row in rows for t in (row[at(9, "from_ts")], row[at(9, "to_ts")])]
                there = [*bounds([row[at(9, "op")] or 0 for row in rows]), min(times), max(times)]
            elif wanted == 20:
                there = [min(row[6] for row in rows), max(row[6] if row[7] is None else row[7] for row in rows)]
            else:
                there = [*bounds([row[0] for row in rows]), *bounds([row[1] for row in rows]), max(row[3] for row in rows)]
            if there != said or len(rows) != 1024:
                raise Damaged("a chunk does not match the index")
            out += rows
        return out

    def table(self, name):
        return {"slice": self.slices, "counter": self.counters, "instant": self.instants, "op": self.ops,
                "flow": self.flows, "dependency": self.dependencies, "holding": of_each_block(self.holdings),
                "track": [self.tracks[ident] for ident in sorted(self.tracks)],
                "metadata": sorted(map(list, self.metadata.items())),
                "loss": sorted(map(list, self.losses.items()))}[name]


def main():
    path, table = sys.argv[1:]
    try:
        with open(path, "rb") as file:
            data = file.read()
        recording = Recording(data)
        name, found, _ = table.partition("_by_index")
        rows = recording.by_index(data, name) if found else recording.table(name)
    except (OSError, Damaged, IndexError, KeyError, struct.error) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    for row in rows:
        print(json.dumps(row))
    return 0


if __name__ == "__main__":
    sys.exit(main())
