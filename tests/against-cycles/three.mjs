// Draws prepared models with three.js: node three.mjs FOLDER
//
// FOLDER has jobs.json, a list of objects with `name`, `model`, `light` and `shot` (see ../against-three/page.html); models and
// panoramas are paths in FOLDER. Writes NAME.LIGHT.three.png, and the cameras into cameras.json.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openPage } from '../against-three/browser.mjs';

const folder = resolve(process.argv[2]);
const jobs = JSON.parse(readFileSync(join(folder, 'jobs.json'), 'utf8'));
const { page, address, close } = await openPage({ files: folder });
const cameras = {};
try {
  for (const { name, model, light, shot } of jobs) {
    const environment = shot.environment && address('files', shot.environment);
    const found = await page.evaluate(([url, shot]) => window.draw(url, shot), [address('files', model), { ...shot, environment }]);
    cameras[name] = { eye: found.eye, target: found.target };
    writeFileSync(join(folder, `${name}.${light}.three.png`), Buffer.from(found.image.split(',')[1], 'base64'));
  }
} finally {
  await close();
}
writeFileSync(join(folder, 'cameras.json'), JSON.stringify(cameras, null, 1));
