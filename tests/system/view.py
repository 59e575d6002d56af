#!/usr/bin/env python3
"""`knead view` from outside: what it answers, and what it refuses."""
import base64
import http.client
import json
import re
import shutil
import signal
import socket
import struct
import subprocess
import time

from support import KneadTest, command, knead, main


def message_of(body):
    """The JSON and the tables of a message."""
    assert body[:4] == b"KNV1", body[:40]
    length = struct.unpack("<I", body[4:8])[0]
    described = json.loads(body[8:8 + length])
    tables = {name: body[8 + length + at:8 + length + at + size]
              for name, (at, size) in described["tables"].items()}
    return described, tables


class ViewTest(KneadTest):
    """A finished run of five frames and a server that shows it."""

    arguments = ()

    def setUp(self):
        super().setUp()
        self.run_scene("run", "--frames", "4", "--quiet")
        self.start(self.here / "run", *self.arguments)

    def start(self, *arguments):
        self.server = subprocess.Popen(command("view", *arguments, "--no-browser"), text=True, cwd=self.here,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        link = self.server.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)/#token=([0-9a-f]{32})$", link.strip())
        if not found:
            said = self.server.communicate()[1]
            if "without the page" in said:
                self.skipTest(said.strip())
            self.fail(link + said)
        self.port, self.token = int(found[1]), found[2]

    def end(self):
        self.server.terminate()
        self.server.communicate(timeout=60)

    def ask(self, path, method="GET", body=None, token=True, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers["X-Knead-Token"] = self.token if token is True else token
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer, answer.read()

    def status(self, *arguments, **options):
        return self.ask(*arguments, **options)[0].status

    def raw(self, text):
        """What comes back for bytes that no client would send."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            s.sendall(text)
            answer = b""
            try:
                while piece := s.recv(65536):
                    answer += piece
            except ConnectionResetError:
                pass
            return answer

    def own(self):
        return f"http://127.0.0.1:{self.port}"


class Answers(ViewTest):
    def test_describes_the_run(self):
        run = json.loads(self.ask("/api/run")[1])
        self.assertEqual(run["frames"], [0, 1, 2, 3, 4])
        self.assertEqual([b["name"] for b in run["bodies"]], ["block", "ball"])
        self.assertIn({"name": "speed", "unit": "m/s"}, run["columns"])
        self.assertFalse(run["may_change"])
        stats = json.loads(self.ask("/api/stats")[1])
        self.assertEqual(len(stats["rows"]), 5)

    def test_sends_every_particle_where_it_is(self):
        described, tables = message_of(self.ask("/api/frame/4?column=speed")[1])
        points = list(struct.iter_unpack("<4H", tables["points"]))
        self.assertEqual(len(points), described["particles"])
        lo, hi = described["box"]
        heights = sorted(lo[1] + (hi[1] - lo[1]) * p[1] / 65535 for p in points)
        data = (self.here / "run/frames/frame_00004.ply").read_bytes()
        head, rows = data.split(b"end_header\n", 1)
        columns = re.findall(rb"property (?:float|int) (\w+)", head)
        width = 4 * len(columns)
        true = sorted(struct.unpack_from("<f", rows, i * width + 4 * columns.index(b"y"))[0]
                      for i in range(len(points)))
        step = (hi[1] - lo[1]) / 65535
        self.assertLess(max(abs(a - b) for a, b in zip(heights, true)), 0.51 * step + 1e-7)
        self.assertEqual(sum(b["count"] for b in described["bodies"]), len(points))
        self.assertEqual(len(described["colliders"]), 1)  # the paddle; the floor is the ground
        self.assertGreater(described["hi"], 1)

    def test_tells_the_columns_of_a_particle(self):
        described, tables = message_of(self.ask("/api/frame/2?column=speed")[1])
        last = described["particles"] - 1
        picked = json.loads(self.ask(f"/api/pick/2?point={last}")[1])
        values = {c["name"]: c["value"] for c in picked["columns"]}
        self.assertEqual(values["body"], 1)
        lo, hi = described["box"]
        x = struct.unpack_from("<4H", tables["points"], 8 * last)[0]
        self.assertAlmostEqual(values["x"], lo[0] + (hi[0] - lo[0]) * x / 65535, 4)
        self.assertEqual(self.status(f"/api/pick/2?point={last + 1}"), 404)

    def test_knows_the_range_of_a_column_over_the_run(self):
        run = json.loads(self.ask("/api/range?column=speed")[1])
        frames = [message_of(self.ask(f"/api/frame/{n}?column=speed")[1])[0] for n in range(5)]
        self.assertEqual(run["hi"], max(f["hi"] for f in frames))
        self.assertEqual(run["lo"], min(f["lo"] for f in frames))

    def test_says_that_there_is_news(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            s.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                      f"X-Knead-Token: {self.token}\r\n\r\n".encode())
            said = b""
            while said.count(b"data:") < 1:
                said += s.recv(4096)
            (self.here / "run/run.json").write_text("{}")
            while said.count(b"data:") < 2:
                said += s.recv(4096)

    def test_what_is_not_there_is_said(self):
        for path in ("/api/frame/5", "/api/frame/0?column=nothing", "/api/surface/0",
                     "/api/range?column=nothing", "/api/pick/0?point=-1", "/api/nothing"):
            answer, body = self.ask(path)
            self.assertEqual(answer.status, 404, path)
            self.assertTrue(json.loads(body)["error"], path)

    def test_a_deleted_run_is_said_and_the_server_lives(self):
        shutil.rmtree(self.here / "run")
        answer, body = self.ask("/api/run")
        self.assertEqual(answer.status, 404)
        self.assertIn("gone", json.loads(body)["error"])
        self.assertEqual(self.status("/api/frame/1"), 404)
        self.assertEqual(self.status("/"), 200)

    def test_ends_at_a_signal_though_pages_listen(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as s:
            s.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                      f"X-Knead-Token: {self.token}\r\n\r\n".encode())
            s.recv(100)
            self.server.send_signal(signal.SIGINT)
            self.assertEqual(self.server.wait(20), 0)


class Refuses(ViewTest):
    def test_other_hosts(self):
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1", f"127.0.0.1:{self.port + 1}",
                     f"127.0.0.1.evil.example:{self.port}", ""):
            for path in ("/", "/api/run"):
                self.assertEqual(self.status(path, Host=host), 421, host)
        self.assertEqual(self.status("/api/run", Host=f"localhost:{self.port}"), 200)
        twice = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nHost: evil.example\r\n\r\n"
        self.assertIn(b" 421 ", self.raw(twice.encode()))
        self.assertIn(b" 421 ", self.raw(b"GET / HTTP/1.1\r\n\r\n"))

    def test_other_origins(self):
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{self.port}", f"http://localhost:{self.port}"):
            self.assertEqual(self.status("/api/run", Origin=origin), 403, origin)
            self.assertEqual(self.status("/api/control", "POST", "{}", Origin=origin), 403, origin)
        self.assertEqual(self.status("/api/control", "POST", "{}"), 403)
        self.assertEqual(self.status("/api/run", Origin=self.own()), 200)

    def test_whoever_lacks_the_token(self):
        wrong = ("f" if self.token[0] != "f" else "0") + self.token[1:]
        for token in (False, wrong, self.token[:-1], self.token + "0", self.token.upper() + " x"):
            for path in ("/api/run", "/api/frame/0", "/api/events", "/api/stats", "/api/nothing"):
                self.assertEqual(self.status(path, token=token), 401, path)
            self.assertEqual(self.status("/api/control", "POST", "{}", token, Origin=self.own()), 401)
        self.assertEqual(self.status(f"/api/run?token={self.token}", token=False), 401)

    def test_changes_unless_it_was_started_for_them(self):
        body = json.dumps({"action": "stop"})
        self.assertEqual(self.status("/api/control", "POST", body, Origin=self.own()), 403)
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
            self.assertEqual(self.status("/api/run", method, Origin=self.own()), 405, method)

    def test_paths(self):
        for path in ("/../run.json", "/..%2f..%2fetc/passwd", "/%2e%2e/scene.toml", "//etc/passwd", "/run.json",
                     "/api/frame/../../run.json", "/api/frame/1/../../x", "/api/frame/%2e%2e", "/api/frame/1e3",
                     "/api/frame/-1", "/api/frame/+1", "/api/frame/ 1".replace(" ", "%20"),
                     "/api/frame/99999999999999999999", "/api/frame/", "/api/frame/0x1", "/api/frame/1%00"):
            answer, body = self.ask(path)
            self.assertEqual(answer.status, 404, path)
            self.assertNotIn(b"root:", body)
        self.assertIn(self.status("/" + 2000 * "a"), (414, 404))

    def test_large_and_odd_bodies(self):
        self.assertEqual(self.status("/api/control", "POST", 65537 * "x", Origin=self.own()), 413)
        head = (f"POST /api/control HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nOrigin: {self.own()}\r\n"
                f"X-Knead-Token: {self.token}\r\n")
        chunked = head + "Transfer-Encoding: chunked\r\n\r\n" + "ffff\r\n" + 65535 * "x" + "\r\n"
        self.assertIn(b" 411 ", self.raw(chunked.encode())[:64])
        self.assertEqual(self.status("/api/run", Range="bytes=0-1,2-3"), 400)
        endless = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n" + "".join(
            f"X-{k}: {1000 * 'y'}\r\n" for k in range(300))
        self.assertNotIn(b" 200 ", self.raw(endless.encode()))
        self.assertEqual(self.status("/api/run"), 200)

    def test_says_what_a_browser_must_not_do(self):
        for path, token in (("/", False), ("/app.js", False), ("/api/run", True), ("/nothing", False)):
            answer, _ = self.ask(path, token=token)
            self.assertTrue(answer.getheader("Content-Security-Policy").startswith("default-src 'self';"), path)
            self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff")
            self.assertEqual(answer.getheader("X-Frame-Options"), "DENY")
            self.assertIsNone(answer.getheader("Access-Control-Allow-Origin"))

    def test_only_this_machine_is_listened_to(self):
        with open("/proc/net/tcp") as file:
            sockets = [line.split() for line in file.readlines()[1:]]
        mine = [s[1] for s in sockets if s[3] == "0A" and int(s[1].split(":")[1], 16) == self.port]
        self.assertEqual(mine, [f"0100007F:{self.port:04X}"])

    def test_crowds_and_slow_clients_do_not_keep_others_out(self):
        idle = [socket.create_connection(("127.0.0.1", self.port), timeout=20) for _ in range(100)]
        for s in idle[:50]:
            s.sendall(b"GET / HTTP/1.1\r\nHost: ")  # and no more
        self.assertEqual(self.status("/api/run"), 200)
        events = (f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                  f"X-Knead-Token: {self.token}\r\n\r\n").encode()
        streams = [socket.create_connection(("127.0.0.1", self.port), timeout=20) for _ in range(17)]
        answers = []
        for s in streams:
            s.sendall(events)
            answers.append(s.recv(64))
        self.assertEqual(sum(b" 200 " in a for a in answers), 16)
        self.assertEqual(sum(b" 503 " in a for a in answers), 1)
        self.assertEqual(self.status("/api/frame/1"), 200)
        # whoever says nothing more is sent away
        idle[0].settimeout(20)
        while idle[0].recv(4096):
            pass
        for s in idle + streams:
            s.close()


class Steers(ViewTest):
    """A scene that runs while it is looked at."""

    def setUp(self):
        KneadTest.setUp(self)
        self.start(self.scene, "--out", self.here / "run", "--frames", "3000", "--control")

    def act(self, action, *settings):
        body = json.dumps({"action": action, "settings": settings})
        answer, body = self.ask("/api/control", "POST", body, Origin=self.own())
        return answer.status, json.loads(body)

    def state(self):
        return json.loads(self.ask("/api/run")[1])["control"]["state"]

    def frames(self):
        return len(json.loads(self.ask("/api/run")[1])["frames"])

    def wait_for_frames(self, count):
        while self.frames() < count:
            self.assertEqual(self.state(), "running")
            time.sleep(0.05)

    def test_pauses_and_goes_on(self):
        self.assertEqual(self.act("pause")[0], 200)
        self.assertEqual(self.state(), "paused")
        before = self.frames()
        time.sleep(0.5)
        self.assertEqual(self.frames(), before)
        self.assertEqual(self.act("pause")[0], 400)
        self.assertEqual(self.act("resume")[0], 200)
        self.wait_for_frames(before + 2)

    def test_changes_a_value_and_the_same_can_be_done_by_hand(self):
        self.wait_for_frames(3)
        status, said = self.act("set", "solver.dx=0.1")
        self.assertEqual(status, 400)
        self.assertIn("cannot change while a run goes on", said["error"])
        self.assertEqual(self.act("set", "gravity=3")[0], 400)
        self.assertEqual(self.act("nothing")[0], 400)
        self.assertEqual(self.state(), "running")
        self.assertEqual(self.act("set", "gravity=[0, -3, 0]")[0], 200)
        changed = len(json.loads((self.here / "run/run.json").read_text()).get("changes", []))
        while not changed:
            time.sleep(0.05)
            changed = len(json.loads((self.here / "run/run.json").read_text()).get("changes", []))
        self.wait_for_frames(self.frames() + 3)
        self.assertEqual(self.act("stop")[0], 200)
        self.assertEqual(self.state(), "stopped")
        report = json.loads((self.here / "run/run.json").read_text())
        change, = report["changes"]
        self.assertEqual(change["set"], ["gravity=[0, -3, 0]"])
        # the same by hand
        at, last = change["frame"], change["frame"] + 2
        first = knead("run", self.scene, "--out", self.here / "again", "--frames", at, "--quiet")
        self.assertEqual(first.returncode, 0, first.stderr)
        second = knead("run", self.here / "again", "--resume", "--steer", "--set", "gravity=[0, -3, 0]",
                       "--set", f"time.frames={last}", "--quiet")
        self.assertEqual(second.returncode, 0, second.stderr)
        for n in range(last + 1):
            file = f"frames/frame_{n:05}.ply"
            self.assertTrue((self.here / "run" / file).read_bytes() == (self.here / "again" / file).read_bytes(), file)

    def test_ends_with_the_run_at_a_checkpoint(self):
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(60), 0)
        self.assertEqual(json.loads((self.here / "run/run.json").read_text())["status"], "stopped")
        self.assertTrue(list((self.here / "run/checkpoints").iterdir()))


class Exports(KneadTest):
    def export(self, *words, frames=6):
        if not (self.here / "run").exists():
            self.run_scene("run", "--frames", str(frames), "--quiet")
        page = self.here / "page.html"
        done = knead("view", self.here / "run", "--export", page, *words)
        if "without the page" in done.stderr:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return page.read_text(encoding="utf-8")

    def frames_in(self, html):
        return {int(n): message_of(base64.b64decode(data)) for n, data in
                re.findall(r'id="knead-frame-(\d+)">([^<]*)</script>', html)}

    def test_a_page_that_holds_all_it_needs(self):
        html = self.export("--color-by", "speed")
        frames = self.frames_in(html)
        self.assertEqual(sorted(frames), list(range(7)))
        described, tables = frames[3]
        self.assertEqual(8 * described["particles"], len(tables["points"]))
        self.assertEqual(described["column"], "speed")
        run = json.loads(re.search(r'id="knead-run">(.*?)</script>', html).group(1))
        self.assertEqual(run["run"]["folder"], "run")
        self.assertNotIn(str(self.here), html)
        self.assertNotIn('src="', html.split('<script type="module">')[0])
        self.assertIn("default-src 'none'", html)

    def test_fewer_frames_and_particles_where_they_do_not_fit(self):
        whole = self.frames_in(self.export("--page-frames", "3"))
        self.assertEqual(sorted(whole), [0, 3, 6])
        thin = self.frames_in(self.export("--page-frames", "3", "--page-size", "0.003"))
        for n in whole:
            (all_of_it, a), (some, b) = whole[n], thin[n]
            share = len(a["points"]) / len(b["points"])
            self.assertGreater(share, 2)
            self.assertLess(8 * len(whole) * len(b["points"]) / 8, 4500)
            # what is left out is made up for in size
            larger = (some["bodies"][0]["radius"] / all_of_it["bodies"][0]["radius"]) ** 3
            self.assertAlmostEqual(larger / share, 1, delta=0.4)

    def test_what_cannot_be_is_said(self):
        self.export()
        for words, said in ((("--color-by", "beauty"), "no column beauty"),
                            (("--page-frames", "0"), "above 0"), (("--page-size", "0"), "above 0")):
            done = knead("view", self.here / "run", "--export", self.here / "b.html", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertFalse((self.here / "b.html").exists())
        done = knead("view", self.here / "run", "--color-by", "speed")
        self.assertIn("for --export", done.stderr)
        done = knead("view", self.scene, "--export", self.here / "b.html")
        self.assertIn("run the scene first", done.stderr)


class Arguments(KneadTest):
    def test_what_is_no_run_is_said(self):
        done = knead("view", self.here, "--no-browser")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no run" if "without the page" not in done.stderr else "page", done.stderr)
        self.assertEqual(knead("view", self.here, "--port", "70000").returncode, 2)

    def test_a_scene_that_cannot_run_gives_two(self):
        for text in ("x = [", self.scene.read_text().replace('"clay"', '"cley"')):
            self.scene.write_text(text)
            done = knead("view", self.scene, "--no-browser", "--out", self.here / "run")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("small.toml:", done.stderr)
            self.assertIn("did not start", done.stderr)

    def test_a_run_is_steered_only_where_that_can_be(self):
        self.run_scene("run", "--frames", "1", "--quiet")
        for words, said in ((("--steer", "--set", "gravity=[0, -1, 0]"), "add --resume and --set"),
                            (("--resume", "--steer", "--set", "solver.dx=0.1"), "cannot change while a run goes on")):
            done = knead("run", self.scene, "--out", self.here / "run", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        before = (self.here / "run/scene.toml").read_text()
        refused = knead("run", self.here / "run", "--resume", "--set", "gravity=[0, -1, 0]")
        self.assertEqual(refused.returncode, 2)
        self.assertEqual((self.here / "run/scene.toml").read_text(), before)


if __name__ == "__main__":
    main()
