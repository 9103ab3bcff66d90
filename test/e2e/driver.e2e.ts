import { expect } from 'chai';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Driver, launch } from './driver.js';

/** A page with what the other tests rely on: shadow roots in shadow roots, a button that is armed late, a text area. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>driver</title><x-outer></x-outer><p id="light">light</p><script>
class Inner extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    const button = Object.assign(document.createElement('button'), { textContent: 'Allow' });
    button.part = 'approve-button extra';
    button.ariaDisabled = 'true';
    setTimeout(() => { button.ariaDisabled = 'false'; }, 300);
    button.onclick = (event) => { if (button.ariaDisabled === 'false') (window.clicks ??= []).push(event.isTrusted); };
    const area = document.createElement('textarea');
    area.onkeydown = (event) => { (window.keys ??= []).push([event.key, event.isTrusted, event.shiftKey]); };
    root.append(button, area);
  }
}
class Outer extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).append(document.createElement('x-inner')); } }
customElements.define('x-inner', Inner); customElements.define('x-outer', Outer);
</script>`;

type Page = Window & { clicks?: boolean[]; keys?: [string, boolean, boolean][] };

describe('the end-to-end driver', () => {
  let driver: Driver;
  let server: Server;
  let url: string;

  before(async () => {
    server = createServer((_request, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    driver = await launch();
    await driver.open(url);
  });
  after(async () => {
    await driver.close();
    server.close();
  });

  it('finds elements through open shadow roots', async () => {
    expect(await driver.text('x-outer >>> [part~=approve-button]')).to.equal('Allow');
    expect(await driver.exists('x-outer >>> x-inner >>> textarea')).to.equal(true);
    expect(await driver.exists('x-inner >>> #light')).to.equal(false);
  });

  it('clicks by a trusted event, and only once the button is armed', async () => {
    await driver.click('x-outer >>> [part~=approve-button]');
    expect(await driver.evaluate(() => (window as Page).clicks)).to.deep.equal([true]);
  });

  it('types Latin, Chinese and an emoji, and presses keys with modifiers', async () => {
    await driver.type('textarea', 'Hi 你好 🙂');
    await driver.press('Shift+Enter');
    await driver.press('Enter');
    const value = await driver.evaluate(
      () => document.querySelector('x-outer')?.shadowRoot?.querySelector('x-inner')?.shadowRoot?.querySelector('textarea')?.value,
    );
    expect(value).to.equal('Hi 你好 🙂\n\n');
    const keys = (await driver.evaluate(() => (window as Page).keys)) ?? [];
    const enters = keys.filter(([key]) => key === 'Enter');
    expect(enters).to.deep.equal([
      ['Enter', true, true],
      ['Enter', true, false],
    ]);
  });

  it('waits for a condition, with arguments, and says what it waited for in vain', async () => {
    await driver.waitFor((text: string) => document.querySelector('#light')?.textContent === text, 1000, 'light');
    const failure: unknown = await driver.waitFor('#never', 100).catch((error: unknown) => error);
    expect(String(failure)).to.contain('#never');
  });

  it('sets the size of the page', async () => {
    await driver.setViewport(600, 700);
    expect(await driver.evaluate(() => innerWidth)).to.equal(600);
    await driver.setViewport(1280, 900);
  });

  it('keeps nothing of the page over a reload', async () => {
    await driver.reload();
    expect(await driver.evaluate(() => (window as Page).clicks ?? null)).to.equal(null);
  });
});
