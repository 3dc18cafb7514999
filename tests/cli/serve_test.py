#!/usr/bin/env python3
"""`runahead serve` as a browser sees it: the list, pages, refusals, a recording that grows, and the end.

    serve_test.py      RUNAHEAD: the program   RUNAHEAD_PROGRAM: tests/cli/recorded_program
Exit code 77: this build cannot serve.
"""
import base64
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import zlib
from urllib.parse import urlsplit

from ssh_test import until

RUNAHEAD = os.environ.get("RUNAHEAD", "")
PROGRAM = os.environ.get("RUNAHEAD_PROGRAM", "")
TRACE = {"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 20, "name": "<b>first</b>"}]}


class Serve(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ra-serve-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.traces, self.temporary = self.folder / "traces", self.folder / "tmp"
        self.traces.mkdir()
        self.temporary.mkdir()
        (self.traces / "a.json").write_text(json.dumps(TRACE))
        (self.traces / "notes.txt").write_text("no trace")
        self.started = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def start(self, words, **environment):
        process = subprocess.Popen([str(word) for word in words], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, "TMPDIR": str(self.temporary), **environment})
        self.started.append(process)
        return process

    def serve(self, *words):
        """Starts the server; returns its process. Its address is in self.port and self.base."""
        process = self.start([RUNAHEAD, "serve", *(words or (self.traces,))])
        line = process.stdout.readline()
        self.assertRegex(line, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$", "" if line else process.stderr.read())
        address = urlsplit(line.strip())
        self.port, self.base = address.port, address.path
        return process

    def ask(self, path="", base=None, method="GET", host=None, machine="127.0.0.1", **fields):
        """Returns status, fields and body."""
        connection = http.client.HTTPConnection(machine, self.port, timeout=60)
        try:
            connection.putrequest(method, (self.base if base is None else base) + path, skip_host=True)
            if host != "":
                connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            for name, value in fields.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def end(self, process, number=signal.SIGINT):
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""), out)
        self.assertEqual(list(self.temporary.iterdir()), [], "temporary files are left")

    def test_the_list_and_a_page(self):
        process = self.serve()
        status, fields, body = self.ask()
        self.assertEqual(status, 200)
        self.assertIn(b'<a href="0/">a.json</a>', body)
        self.assertNotIn(b"notes.txt", body)
        for name, value in (("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
                            ("Cache-Control", "no-store")):
            self.assertEqual(fields[name], value)
        self.assertIn("default-src 'none'", fields["Content-Security-Policy"])
        self.assertIn(b'<link rel="icon" href="data:,">', body)  # otherwise a browser asks for /favicon.ico
        status, fields, page = self.ask("0/")
        self.assertEqual(status, 200)
        self.assertTrue(page.startswith(b"<!DOCTYPE html><!-- Runahead -->"))
        self.assertNotIn(b'id="follow"', page)
        self.assertNotIn(b"connect-src", page)  # the page itself may ask for nothing: the trace does not grow
        subprocess.run([RUNAHEAD, "export", self.traces / "a.json", "-o", self.folder / "a.html"], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        self.assertEqual((self.folder / "a.html").read_bytes(), page)
        status, fields, nothing = self.ask("0/", method="HEAD")
        self.assertEqual((status, nothing, int(fields["Content-Length"])), (200, b"", len(page)))
        self.assertEqual(self.ask("0/recording")[2][:8], b"RUNAHEAD")
        self.assertFalse(json.loads(self.ask("0/state")[2])["live"])
        (self.traces / "new.json").write_text(json.dumps(TRACE))
        self.assertIn(b'<a href="1/">new.json</a>', self.ask()[2])
        below = self.traces / "below" / "again"
        below.mkdir(parents=True)
        (below / "c.json").write_text(json.dumps(TRACE))
        self.assertIn(b'<a href="2/">below/again/c.json</a>', self.ask()[2])
        self.assertIn(b'<html lang="ja">', self.ask(Accept_Language="ja,en;q=0.5")[2])
        self.end(process)

    def test_what_is_not_allowed_gets_no_information(self):
        process = self.serve()
        for base in ("/", "/favicon.ico", self.base[:-2] + "0x/", "/" + "0" * 32 + "/", "/" + "0" * 32 + "/0/"):
            status, _, body = self.ask(base=base)
            self.assertEqual((status, body), (403, b""), base)
        for host in ("evil.example", f"evil.example:{self.port}", f"127.0.0.1.evil.example:{self.port}", ""):
            self.assertIn(self.ask(host=host)[0], (400, 421), host)
        self.assertEqual(self.ask(host=f"localhost:{self.port + 1}")[0], 200)  # as behind ssh -L
        for origin in ("http://evil.example", "null"):
            self.assertEqual(self.ask(Origin=origin)[::2], (403, b""))
        self.assertEqual(self.ask(Origin=f"http://127.0.0.1:{self.port}")[0], 200)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PROPFIND"):
            self.assertEqual(self.ask(method=method)[::2], (405, b""), method)
        for path in ("../", "..%2f", "%2e%2e/", "0/../../../etc/passwd", "1/", "0/page.html", "0", "?", "%00", "0/%00"):
            self.assertEqual(self.ask(path)[0], 404, path)
        self.assertIn(self.ask(X_Long="x" * 30000)[0], (413, 431))
        self.assertIn(self.ask("x" * 30000)[0], (414, 431))
        self.assertEqual(self.ask()[0], 200)
        self.end(process)

    def test_it_listens_on_loopback_only(self):
        process = self.serve()
        listening = []
        for name in ("tcp", "tcp6"):
            for line in pathlib.Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()[1:]:
                address, state = line.split()[1], line.split()[3]
                if state == "0A" and int(address.rpartition(":")[2], 16) == self.port:
                    listening.append(address.rpartition(":")[0])
        self.assertIn("0100007F", listening)
        self.assertLessEqual(set(listening), {"0100007F", "00000000000000000000000001000000"})
        if len(listening) == 2:
            self.assertEqual(self.ask(machine="::1", host=f"[::1]:{self.port}")[0], 200)
        self.end(process)

    def test_raw_bytes_do_not_stop_it(self):
        process = self.serve()
        for sent in (b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 2000,
                     b"GET " + self.base.encode() + b"\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                     b"GET " + self.base.encode() + b" HTTP/1.1\r\nHost: localhost\r\n" + b"A: b\r\n" * 5000 + b"\r\n"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
                try:
                    connection.sendall(sent)
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
                except OSError:  # closed by the server
                    pass
        self.assertEqual(self.ask()[0], 200)
        self.end(process)

    def test_a_growing_recording_is_followed_to_its_end(self):
        recording, mark = self.traces / "live.runahead", self.folder / "mark"
        program = self.start([PROGRAM, "handles", mark], RUNAHEAD_RECORD=str(recording))
        until(lambda: (mark.exists() and recording.exists()) or program.poll() is not None, "the program runs")
        process = self.serve(recording)
        self.assertIn(b"being written", self.ask()[2])
        status, fields, page = until(lambda: (found := self.ask("0/"))[0] == 200 and found, "the page is there")
        self.assertIn(b"connect-src 'self'", page)
        version = page.partition(b'<script id="follow" data-version="')[2].partition(b'"')[0].decode()
        self.assertIn("connect-src 'self'", fields["Content-Security-Policy"])
        state = until(lambda: (found := json.loads(self.ask("0/state")[2]))["version"] != version and found, "it grows")
        self.assertTrue(state["live"])
        first = len(self.ask("0/recording")[2])
        until(lambda: len(self.ask("0/recording")[2]) > first, "the recording of the page grows")
        stream, blocks = self.follow(page)
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=60)
        state = until(lambda: not (found := json.loads(self.ask("0/state")[2]))["live"] and found, "it has ended")
        whole = self.ask("0/recording")[2]
        self.assertEqual(json.loads(self.ask("0/state")[2]), state)
        (self.folder / "whole.runahead").write_bytes(whole)
        facts = [json.loads(subprocess.run([RUNAHEAD, "info", path, "--json"], check=True, capture_output=True,
                                           timeout=60).stdout) for path in (recording, self.folder / "whole.runahead")]
        for fact in ("slices", "tracks", "begin_ns", "end_ns"):
            self.assertEqual(facts[0][fact], facts[1][fact])
        # The rest of the stream completes the recording too.
        status, fields, more = self.ask(f"0/growth/{stream}/{len(blocks)}")
        self.assertEqual((status, int(fields["X-Runahead-From"])), (200, len(blocks)))
        (self.folder / "whole.runahead").write_bytes(blocks + more)
        grown = json.loads(subprocess.run([RUNAHEAD, "info", self.folder / "whole.runahead", "--json"], check=True,
                                          capture_output=True, timeout=60).stdout)
        for fact in ("slices", "tracks", "begin_ns", "end_ns"):
            self.assertEqual(facts[0][fact], grown[fact])
        self.assertNotIn(b'id="follow"', self.ask("0/")[2])
        self.end(process, signal.SIGTERM)

    def follow(self, page):
        """Asks several times for what was added, as follow.js does. Returns the stream and its bytes so far."""
        stream = int(page.partition(b'data-stream="')[2].partition(b'"')[0])
        self.assertGreater(stream, 0)
        packed = page.partition(b' id="recording" data-bytes="')[2]
        size = int(packed.partition(b'"')[0])
        blocks = zlib.decompress(base64.b64decode(packed.partition(b">")[2].partition(b"<")[0]), -15)
        self.assertEqual((len(blocks), blocks[:8]), (size, b"RUNAHEAD"))
        for _ in range(3):
            asked = lambda: self.ask(f"0/growth/{stream}/{len(blocks)}")
            status, fields, more = until(lambda: (found := asked())[2] and found, "something is added")
            self.assertEqual((status, fields["X-Runahead-Stream"], fields["X-Runahead-From"]),
                             (200, str(stream), str(len(blocks))))
            self.assertEqual(more[:4], b"RBLK", "only whole blocks are sent, and none of them again")
            blocks += more
        # Bytes of another stream, or more bytes than there are: everything is sent again.
        for asked in (f"0/growth/{stream + 1}/{len(blocks)}", f"0/growth/{stream}/{10**14}"):
            _, fields, again = self.ask(asked)
            self.assertEqual((fields["X-Runahead-From"], again[:len(blocks)]), ("0", blocks))
        self.assertEqual(self.ask("1/growth/1/0")[0], 404)
        return stream, blocks

    def test_what_cannot_be_served_is_one_line(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        port = taken.getsockname()[1]
        for words, said in (([self.folder / "missing.json"], "missing.json"), ([self.traces / "notes.txt"], "notes.txt"),
                            ([self.traces, "--port", port], f"port {port}")):
            process = self.start([RUNAHEAD, "serve", *words])
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out, err.count("\n")), (1, "", 1), err)
            self.assertIn(said, err)


if __name__ == "__main__":
    with tempfile.NamedTemporaryFile("w", suffix=".json") as trace:
        missing = subprocess.run([RUNAHEAD, "serve", trace.name], capture_output=True, text=True, timeout=60).stderr
    if "this build has no" in missing:
        print(missing)
        sys.exit(77)
    unittest.main()
