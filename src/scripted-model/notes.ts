/** Summaries and memory (`memory="layered"`): the scripted model writes notes of a conversation, and reads them from later prompts. */
import type { ScriptedRequest } from './scripted-request.js';

/** Characters of one message that are searched, in UTF-16 units. */
const MAX_SAID = 500;

/** Returns the notes as JSON if the prompt asks for them; otherwise undefined. */
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

/** Returns the memory items in a system prompt, one per line. */
export function readMemory(system: string): string[] {
  const start = system.lastIndexOf('\n<memory>\n');
  const end = system.lastIndexOf('\n</memory>');
  if (start < 0 || end < start) return [];
  return system
    .slice(start, end)
    .split('\n')
    .flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

/** Returns the name that the user gives as their own. */
export const toldName = (said: string): string | undefined =>
  /(?:我叫|我的名字是|my name is|call me)\s*(?!什么)([^\s，。！？,.!?]{1,40})/i.exec(said.slice(0, MAX_SAID))?.[1];

/** Returns the user's name from the memory items. */
export function rememberedName(memory: readonly string[]): string | undefined {
  return memory.flatMap((line) => /^(?:用户姓名|User name): (.+)$/.exec(line)?.[1] ?? []).at(-1);
}
