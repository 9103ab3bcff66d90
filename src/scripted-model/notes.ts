/** The scripted model as the one who keeps notes of a conversation (`memory="layered"`), and what it reads of them later. */
import type { ScriptedRequest } from './scripted-request.js';

/** UTF-16 units of one message that are looked at. */
const MAX_SAID = 500;

/** JSON where the prompt asks for notes; undefined for every other request. */
export function keepNotes({ system, messages }: Pick<ScriptedRequest, 'system' | 'messages'>): string | undefined {
  if (!/^\{"goal": .*"entities"/m.test(system)) return undefined;
  const lines = (messages.at(-1)?.text ?? '').split('\n').flatMap(readLine);
  const said = (role: string) => lines.filter((line) => line.role === role).map(({ text }) => text);
  const [asked, answered] = [said('user'), said('assistant')];
  const chinese = /\p{Script=Han}/u.test(asked.join(''));
  const found = (pattern: RegExp) => asked.flatMap((text) => pattern.exec(text)?.[1]?.trim() ?? []);
  const name = asked.flatMap((text) => toldName(text) ?? []).at(-1);
  return JSON.stringify({
    goal: asked[0] ?? '',
    done: answered.at(-1)?.split('\n')[0] ?? '',
    open: '',
    facts: found(/^(?:请?记住|(?:please )?remember(?: that)?)[：:,，\s]*(.{2,200})/i),
    preferences: found(/((?:我(?:更|最)?喜欢|I (?:prefer|like)\b).{1,100})/i),
    entities: name === undefined ? {} : { [chinese ? '用户姓名' : 'User name']: name },
  });
}

function readLine(line: string): { role: string; text: string }[] {
  try {
    const { role, text } = JSON.parse(line) as { role?: unknown; text?: unknown };
    return typeof role === 'string' && typeof text === 'string' ? [{ role, text: text.slice(0, MAX_SAID) }] : [];
  } catch {
    return [];
  }
}

/** What is remembered, a line each, as the system prompt tells it. */
export function readMemory(system: string): string[] {
  const start = system.lastIndexOf('\n<memory>\n');
  const end = system.lastIndexOf('\n</memory>');
  if (start < 0 || end < start) return [];
  return system
    .slice(start, end)
    .split('\n')
    .flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

/** The name that somebody says is theirs. */
export const toldName = (said: string): string | undefined =>
  /(?:我叫|我的名字是|my name is|call me)\s*(?!什么)([^\s，。！？,.!?]{1,40})/i.exec(said.slice(0, MAX_SAID))?.[1];

/** The person's name among what is remembered. */
export function rememberedName(memory: readonly string[]): string | undefined {
  return memory.flatMap((line) => /^(?:用户姓名|User name): (.+)$/.exec(line)?.[1] ?? []).at(-1);
}
