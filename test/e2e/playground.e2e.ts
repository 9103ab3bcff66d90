/** The playground, by its own controls: what is chosen applies while the widget runs, is passed on by a link, and never sends anything to a stranger. */
import { expect } from 'chai';
import { closeServer, frame, LAST_FRAMES, listen, originOf } from './host-server.js';
import { textOfChat, untilReady, type Chat } from './widget.js';
import { openPlayground, type Playground } from './playground.js';

describe('playground', () => {
  let play: Playground;

  before(async () => {
    play = await openPlayground();
  });
  after(() => play.close());

  /** Attributes of the chat. */
  const attributes = (...names: string[]) =>
    play.driver.evaluate((wanted: string[]) => wanted.map((name) => document.querySelector('tool-chat')!.getAttribute(name)), names);

  it('shows the prompt that is sent, changes it with the choice, and lets a policy that is chosen go before its preset (Y-18)', async () => {
    const { driver } = play;
    const policies = 'calls-per-turn=many&coercion=pattern&parse-mode=complete&dispatch=on-block&result-role=tool';
    await play.open(`&wire=cutie&preset=json-block&${policies}`);
    const config = await driver.evaluate(() => (document.querySelector('tool-chat') as unknown as { config: object }).config);
    expect(config).to.include({ preset: 'json-block', callsPerTurn: 'many', coercion: 'pattern', memory: 'full' });
    expect(config).to.include({ parseMode: 'complete', dispatch: 'on-block', resultRole: 'tool' });
    await driver.click('#prompt-box summary');
    await play.choose({ protocol: 'json-tool-calls' });
    await driver.waitFor(() => document.querySelector('#prompt')?.textContent?.includes('{"tool_calls": ['));
    const prompt = await play.textIn('prompt');
    await play.send('What is on the list?');
    await play.ended();
    expect(((await play.request()) as { system: string }).system).to.equal(prompt);
  });

  it('shows the lines to copy, and passes a choice on by its link', async () => {
    const { driver } = play;
    await play.open();
    await play.choose({ approval: 'always', 'max-iterations': '7' });
    const snippet = await play.textIn('snippet');
    for (const line of ['approval="always"', 'max-iterations="7"', 'chat.registerTool({']) expect(snippet).to.include(line);
    expect(snippet).to.not.include('planning=');
    const link = await driver.evaluate(async () => {
      const copied = new Promise<string>((resolve) =>
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text: string) => resolve(text) } }),
      );
      document.querySelector<HTMLElement>('#share')!.click();
      return copied;
    });
    await driver.open(`${play.url}/two`);
    await driver.open(link);
    await untilReady(driver);
    expect(await attributes('approval', 'max-iterations')).to.deep.equal(['always', '7']);
    await driver.click('#reset');
    expect(await attributes('approval', 'max-iterations')).to.deep.equal([null, null]);
    expect(await driver.evaluate(() => location.hash)).to.equal('');
  });

  it('takes no address out of a link that the user has not agreed to, and says what it left out', async () => {
    const { driver } = play;
    await play.open('#endpoint=https%3A%2F%2Fevil.example%2Fv1&approval=sometimes&key=sk-1&__proto__=x&heading=%3Cimg%20src%3Dx%3E');
    expect(await play.textIn('told')).to.include('approval, key, __proto__');
    expect(await play.textIn('asks-words'))
      .to.include('evil.example')
      .and.to.include('everything you write');
    const [endpoint, approval, heading] = await attributes('endpoint', 'approval', 'heading');
    expect(endpoint).to.match(/^\/api\/scripted\//);
    expect([approval, heading]).to.deep.equal([null, '<img src=x>']);
    await driver.click('#leave-out');
    await play.choose({ theme: 'dark' });
    expect(await attributes('endpoint')).to.deep.equal([endpoint]);
    await driver.open(`${play.url}/two`);
    await play.open('#endpoint=https%3A%2F%2Fknown.example%2Fv1');
    await driver.click('#take');
    expect(await attributes('endpoint')).to.deep.equal(['https://known.example/v1']);
    await play.choose({ theme: 'dark' });
    expect(await driver.evaluate(() => location.href)).to.match(/^(?!.*known).*theme=dark/);
  });

  it('sends to a service that the user names, with the key, and stores nothing of it (Y-20)', async () => {
    const { driver } = play;
    const heard: { path: string; key: string; model: string }[] = [];
    const server = await listen((request, response) => {
      response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*');
      if (request.method === 'OPTIONS') return void response.end();
      let body = '';
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => {
        const { model } = JSON.parse(body) as { model: string };
        heard.push({ path: request.url ?? '', key: request.headers.authorization ?? '', model });
        response.setHeader('content-type', 'text/event-stream').end(frame('Hello from far away.') + LAST_FRAMES);
      });
    });
    try {
      await play.open('&wire=openai&storage=indexeddb');
      await driver.click('#own summary');
      await driver.type('#own [name=endpoint]', `${originOf(server)}/v1/chat/completions`);
      await driver.type('#own [name=key]', 'sk-0123456789abcdef');
      await driver.type('#own [name=model]', 'my-model');
      await play.send('Hello');
      await play.ended();
      expect(await textOfChat(driver)).to.include('Hello from far away.');
      expect(heard).to.deep.equal([{ path: '/v1/chat/completions', key: 'Bearer sk-0123456789abcdef', model: 'my-model' }]);
      expect(await driver.evaluate(everythingKept))
        .to.include('Hello from far away.')
        .and.to.not.include('sk-0123')
        .and.to.not.include(new URL(originOf(server)).host);
      await driver.reload();
      await untilReady(driver);
      const own = await driver.evaluate(() => [...document.querySelectorAll<HTMLInputElement>('#own input')].map(({ value }) => value));
      expect(own.join('')).to.equal('');
      await driver.evaluate(() => document.querySelector<Chat>('tool-chat')!.clear());
    } finally {
      await closeServer(server);
    }
  });
});

/** The address, what is stored, and what the inspector shows. Runs in the page. */
async function everythingKept(): Promise<string> {
  const found = [
    location.href,
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
    document.querySelector('.inspect')?.textContent,
  ];
  const result = <Value>(request: IDBRequest<Value>) =>
    new Promise<Value>((resolve) => (request.onsuccess = () => resolve(request.result)));
  for (const { name } of await indexedDB.databases()) {
    const db = await result(indexedDB.open(name!));
    for (const table of db.objectStoreNames) found.push(JSON.stringify(await result(db.transaction(table).objectStore(table).getAll())));
    db.close();
  }
  return found.join('\n');
}
