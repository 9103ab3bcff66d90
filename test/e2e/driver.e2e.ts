import { expect } from 'chai';
import type { Server } from 'node:http';
import { closeServer, listen, originOf } from './host-server.js';
import { useDriver } from './widget.js';

/** A page with what the other tests rely on: shadow roots in shadow roots, a button that is armed late, a text area. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>driver</title><x-outer></x-outer><p id="light">light</p><script>
class Inner extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' });
    const button = Object.assign(document.createElement('button'), { textContent: 'Allow' });
    button.ariaDisabled = 'true';
    setTimeout(() => { button.ariaDisabled = 'false'; }, 300);
    button.onclick = (event) => { (window.heard ??= []).push([button.ariaDisabled, event.isTrusted]); };
    const area = document.createElement('textarea');
    area.onkeydown = (event) => { if (event.key === 'Enter') window.heard.push([event.isTrusted, event.shiftKey]); };
    root.append(button, area);
  }
}
class Outer extends HTMLElement { connectedCallback() { this.attachShadow({ mode: 'open' }).append(document.createElement('x-inner')); } }
customElements.define('x-inner', Inner); customElements.define('x-outer', Outer);
</script>`;

describe('the end-to-end driver', () => {
  const driver = useDriver();
  let server: Server;

  before(async () => {
    server = await listen((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE));
    await driver.open(originOf(server));
  });
  after(() => closeServer(server));

  it('clicks what is armed, and types, by trusted events, through shadow roots', async () => {
    expect(await driver.exists('x-inner >>> #light')).to.equal(false);
    await driver.click('x-outer >>> x-inner >>> button');
    await driver.type('textarea', 'Hi 你好 🙂');
    await driver.press('Shift+Enter');
    await driver.press('Enter');
    expect(await driver.value('x-outer >>> textarea')).to.equal('Hi 你好 🙂\n\n');
    const heard = await driver.evaluate(() => (window as unknown as { heard: unknown[] }).heard);
    expect(heard).to.deep.equal([
      ['false', true],
      [true, true],
      [true, false],
    ]);
  });

  it('says what it waited for in vain', async () => {
    await driver.waitFor((text: string) => document.querySelector('#light')?.textContent === text, 1000, 'light');
    for (const wait of [driver.waitFor('#never', 100), driver.click('#never', 100)])
      expect(String(await wait.catch((error: unknown) => error))).to.contain('#never');
  });
});
