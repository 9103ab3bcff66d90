/**
 * One tool call on a page of the shop: brought to a point and left there, and looked at once the page is back. What is wrong is collected as
 * sentences, so that a test can also prove that something would be.
 */
import type { Driver } from './driver.js';
import type { Shop } from './shop.js';
import type { Plan, Point } from './shop-page.js';
import { storedRows } from './stored-rows.js';
import { ALLOW, card, type Chat } from './widget.js';

export type Tool = 'pay' | 'transfer' | 'look_up' | 'put_name';

/** They do no harm when they run twice, so they run without a person, and again after a crash. */
const mayRepeat = (tool: Tool) => tool === 'look_up' || tool === 'put_name';

/** A call of `tool` is brought to this point, and stays there. Then the page can be reloaded, unless it has done so itself, or killed. */
export async function bringTo(
  point: Point,
  driver: Driver,
  shop: Shop,
  session: string,
  plan: Partial<Plan> & { tool: Tool; apart?: boolean },
) {
  const { tool, apart = false, ...rest } = plan;
  const policy = mayRepeat(tool);
  const here = shop.visit(session);
  Object.assign(here.plan, { stop: point, undecided: policy || point === 'checking', ...rest });
  if (point === 'held') here.hold = { modelAfter: `name="${tool}"` };
  if (point === 'queued' || point === 'executing, the effect not answered') here.hold = 'effect';
  if (point === 'told to the model') here.hold = { model: 2 };
  await driver.open(shop.url(session, { apart }));
  send(driver, `Please ${point === 'queued' ? 'look_up ' : ''}${tool}`);
  if (point === 'held' || point === 'checking') return untilStored(driver, session, 'pending', tool, point !== 'held');
  await untilStored(driver, session, policy ? 'pending' : 'awaiting_approval', tool);
  if (point === 'awaiting approval') return;
  // Where the page stops at once, the click does not come to its end.
  if (policy) {
    await driver.waitFor(() => 'decideNow' in window);
    void driver.evaluate(() => (window as unknown as { decideNow(): void }).decideNow()).catch(() => undefined);
  } else void driver.click(ALLOW).catch(() => undefined);
  if (point === 'queued') return untilStored(driver, session, 'queued', tool);
  const isThere = () => {
    if (point === 'executing, the effect not answered') return shop.effects(session, tool).length > 0;
    return point === 'told to the model' ? here.asked.length > 1 : here.stopped;
  };
  await until(isThere, `${session} to come to where it is ${point}`);
}

export interface Found {
  /** What had become of it by itself, and how many effects there were: `success 1`. */
  outcome: string;
  /** Everything that is wrong with it. */
  wrong: string[];
}

/** Looks at the call on the second page of its session, allows it if it asks, and talks to the model. */
export async function comeBack(driver: Driver, shop: Shop, session: string, tool: Tool, allowed: readonly string[]): Promise<Found> {
  shop.visit(session).hold = undefined;
  const wrong: string[] = [];
  await untilPage(driver, 2);
  const hasCome = async () => (await driver.exists(card('awaiting_approval', tool))) || driver.evaluate(isSettled, tool);
  await until(hasCome, `${tool} to be settled, or to ask`);
  const status = await driver.evaluate(statusOf, tool);
  const outcome = `${status} ${String(shop.effects(session, tool).length)}`;
  if (!allowed.includes(outcome)) wrong.push(`it is ${outcome}: ${(await driver.evaluate(messagesOf, tool)).join()}`);
  if (status === 'awaiting_approval') {
    await driver.click(ALLOW);
    await driver.waitFor(isSettled, 20_000, tool);
  }
  wrong.push(...(await talk(driver, shop, session)));
  const end = await driver.evaluate(statusOf, tool);
  const results = await driver.evaluate(messagesOf, tool);
  if (results.length !== 1) wrong.push(`${String(results.length)} results are published`);
  const request = shop.visit(session).asked.at(-1)?.slice(1) ?? [];
  const told = request.flatMap(({ role, content }) => (role === 'user' ? content.split(`name="${tool}"`).slice(1) : []));
  if (told.length !== 1) wrong.push(`the model is told ${String(told.length)} times: ${JSON.stringify(request)}`);
  else if (!told[0]?.includes(end)) wrong.push(`the model is told ${String(told[0])}, but it is ${end}`);
  const effects = shop.effects(session, tool);
  if (new Set(effects).size > 1 || (effects.length > 1 && !mayRepeat(tool)))
    wrong.push(`${String(effects.length)} effects: ${effects.join(', ')}`);
  if (end === 'success' && effects.length === 0) wrong.push('it says that it happened, and it did not');
  return { outcome, wrong };
}

