// Compares rigview's images with those of three.js: the same camera, one directional light, nothing else.
//
//     node compare.mjs RIGVIEW MODELS OUTPUT [NAME...]
//
// RIGVIEW is the program, MODELS a folder of the Khronos sample models, OUTPUT a folder for the images. Without names,
// the models of cases.json are compared. The exit code is 1 if one is further apart than its limit.

import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const [rigview, models, output, ...names] = process.argv.slice(2).map((path, i) => (i < 3 ? resolve(path) : path));
if (!output) {
  console.error('usage: node compare.mjs RIGVIEW MODELS OUTPUT [NAME...]');
  process.exit(2);
}
const cases = JSON.parse(readFileSync(join(here, 'cases.json'), 'utf8'));
const shot = { size: 512, fov: 40, light: [0.4, 0.7, 1, 3] };

// Chromium: the one that CHROMIUM names, one of the system, or one that `npx playwright-core install` fetched.
const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const executablePath = process.env.CHROMIUM ?? system.find(existsSync);

const types = { '.js': 'text/javascript', '.html': 'text/html', '.json': 'application/json', '.png': 'image/png', '.jpg': 'image/jpeg' };
const server = createServer((request, response) => {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
  const file = path.startsWith('/models/') ? join(models, path.slice('/models/'.length)) : join(here, path);
  try {
    const type = types[file.slice(file.lastIndexOf('.'))] ?? 'application/octet-stream';
    const bytes = readFileSync(file);
    response.writeHead(200, { 'content-type': type }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;

function fileOf(name) {
  for (const form of ['glTF-Binary', 'glTF', 'glTF-Embedded']) {
    const folder = join(models, name, form);
    const file = existsSync(folder) && readdirSync(folder).find((file) => /\.(glb|gltf)$/.test(file));
    if (file) return `${name}/${form}/${file}`;
  }
  throw new Error(`no model ${name} in ${models}`);
}

mkdirSync(output, { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
let failed = 0;
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(`${origin}/page.html`);
  await page.waitForFunction(() => window.ready);
  console.log('| model | silhouettes shared | mean difference of color | largest | |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const { name, overlap = 0.995, difference = 0.02 } of cases) {
    if (names.length && !names.includes(name)) continue;
    const file = fileOf(name);
    const url = `${origin}/models/${file.split('/').map(encodeURIComponent).join('/')}`;
    const theirs = await page.evaluate(([url, shot]) => window.draw(url, shot), [url, shot]);
    const ours = join(output, `${name}.rigview.png`);
    execFileSync(rigview, ['shot', join(models, file), '--output', ours, '--clip', 'none', '--size', `${shot.size}x${shot.size}`,
      '--fov', `${shot.fov}`, `--eye=${theirs.eye}`, `--target=${theirs.target}`, `--light=${shot.light}`,
      '--environment', 'none', '--tone-mapping', 'none', '--background', 'transparent'], { stdio: ['ignore', 'ignore', 'pipe'] });
    writeFileSync(join(output, `${name}.three.png`), Buffer.from(theirs.image.split(',')[1], 'base64'));
    const image = `data:image/png;base64,${readFileSync(ours).toString('base64')}`;
    const found = await page.evaluate(([a, b]) => window.compare(a, b), [image, theirs.image]);
    const holds = found.overlap >= overlap && found.difference <= difference;
    failed += !holds;
    const percent = `${(100 * found.difference).toFixed(2)} %`;
    console.log(`| ${name} | ${found.overlap.toFixed(4)} | ${percent} | ${found.most} / 255 | ${holds ? '' : 'FAILED'} |`);
  }
} finally {
  await browser.close();
  server.close();
}
process.exit(failed ? 1 : 0);
