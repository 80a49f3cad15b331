// Compares rigview's images with those of three.js: the same camera, one directional light, nothing else.
//
//     node compare.mjs RIGVIEW MODELS OUTPUT [NAME...]
//
// RIGVIEW is the program, MODELS a folder of the Khronos sample models, OUTPUT a folder for the images. Without names,
// the models of cases.json are compared. The exit code is 1 if one is further apart than its limit.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPage } from './browser.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const [rigview, models, output, ...names] = process.argv.slice(2).map((path, i) => (i < 3 ? resolve(path) : path));
if (!output) {
  console.error('usage: node compare.mjs RIGVIEW MODELS OUTPUT [NAME...]');
  process.exit(2);
}
const cases = JSON.parse(readFileSync(join(here, 'cases.json'), 'utf8'));
const shot = { size: 512, fov: 40, light: [0.4, 0.7, 1, 3] };

function fileOf(name) {
  for (const form of ['glTF-Binary', 'glTF', 'glTF-Embedded']) {
    const folder = join(models, name, form);
    const file = existsSync(folder) && readdirSync(folder).find((file) => /\.(glb|gltf)$/.test(file));
    if (file) return `${name}/${form}/${file}`;
  }
  throw new Error(`no model ${name} in ${models}`);
}

mkdirSync(output, { recursive: true });
const { page, address, close } = await openPage({ models });
let failed = 0;
try {
  console.log('| model | silhouettes shared | mean difference of color | largest | |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const { name, overlap = 0.995, difference = 0.02 } of cases) {
    if (names.length && !names.includes(name)) continue;
    const file = fileOf(name);
    const theirs = await page.evaluate(([url, shot]) => window.draw(url, shot), [address('models', file), shot]);
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
  await close();
}
process.exit(failed ? 1 : 0);
