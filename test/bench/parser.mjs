/** The parsers alone: the time of one call. How time grows with length: `protocols/worst.node.test.ts`. */
const PIECE = 4;

/**
 * In Node, for each built-in protocol.
 *
 * @param {string} module The built door `tool-chat/protocols`.
 * @returns {Promise<number>} Of the worst protocol: median of a 1 KB call, in milliseconds.
 */
export async function parserBench(module) {
  const { protocols } = await import(module);
  const medians = Object.values(protocols).map((protocol) => {
    const text = protocol.writeCall('write_note', { text: 'word '.repeat(200) });
    const times = (n) => Array.from({ length: n }, () => time(protocol, text)).sort((a, b) => a - b);
    times(200); // warm
    const median = times(500)[250];
    console.log(`parser ${protocol.id.padEnd(16)} 1 KB ${median.toFixed(3)} ms`);
    return median;
  });
  return Math.max(...medians);
}

function time(protocol, text) {
  let calls = 0;
  const start = performance.now();
  const reader = protocol.createParser((segment) => (calls += segment.type === 'call' ? 1 : 0));
  for (let at = 0; at < text.length; at += PIECE) reader.push(text.slice(at, at + PIECE));
  reader.end('stop');
  const ms = performance.now() - start;
  if (calls !== 1) throw new Error(`The parser of ${protocol.id} found ${calls} calls instead of one.`);
  return ms;
}
