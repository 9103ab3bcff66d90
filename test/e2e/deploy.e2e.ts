/**
 * A page that stays open during a deploy: the files that it has not loaded yet are gone. Each part that does not come is said, once, nothing
 * that was typed is lost, no call hangs, and it all works when the files are back.
 */
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { closeServer, frame, html, LAST_FRAMES, listen, originOf, sendBuilt } from './host-server.js';
import { until } from './kept-call.js';
import { ALLOW, card, INPUT, part, say, textOfChat, toolUse, untilIdle, untilReady, useDriver } from './widget.js';

const CALL = `Here: ${toolUse('rename', { title: 'New name' })}`;
const GONE = 'Part of the assistant could not be loaded. Reload the page to continue.';
const NOTICE = 'tool-chat >>> [data-notice=missing-part]';
const STAND_IN = 'tool-chat >>> tool-chat-missing-card';

const PAGE = html('Page', await readFile(new URL('../fixtures/pages/deploy.html', import.meta.url), 'utf8'));

type Page = Window & { logged: [string, string, { file?: string }][]; unheard: string[] };

describe('a page that is open during a deploy', () => {
  const driver = useDriver();
  let server: Server;
  /** Of files that are not there any more. */
  let gone: RegExp | undefined;
  let answers: string[] = [];

  before(async () => {
    server = await listen((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://host');
      if (pathname === '/page.html') return void response.setHeader('content-type', 'text/html').end(PAGE);
      if (pathname.startsWith('/v1/'))
        return void response.setHeader('content-type', 'text/event-stream').end(frame(answers.shift() ?? 'Done.') + LAST_FRAMES);
      if (gone?.test(pathname)) return void response.writeHead(404).end();
      return void sendBuilt(pathname.replace('/dist/', '/'), response);
    });
  });
  after(() => closeServer(server));

  beforeEach(async () => {
    gone = undefined;
    answers = [];
    await driver.open(`${originOf(server)}/page.html`);
    await untilReady(driver);
    // All that it loads for later by itself is there.
    await driver.waitFor(part('attach-button'));
    await driver.waitFor(part('menu-button'));
  });

  afterEach(async () => {
    expect(await driver.evaluate(() => (window as unknown as Page).unheard)).to.deep.equal([]);
  });

  const titleOfPage = () => driver.evaluate(() => document.title);
  const closeNotice = () => driver.click(`${NOTICE} [part~=close-button]`);
  const missingParts = () =>
    driver.evaluate(() =>
      (window as unknown as Page).logged
        .filter(([level, , context]) => level === 'error' && context.file)
        .map(([, , { file }]) => file ?? ''),
    );

  it('is told by what is asked for, and loses nothing', async () => {
    gone = /^\/dist\/chunks\//;

    await driver.click(INPUT);
    await driver.press('/');
    await driver.press('h');
    await driver.waitFor(NOTICE);
    expect(await textOfChat(driver)).to.contain(GONE);
    expect(await driver.value(INPUT)).to.equal('/h');

    // Each time it is asked for, also when the notice was closed.
    await closeNotice();
    await driver.click(part('attach-button'));
    await driver.waitFor(NOTICE);
    expect(await driver.value(INPUT)).to.equal('/h');

    await closeNotice();
    await driver.click(part('menu-button'));
    await driver.waitFor(NOTICE);
    await driver.click(INPUT); // nothing lies over it
    expect(await driver.value(INPUT)).to.equal('/h');

    const files = await missingParts();
    expect(files, 'each file once').to.deep.equal([...new Set(files)]);
    expect(files.length).to.be.at.least(2);
    for (const file of files) expect(file).to.match(/^http:\/\/127\.0\.0\.1:\d+\/dist\/chunks\/[\w-]+\.js$/);
  });

  it('ends a call whose file is gone, and runs another one when the file is back', async () => {
    gone = /\/chunks\/calls-/;
    answers = [CALL, 'It did not work.', CALL, 'Renamed it.'];
    await say(driver, 'Rename it');
    await untilIdle(driver);
    await driver.waitFor(`${STAND_IN} >>> section[data-status=error]`);
    // Still gone: it is said again.
    await driver.click(`${NOTICE} button.quiet:not([part])`);
    await driver.waitFor(NOTICE);
    gone = undefined;
    await driver.click(`${NOTICE} button.quiet:not([part])`);
    await driver.waitFor(card('error', 'rename'));
    await until(async () => !(await driver.exists(NOTICE)), 'the notice to go');
    await say(driver, 'Rename it');
    await driver.waitFor(card('awaiting_approval', 'rename'));
    expect(await titleOfPage()).to.equal('Page');
    await driver.click(ALLOW);
    await untilIdle(driver);
    expect(await titleOfPage()).to.equal('New name');
  });
});
