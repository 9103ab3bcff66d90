/** The parser alone, in Node: the time of one call, and how the time grows with its length. */
const PIECE = 4;

/** @returns {Promise<{smallMs: number, ratio: number}>} Median of a 1 KB call; time of 1 MB over the time of 100 KB. */
export async function parserBench(module) {
  const { protocols } = await import(module);
  const parser = protocols['xml-invoke'];
  const call = (length) =>
    `<tool_use>\n<invoke name="write_note">\n<parameter name="text">${'word '.repeat(length / 5)}</parameter>\n</invoke>\n</tool_use>`;
  const time = (text) => {
    let calls = 0;
    const start = performance.now();
    const reader = parser.createParser((segment) => (calls += segment.type === 'call' ? 1 : 0), { maxAccumulator: 4_000_000 });
    for (let at = 0; at < text.length; at += PIECE) reader.push(text.slice(at, at + PIECE));
    reader.end('stop');
    const ms = performance.now() - start;
    if (calls !== 1) throw new Error(`The parser found ${calls} calls instead of one.`);
    return ms;
  };
  const times = (n, text) => Array.from({ length: n }, () => time(text)).sort((a, b) => a - b);

  times(200, call(1000)); // warm
  const small = times(500, call(1000));
  const [hundred] = times(9, call(100_000));
  const [thousand] = times(5, call(1_000_000));
  const smallMs = small[small.length >> 1];
  console.log(`parser: 1 KB ${smallMs.toFixed(3)} ms, 100 KB ${hundred.toFixed(1)} ms, 1 MB ${thousand.toFixed(1)} ms`);
  return { smallMs, ratio: thousand / hundred };
}
