/**
 * `npm run eval:embeddings`: whether memories are found by what they mean. Facts about a person, and questions that share no word with the one
 * that answers them; found by words alone, by a real model's vectors (all-MiniLM-L6-v2), and as the widget does it, by both. The vectors come
 * through the demo's relay. Exit code 1 where the model does not find more than the words do.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDemo } from '../../demo/server/demo.js';
import { relayEmbed } from '../../src/memory/relay-embed.js';
import { createSearcher } from '../../src/memory/search.js';
import type { MemoryItem } from '../../src/model/memory.js';
import { serveEmbeddings } from './local.js';
import memories from '../fixtures/eval/memories.json' with { type: 'json' };

/** What is remembered, and what is asked later. */
const PAIRS: readonly (readonly [fact: string, question: string])[] = memories as never;

const local = await serveEmbeddings(console.log);
const folder = await mkdtemp(path.join(tmpdir(), 'tool-chat-'));
const demo = await startDemo({
  port: 0,
  env: {
    MODEL_EMBEDDINGS: local.model,
    EMBEDDINGS_BASE_URL: local.baseUrl,
    RATE_LIMIT: '1000/60',
    DATABASE_URL: `file:${path.join(folder, 'demo.db')}`,
  },
});
try {
  const byMeaning = relayEmbed(`${demo.url}/api/ai/embeddings`, { fetch: (url, init) => fetch(url, withoutCredentials(init)) });
  const ways = {
    'by words': { text: true, embed: undefined },
    'by vectors of the model': { text: false, embed: byMeaning },
    'by both, as the widget does': { text: true, embed: byMeaning },
  };
  const found: Record<string, { first: number; three: number }> = {};
  for (const [name, way] of Object.entries(ways)) found[name] = await measure(way);
  console.log(`\n${String(PAIRS.length)} questions that share no word with their answer, ${local.model} in 8 bits:`);
  for (const [name, { first, three }] of Object.entries(found))
    console.log(`  ${name.padEnd(32)} first ${String(first).padStart(2)}   among three ${String(three).padStart(2)}`);
  if (found['by both, as the widget does']!.three <= found['by words']!.three) process.exitCode = 1;
} finally {
  await demo.close();
  local.stop();
  await rm(folder, { recursive: true });
}

async function measure({ text, embed }: { text: boolean; embed: ((text: string) => Promise<number[]>) | undefined }) {
  const items: MemoryItem[] = [];
  for (const [at, [fact]] of PAIRS.entries())
    items.push({ id: String(at), kind: 'fact', text: fact, createdAt: at, usedAt: at, ...(embed && { vector: await embed(fact) }) });
  const searcher = createSearcher();
  const result = { first: 0, three: 0 };
  for (const [at, [, question]] of PAIRS.entries()) {
    const vector = await embed?.(question);
    const answer = await searcher.search(items, { limit: 3, ...(text && { text: question }), ...(vector && { vector }) });
    const rank = answer.findIndex(({ id }) => id === String(at));
    if (rank === 0) result.first += 1;
    if (rank >= 0) result.three += 1;
  }
  return result;
}

/** Node has no cookies to send. */
function withoutCredentials({ credentials: _, ...init }: RequestInit = {}): RequestInit {
  return init;
}
