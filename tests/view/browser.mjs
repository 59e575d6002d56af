// `knead view` in a real browser, as a person uses it.
//     node browser.mjs KNEAD WEB CHROMIUM
// WEB is the folder whose node_modules hold playwright-core. Exit code 77: something is missing.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

const [, , knead, web, chromium] = process.argv;
const driver = join(web, 'node_modules/playwright-core/index.mjs');
for (const needed of [driver, chromium])
  if (!existsSync(needed)) {
    console.log(`skipped: ${needed} is missing`);
    process.exit(77);
  }
const { chromium: browsers } = await import(pathToFileURL(driver).href);

const folder = mkdtempSync(join(tmpdir(), 'knead-view-'));
const scene = join(folder, 'small.toml');
writeFileSync(scene, `
title = "two bodies"
[solver]
dx = 0.05
[time]
frame_rate = 60
frames = 8
[[bodies]]
name = "block"
material = "clay"
color = "#2050f0"
shape = {box = {center = [-0.3, 0.15, 0], size = [0.3, 0.3, 0.3]}}
[[bodies]]
name = "ball"
material = "jelly"
color = "#f02010"
shape = {sphere = {center = [0.3, 0.4, 0], radius = 0.15}}
velocity = [0, -2, 0]
[[colliders]]
name = "floor"
shape = {plane = {}}
`);

// The pixels of a PNG that a browser wrote: 8 bits, RGB or RGBA.
function pixels(png) {
  const width = png.readUInt32BE(16), height = png.readUInt32BE(20), channels = png[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts)), row = width * channels, out = Buffer.alloc(row * height);
  for (let y = 0; y < height; ++y)
    for (let i = 0; i < row; ++i) {
      const a = i >= channels ? out[y * row + i - channels] : 0, b = y > 0 ? out[(y - 1) * row + i] : 0;
      const c = i >= channels && y > 0 ? out[(y - 1) * row + i - channels] : 0;
      const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
      const guess = [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][raw[y * (row + 1)]];
      out[y * row + i] = raw[y * (row + 1) + 1 + i] + guess;
    }
  return { width, height, at: (x, y) => out.subarray((y * width + x) * channels, (y * width + x) * channels + 3) };
}

// How many pixels are of a kind, and their middle, 0..1 from the left and the top.
function middle(picture, wanted) {
  let n = 0, x = 0, y = 0;
  for (let j = 0; j < picture.height; ++j)
    for (let i = 0; i < picture.width; ++i)
      if (wanted(...picture.at(i, j))) (n += 1), (x += i), (y += j);
  return { n, x: x / n / picture.width, y: y / n / picture.height };
}
const red = (r, g, b) => r > 90 && r > 2 * g && r > 2 * b;
const blue = (r, g, b) => b > 70 && b > 1.6 * r && b > 1.25 * g;

