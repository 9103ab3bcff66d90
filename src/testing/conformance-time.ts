/** Checks that parsing time is linear in the length for any repeated text, and that prose is shown as it arrives. */
import { cutEvery, textOfSegments } from './chunks.js';
import type { ProtocolReader, Segment } from '../protocols/protocol.js';

/**
 * Throws where the time for twice the length is more than 2.6 times as long, in small chunks or at once. Compares 50,000 characters
 * with 200,000, two doublings, the least of several runs: a pause of a busy machine weighs half as much as in one doubling.
 */
export function checkLinear(protocol: ProtocolReader, build: (length: number) => string) {
  const [single, fourfold] = [build(50_000), build(200_000)];
  for (const size of [4, Infinity]) {
    let long = time(protocol, fourfold, size);
    // Under 100 ms a busy machine decides, not the parser; whatever is quadratic at this length is slower.
    if (long <= 100) continue;
    let short = time(protocol, single, size);
    const isSuspect = () => long > 100 && long > 2.6 ** 2 * short;
    for (const deadline = performance.now() + 4000; isSuspect() && performance.now() < deadline;) {
      short = Math.min(short, time(protocol, single, size));
      long = Math.min(long, time(protocol, fourfold, size));
    }
    if (isSuspect()) throw new Error(`${Math.sqrt(long / short).toFixed(1)} times the time, in chunks of ${size}`);
  }
}

/** Returns the CPU time of this process in milliseconds, so that a busy machine does not matter. In a browser it is the wall-clock time. */
function spent(): number {
  const usage = (globalThis as { process?: { cpuUsage?(): { user: number; system: number } } }).process?.cpuUsage?.();
  return usage ? (usage.user + usage.system) / 1000 : performance.now();
}

function time(protocol: ProtocolReader, text: string, size: number): number {
  const start = spent();
  const parser = protocol.createParser!(() => {});
  if (size === Infinity) parser.push(text);
  else for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
  parser.end();
  return spent() - start;
}

/** Checks that plain text passes without delay. */
export function checkPrompt(protocol: ProtocolReader) {
  const segments: Segment[] = [];
  const parser = protocol.createParser!((segment) => segments.push(segment));
  let pushed = 0;
  for (const chunk of cutEvery('Nothing but words, so there is nothing to wait for.\n'.repeat(40), 7)) {
    parser.push(chunk);
    pushed += chunk.length;
    const late = pushed - textOfSegments(segments.splice(0)).length;
    if (late > 0) throw new Error(`Holds back ${late} characters after ${pushed} of prose`);
    pushed = 0;
  }
}
