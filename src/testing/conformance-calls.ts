/** Checks large and hostile calls, which a function writes in the protocol. */
import { assertSame, runnableCalls, cutEvery, parseChunks } from './chunks.js';
import { checkLinear } from './conformance-time.js';
import type { ConformanceCheck } from './conformance-check.js';
import type { ConformanceOptions } from './protocol-sample.js';
import type { ToolProtocol } from '../protocols/protocol.js';
import { FORBIDDEN } from '../protocols/call-buffer.js';

export function callChecks(protocol: ToolProtocol, write: NonNullable<ConformanceOptions['write']>): ConformanceCheck[] {
  const parse = (text: string) => parseChunks(protocol, cutEvery(text, 1000));
  const save = (length: number) => write('save', { content: 'word '.repeat(length / 5) });
  return [
    {
      title: 'reads twenty calls of 100 KB in one message',
      run() {
        const calls = runnableCalls(parse(Array.from({ length: 20 }, () => save(100_000)).join('\n')));
        const sizes = calls.map((call) => String(call.arguments['content']).trimEnd().length);
        assertSame(
          sizes,
          Array.from({ length: 20 }, () => 99_999),
          () => 'lengths of the arguments',
        );
      },
    },
    {
      title: 'refuses a call of 1.2 MB as too large and reads the next one',
      run() {
        const segments = parse(`${save(1_200_000)}\n${write('list', {})}`);
        const found = segments.filter((segment) => segment.type === 'call' || segment.type === 'call-error');
        assertSame(
          found.map((segment) => (segment.type === 'call' ? segment.name : segment.code)),
          ['too_large', 'list'],
          () => 'calls and errors',
        );
        const raw = found.find((segment) => segment.type === 'call-error')!.raw;
        if (raw.length > 10_000) throw new Error(`The error keeps ${raw.length} characters of what was too large`);
      },
    },
    {
      title: 'holds next to nothing of a call that is too large',
      run() {
        const parser = protocol.createParser!(() => {});
        for (const chunk of cutEvery(save(3_000_000), 1000).slice(0, -1)) parser.push(chunk);
        const held = JSON.stringify(parser.inspect?.() ?? '').length;
        if (held > 10_000) throw new Error(`Holds ${held} characters`);
      },
    },
    {
      title: 'takes at most 2.6 times the time for a call of twice the length',
      run: () => checkLinear(protocol, save),
    },
    {
      title: 'takes at most 2.6 times the time for twice as many calls',
      run: () => checkLinear(protocol, (length) => `${write('save', { content: 'a' })}\n`.repeat(length / 100)),
    },
    {
      title: 'refuses arguments that reach for a prototype',
      run() {
        for (const key of FORBIDDEN) {
          const values: Record<string, unknown> = Object.fromEntries([
            [key, '{"polluted":"yes"}'],
            ['x', '1'],
          ]);
          const codes = parse(write('save', values)).flatMap((segment) =>
            segment.type === 'call' ? ['run'] : segment.type === 'call-error' ? [segment.code] : [],
          );
          assertSame(codes, ['bad_shape'], () => `for the argument ${key}`);
        }
        const untouched: Record<string, unknown> = {};
        if (untouched['polluted'] !== undefined) throw new Error('Object.prototype was changed');
      },
    },
    {
      title: 'reads text at once as it reads it in a stream',
      run() {
        const text = `Before\n${write('save', { content: 'a < b' })}\nafter\n${write('list', {})}`;
        const requests = protocol.parseToolRequests(text).map((request) => [request.toolName, request.args]);
        assertSame(
          requests,
          [
            ['save', { content: 'a < b' }],
            ['list', {}],
          ],
          () => 'requests',
        );
      },
    },
  ];
}