const servers = [];
async function view(...words) {
  const server = spawn(knead, ['view', ...words, '--no-browser'], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(server);
  const link = await new Promise((done) => createInterface(server.stdout).once('line', done));
  return { server, link };
}

let browser;
async function open(link, asked) {
  const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
  page.on('request', (r) => asked.push(r.url()));
  page.on('pageerror', (e) => asked.push(`error: ${e.message}`));
  await page.goto(link);
  await page.waitForSelector('body[data-frame]', { timeout: 60000 });
  return page;
}
const shown = (page, frame) => page.waitForSelector(`body[data-frame="${frame}"]`, { timeout: 30000 });

async function finishedRun() {
  const run = spawnSync(knead, ['run', scene, '--out', join(folder, 'run'), '--quiet'], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const { server, link } = await view(join(folder, 'run'));
  const asked = [];
  const page = await open(link, asked);
  await page.evaluate(() => document.body.classList.add('bare'));

  // matter is where it should be: the block left of the ball, the ball higher
  const picture = async () => (await page.waitForTimeout(300), pixels(await page.screenshot()));
  const start = await picture();
  const ball = middle(start, red), block = middle(start, blue);
  assert.ok(ball.n > 1000 && block.n > 2000, `${ball.n} red and ${block.n} blue pixels`);
  assert.ok(block.x < ball.x - 0.1 && ball.y < block.y, JSON.stringify({ ball, block }));

  // scrubbing: the ball falls
  await page.evaluate(() => document.body.classList.remove('bare'));
  await page.fill('#scrub', '8');
  await shown(page, 8);
  assert.match(await page.textContent('#clock'), /^8 · 0\.133 s/);
  await page.evaluate(() => document.body.classList.add('bare'));
  const fallen = middle(await picture(), red);
  assert.ok(fallen.y > ball.y + 0.03, `${ball.y} -> ${fallen.y}`);

  // colour by speed, with a legend from 0 to 2 m/s or more
  await page.evaluate(() => document.body.classList.remove('bare'));
  await page.selectOption('#column', 'speed');
  await page.waitForSelector('body[data-column="speed"]');
  await page.waitForSelector('#legend .numbers span', { state: 'attached' });
  const numbers = (await page.locator('#legend .numbers span').allTextContents()).map(Number);
  assert.ok(numbers[0] === 0 && numbers.at(-1) >= 2 && numbers.at(-1) < 5, numbers.join(' '));
  assert.equal(await page.textContent('#legend .unit'), '[m/s]');
  await page.evaluate(() => document.body.classList.add('bare'));
  const fast = middle(await picture(), red);
  assert.ok(fast.n < 20, `${fast.n} red pixels`);
  await page.evaluate(() => document.body.classList.remove('bare'));
  await page.selectOption('#column', '');
  await page.waitForSelector('body[data-column=""]');

  // a clip plane takes the ball away, a hidden body its own
  await page.evaluate(() => document.body.classList.add('bare'));
  await page.keyboard.press('x');
  const clipped = await picture();
  assert.ok(middle(clipped, red).n < 50 && middle(clipped, blue).n > 1000);
  for (let k = 0; k < 3; ++k) await page.keyboard.press('x');
  await page.evaluate(() => document.body.classList.remove('bare'));
  await page.click('#bodies label:nth-child(1)');
  await page.evaluate(() => document.body.classList.add('bare'));
  const hidden = await picture();
  assert.ok(middle(hidden, blue).n < 50 && middle(hidden, red).n > 1000);

  // a click tells the columns of a particle
  await page.evaluate(() => document.body.classList.remove('bare'));
  await page.mouse.click(fallen.x * 900, fallen.y * 600);
  await page.waitForSelector('#picked:not([hidden])');
  assert.match(await page.textContent('#picked'), /pscale/);

  // keys: play moves on, ? lists them, and a picture is saved
  await page.keyboard.press('Escape');
  await page.keyboard.press('Home');
  await shown(page, 0);
  await page.keyboard.press(' ');
  await shown(page, 3);
  await page.keyboard.press(' ');
  await page.keyboard.press('?');
  assert.ok(await page.isVisible('#help-list'));
  const saving = page.waitForEvent('download');
  await page.keyboard.press('i');
  assert.match((await saving).suggestedFilename(), /^two bodies-\d{5}\.png$/);

  // nothing else was asked, and a server that stops is told
  const own = new URL(link).origin;
  for (const url of asked) assert.ok(url.startsWith(own) || url.startsWith('blob:') || url.startsWith('data:'), url);
  server.kill('SIGINT');
  await page.waitForFunction(() => document.getElementById('trouble').textContent.includes('stopped'), null, { timeout: 20000 });
  await page.close();
}

// A scene that runs while it is looked at, and is changed.
async function liveRun() {
  const { server, link } = await view(scene, '--out', join(folder, 'live'), '--frames', '400', '--control');
  const page = await open(link, []);
  const last = () => page.evaluate(() => Number(document.getElementById('scrub').max));
  const before = await last();
  await page.waitForFunction((n) => Number(document.getElementById('scrub').max) > n, before, { timeout: 60000 });
  await page.fill('#setting', 'gravity=[0, -5, 0]');
  await page.click('form button');
  await page.waitForFunction(() => document.querySelector('.changes').textContent.includes('gravity'), null, { timeout: 60000 });
  await page.click('#stop-run');
  await page.waitForSelector('#status[data-state="stopped"]', { timeout: 60000 });
  await page.close();
  server.kill('SIGINT');
  await new Promise((done) => server.once('exit', done));
}

// A page without a server, from a file.
async function exportedRun() {
  const run = spawnSync(knead, ['run', scene, '--out', join(folder, 'mailed'), '--quiet'], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const file = join(folder, 'mailed.html');
  const done = spawnSync(knead, ['view', join(folder, 'mailed'), '--export', file, '--color-by', 'speed'], { encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  const asked = [];
  const page = await open(pathToFileURL(file).href, asked);
  await page.selectOption('#column', '');
  await page.waitForSelector('body[data-column=""]');
  await page.evaluate(() => document.body.classList.add('bare'));
  await page.waitForTimeout(300);
  const start = pixels(await page.screenshot());
  const ball = middle(start, red), block = middle(start, blue);
  assert.ok(ball.n > 1000 && block.n > 2000, `${ball.n} red and ${block.n} blue pixels`);
  assert.ok(block.x < ball.x - 0.1 && ball.y < block.y, JSON.stringify({ ball, block }));
  await page.evaluate(() => document.body.classList.remove('bare'));
  await page.keyboard.press(' ');
  await shown(page, 5);
  await page.keyboard.press('?');
  assert.match(await page.textContent('#help-list'), /three\.js/);
  for (const url of asked) assert.ok(url.startsWith('file:') || url.startsWith('blob:') || url.startsWith('data:'), url);
  await page.close();
}

try {
  browser = await browsers.launch({
    executablePath: chromium,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const only = process.argv[5];
  if (!only || only === 'finished') await finishedRun();
  if (!only || only === 'live') await liveRun();
  if (!only || only === 'exported') await exportedRun();
} finally {
  await browser?.close();
  for (const server of servers) if (server.exitCode === null) server.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
