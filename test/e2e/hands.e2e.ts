/** The README's page with an OpenAPI description: no bundler, no function of the page, and what deletes waits for a person. */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { type Driver, launch } from './driver.js';
import { serveHost, type HostSite } from './host-server.js';
import { ALLOW, card, say, textOfChat, untilIdle, untilReady } from './widget.js';

const call = (name: string, id: string) => `<tool_use><invoke name="${name}"><parameter name="id">${id}</parameter></invoke></tool_use>`;

/** How often the page asked for this address. */
const asked = (path: string) => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith(path)).length;

describe('a page with an OpenAPI description', () => {
  let driver: Driver;
  let site: HostSite;

  before(async () => {
    driver = await launch();
    site = await serveHost();
  });
  after(async () => {
    await driver.close();
    await site.close();
  });

  it('is a gated assistant in the lines of the README', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const snippet = [...readme.matchAll(/```html\n([\s\S]*?)\n```/g)]
      .map(([, html = '']) => html)
      .find((html) => html.includes('openApiTools'))!;
    expect(snippet.split('\n').filter(Boolean)).to.have.length.below(10);
    const at = (operationId: string) => ({
      operationId,
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    });
    const paths = { '/tasks/{id}': { get: at('getTask'), delete: at('deleteTask') } };
    site.put(
      '/openapi.json',
      JSON.stringify({ openapi: '3.1.0', info: { title: 'Tasks', version: '1' }, servers: [{ url: '/api' }], paths }),
    );
    site.put('/api/tasks/7', '{"id":"7","title":"Buy milk"}');
    site.put('/api/tasks/8', '{"gone":true}');
    site.put(
      '/page.html',
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tasks</title><style>tool-chat { height: 90vh }</style>${snippet}`,
    );
    await driver.open(`${site.url}/page.html`);
    await untilReady(driver);

    site.say(call('get_task', '7'), 'It says: Buy milk.');
    await say(driver, 'What is task 7?');
    await untilIdle(driver);
    expect(await textOfChat(driver)).to.contain('It says: Buy milk.');
    expect(JSON.stringify(site.asked.at(-1))).to.contain('Buy milk');

    site.say(call('delete_task', '8'), 'It is gone.');
    await say(driver, 'Delete task 8');
    await driver.waitFor(card('awaiting_approval', 'delete_task'));
    expect(await driver.evaluate(asked, '/api/tasks/8')).to.equal(0);
    await driver.waitFor(ALLOW);
    await driver.click(ALLOW);
    await untilIdle(driver);
    expect(await driver.evaluate(asked, '/api/tasks/8')).to.equal(1);
    expect(await textOfChat(driver)).to.contain('It is gone.');
    expect(driver.complaints).to.deep.equal([]);
  });
});
