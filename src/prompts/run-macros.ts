/** Runs the host's macros; loaded with the first text that uses one. */
import { priorityOf, type MacroInfo, type MacroContext, type MacroUse } from './macros.js';

/** The maximum duration of a macro in milliseconds. */
const MACRO_TIMEOUT = 5000;

/**
 * Runs macros by priority and adds their texts to `values`, by source. Never throws: a macro that fails or is too slow gives an empty text.
 */
export async function runMacros(uses: readonly MacroUse[], values: Map<string, string>, context: MacroContext): Promise<void> {
  const open = uses.filter(({ source }) => !values.has(source));
  const priorities = [...new Set(open.map(priorityOf))].sort((a, b) => b - a);
  for (const priority of priorities) {
    const group = open.filter((use) => priorityOf(use) === priority);
    const texts = await Promise.all(group.map((use) => runMacro(use, context)));
    group.forEach(({ source }, index) => values.set(source, texts[index] ?? ''));
  }
}

async function runMacro({ source, macro, args }: MacroUse, input: MacroContext): Promise<string> {
  const { context, protocol, signal, warn, timeout = MACRO_TIMEOUT } = input;
  const controller = new AbortController();
  let giveUp = () => {};
  const given = new Promise<never>((_, reject) => {
    giveUp = () => {
      controller.abort();
      reject(new Error(signal.aborted ? 'no longer needed' : `nothing within ${timeout} ms`));
    };
  });
  const timer = setTimeout(giveUp, timeout);
  signal.addEventListener('abort', giveUp);
  try {
    if (signal.aborted) giveUp();
    const info: MacroInfo = { context, protocol, signal: controller.signal, ...(args !== undefined && { args }) };
    const value: unknown = await Promise.race([given, signal.aborted ? undefined : macro.execute(info)]);
    if (typeof value === 'string') return value;
    throw new Error('it did not return a text');
  } catch (error) {
    warn(`The macro ${source} was left empty: ${error instanceof Error ? error.message : String(error)}`);
    return '';
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
