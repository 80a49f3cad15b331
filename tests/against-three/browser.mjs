// Opens page.html in headless Chromium, from a local server that also serves files of other folders.

import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
const types = { '.js': 'text/javascript', '.html': 'text/html', '.json': 'application/json', '.png': 'image/png', '.jpg': 'image/jpeg' };

// `folders` maps the first part of an address to a folder. Returns the page, a function from file to address, and `close`.
export async function openPage(folders) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const [, first, ...rest] = path.split(sep);
    const file = first in folders ? join(folders[first], ...rest) : join(here, path);
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
  // Chromium: the one that CHROMIUM names, one of the system, or one that `npx playwright-core install` fetched.
  const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? system.find(existsSync),
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(`${origin}/page.html`);
  await page.waitForFunction(() => window.ready);
  return {
    page,
    address: (folder, file) => `${origin}/${folder}/${file.split('/').map(encodeURIComponent).join('/')}`,
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}
