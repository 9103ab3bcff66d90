/** The page of the playground, as its tests use it. */
import { expect } from 'chai';
import { serveDemo } from './demo-server.js';
import { type Driver, launch } from './driver.js';
import { ALLOW, textOfChat, untilReady, type Chat } from './widget.js';

/** The marks of all formats and of their results, which no user should see. */
const MARKUP =
  /<\/?tool_|<invoke|<parameter|"action"|tool_call|"arguments"|<<<|TOOL_REQUEST|「始|「末|<tool_code|```json|function_call|tool_use/;

export type Playground = Awaited<ReturnType<typeof openPlayground>>;

/** Without `page`, which is an address, the playground of the demo. */
export async function openPlayground({ page, driver: given }: { page?: string; driver?: Driver } = {}) {
  const demo = page === undefined ? await serveDemo({ delayMs: 0 }) : undefined;
  const driver = given ?? (await launch());
  const play = {
    driver,
    url: demo?.url ?? '',
    /** `search` begins with `&`, or with `#` for what a link has chosen. */
    async open(search = '', lang = 'en') {
      await driver.open(`${page ?? `${demo!.url}/playground`}?lang=${lang}${search}`);
      await untilReady(driver);
    },
    /** By the selects and boxes of the page. */
    choose: (choice: Record<string, string>) =>
      driver.evaluate((wanted: Record<string, string>) => {
        for (const [name, value] of Object.entries(wanted)) {
          const field = document.querySelector<HTMLSelectElement | HTMLInputElement>(`#controls [name=${name}]`)!;
          if (field.type === 'checkbox') (field as HTMLInputElement).checked = value === 'on';
          else field.value = value;
          if (field.value !== value && field instanceof HTMLSelectElement) throw new Error(`There is no ${name} ${value}`);
          field.dispatchEvent(new Event('change', { bubbles: true }));
        }
      }, choice),
    send: (text: string) =>
      driver.evaluate((words: string) => {
        const page = window as Window & { turnEnded?: boolean };
        page.turnEnded = false;
        void document
          .querySelector<Chat>('tool-chat')!
          .sendMessage(words)
          .then(() => (page.turnEnded = true));
      }, text),
    ended: () => driver.waitFor(() => (window as Window & { turnEnded?: boolean }).turnEnded, 15_000),
    items: (): Promise<string[]> =>
      driver.evaluate(() => {
        const texts = (item: Element) => [...item.querySelectorAll('span')].map((part) => part.textContent);
        return [...document.querySelectorAll('#items li')].map((item) => texts(item).join(' ').trim());
      }),
    textIn: (id: string): Promise<string> => driver.evaluate((name: string) => document.getElementById(name)?.textContent ?? '', id),
    /** The body of the last one. */
    request: async (): Promise<Record<string, unknown>> =>
      JSON.parse((await play.textIn('request')).replace(/^POST .*\n\n/, '')) as Record<string, unknown>,
    /** Adds, lists and removes by words; what asks is allowed by a click. Gives the bodies of the requests. */
    async through(): Promise<Record<string, unknown>[]> {
      await driver.evaluate(() => document.querySelector<Chat>('tool-chat')!.clear());
      const before = await play.items();
      const bodies: Record<string, unknown>[] = [];
      for (const [words, asks, items] of [
        ['Add 2 "oat milk" to the list', false, [...before, 'oat milk × 2']],
        ['What is on the list?', false, [...before, 'oat milk × 2']],
        ['Remove "oat milk" from the list', true, before],
      ] as const) {
        await play.send(words);
        if (asks) await driver.click(ALLOW);
        await play.ended();
        bodies.push(await play.request());
        expect(await play.items(), words).to.deep.equal(items);
      }
      const { calls, said } = await driver.evaluate(() => {
        const { toolHistory, messages } = document.querySelector<Chat>('tool-chat')!;
        return {
          calls: toolHistory.map(({ toolName, status }) => `${toolName} ${status}`),
          said: messages.filter(({ role }) => role === 'assistant').map(({ text }) => text),
        };
      });
      expect(calls).to.deep.equal(['add_item success', 'list_items success', 'remove_item success']);
      expect(said.join('\n')).to.include('oat milk × 2').and.to.include('Removed oat milk').and.to.not.match(MARKUP);
      expect(await textOfChat(driver)).to.not.match(MARKUP);
      return bodies;
    },
    async close() {
      await driver.close();
      await demo?.close();
    },
  };
  return play;
}
