import { expect } from 'chai';
import { get } from 'node:http';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, type Database } from '../../demo/server/database.js';
import {
  CONTENT_SECURITY_POLICY,
  createSite,
  listen,
  POLICY_OF_PLAYGROUND,
  POLICY_OF_SANDBOX,
  type RunningSite,
} from '../../demo/server/site.js';
import { createTasksApi } from '../../demo/server/tasks-api.js';

describe('demo site', () => {
  let site: RunningSite;
  let dist: string;
  let close: () => Promise<void>;
  let database: Database;
  const ai = async (request: Request) => new Response(`relay ${new URL(request.url).pathname}`);

  before(async () => {
    dist = await mkdtemp(join(tmpdir(), 'demo-site-'));
    await mkdir(join(dist, '.vite'));
    await writeFile(join(dist, '.vite', 'manifest.json'), '{}');
    await writeFile(join(dist, 'tool-chat-sandbox.html'), '<!doctype html><title>Sandbox</title>');
    database = await openDatabase({ url: ':memory:' });
    const tasks = createTasksApi({ database });
    site = await listen(createSite({ tasks, ai, model: 'scripted', dist }), { port: 0 });
    close = async () => {
      tasks.changes.close();
      await site.close();
      database.close();
      await rm(dist, { recursive: true });
    };
  });
  after(() => close());

  it('serves each page under the strictest policy, at each of its addresses, with every file that it names', async () => {
    expect(CONTENT_SECURITY_POLICY).to.contain("default-src 'none'").and.to.contain("require-trusted-types-for 'script'");
    expect(POLICY_OF_PLAYGROUND.replace(' https: http://localhost:* http://127.0.0.1:*', '')).to.equal(CONTENT_SECURITY_POLICY);
    const types: Record<string, string> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
    const pages = (await readdir(new URL('../../demo/', import.meta.url))).filter((name) => name.endsWith('.html'));
    expect(pages).to.include.members(['gallery.html', 'index.html', 'playground.html']);
    for (const path of ['/', '/gallery', '/playground', '/two', ...pages.map((file) => `/${file}`)]) {
      const response = await fetch(site.url + path);
      expect(response.status, path).to.equal(200);
      expect(response.headers.get('content-type')).to.match(/^text\/html; charset=utf-8$/i);
      const policy = path.includes('playground') ? POLICY_OF_PLAYGROUND : CONTENT_SECURITY_POLICY;
      expect(response.headers.get('content-security-policy'), path).to.equal(policy);
      const source = await response.text();
      // The strict page shows how a nonce lets its script run.
      if (!path.includes('strict')) expect(source, path).not.to.match(/<script(?![^>]* src=)|\sstyle=|\son\w+=/);
      for (const [, file = ''] of source.matchAll(/(?:src|href)="(\/(?!docs|dist)[^"]*)"/g)) {
        const { status, headers } = await fetch(site.url + file);
        expect([status, headers.get('x-content-type-options')], file).to.deep.equal([200, 'nosniff']);
        expect(headers.get('content-type'), file).to.contain(types[file.split('.')[1] ?? ''] ?? 'text/html');
      }
    }
  });

  it('has the sandbox page of the package, in a frame of its own pages only', async () => {
    const response = await fetch(`${site.url}/tool-chat-sandbox.html`);
    expect([response.status, response.headers.get('content-security-policy')]).to.deep.equal([200, POLICY_OF_SANDBOX]);
    expect(await response.text()).to.contain('Sandbox');
    expect(POLICY_OF_SANDBOX).to.contain('sandbox allow-scripts;').and.contain("default-src 'none'").and.contain("frame-ancestors 'self'");
    expect(CONTENT_SECURITY_POLICY).to.contain("frame-src 'self'");
    const guide = await readFile(new URL('../../docs/hands.md', import.meta.url), 'utf8');
    expect(guide, 'the guide names the same').to.contain(POLICY_OF_SANDBOX);
  });

  it('does not serve the sources of the server, nor anything outside the page', async () => {
    const paths =
      '/server/site.ts /start.mjs /package.json /../package.json /%2e%2e/package.json /dist/../package.json /nothing.js ' +
      '/dist/.vite/manifest.json /dist/%2evite/manifest.json /dist//.vite/manifest.json';
    for (const path of paths.split(' ')) expect(await statusOf(site.url + path), path).to.equal(404);
  });
});

/** The status of a request as it is on the wire: `fetch` would tidy the path. */
function statusOf(address: string) {
  const { hostname, port } = new URL(address);
  const path = address.slice(address.indexOf(port) + port.length);
  return new Promise<number | undefined>((resolve, reject) => {
    get({ hostname, port, path }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