/** It is alive: what is said reaches the model, and the answer the screen. */
export async function talk(driver: Driver, shop: Shop, session: string): Promise<string[]> {
  const { asked } = shop.visit(session);
  const before = asked.length;
  send(driver, QUESTION);
  const isAsked = () => asked.slice(before).some((messages) => messages.at(-1)?.content === QUESTION);
  await until(isAsked, 'the next request');
  // A tab that does not lead hears of it a little later.
  await driver.waitFor(isAnswered, 20_000).catch(() => undefined);
  const said = await driver.evaluate(() => document.querySelector<Chat>('tool-chat')?.messages.at(-1)?.text);
  return said === 'Here I am.' ? [] : [`it does not answer: ${String(said)}`];
}

const QUESTION = 'Are you there?';

/** Nobody waits for the end of the turn. */
export function send(driver: Driver, text: string): void {
  const begin = (said: string) => {
    const chat = document.querySelector('tool-chat') as unknown as { sendMessage(text: string): Promise<unknown> };
    void chat.sendMessage(said);
  };
  driver.evaluate(begin, text).catch(() => undefined); // the page may be gone before it is heard
}

export async function until(done: () => boolean | Promise<boolean>, what: string, timeout = 20_000): Promise<void> {
  for (const end = Date.now() + timeout; !(await done());) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The page of the session that is the `nth` to be loaded is there; what is asked of one that is being left fails. */
export const untilPage = (driver: Driver, nth: number) =>
  until(
    () => driver.evaluate((wanted) => (window as { nthPage?: number }).nthPage === wanted, nth).catch(() => false),
    `page ${String(nth)}`,
  );

/** The call stands in the browser's storage with this status; with `whole`, no reply is arriving there. */
export const untilStored = (driver: Driver, session: string, status: string, tool: Tool, whole = true) =>
  until(async () => {
    const found = ((await storedRows(driver, session)) ?? []) as StoredRow[];
    const arrives = found.some(({ row }) => row?.message?.status?.type === 'running');
    return found.some(({ row }) => row?.status === status && row.toolName === tool) && !(whole && arrives);
  }, `${tool} to be stored as ${status}`);

interface StoredRow {
  row?: { status?: unknown; toolName?: unknown; message?: { status?: { type?: unknown } } };
}

// ——— What runs in the page

export function isSettled(tool: string): boolean {
  const { isLoading, toolHistory = [] } = document.querySelector<Chat>('tool-chat') ?? {};
  return isLoading === false && toolHistory.some(({ toolName }) => toolName === tool);
}

export function statusOf(tool: string): string {
  return document.querySelector<Chat>('tool-chat')?.toolHistory.find(({ toolName }) => toolName === tool)?.status ?? 'awaiting_approval';
}

function messagesOf(tool: string): string[] {
  const { toolHistory = [] } = document.querySelector<Chat>('tool-chat') ?? {};
  return toolHistory.filter(({ toolName }) => toolName === tool).map(({ message }) => message);
}

function isAnswered(): boolean {
  const { isLoading, messages = [] } = document.querySelector<Chat>('tool-chat') ?? {};
  return isLoading === false && messages.at(-1)?.text === 'Here I am.';
}
