/**
 * Memories are found by meaning if the relay has a model for that (`MODEL_EMBEDDINGS`), else by their words.
 */
import { embedWords } from './research-corpus.js';

/** @param {(model: string | undefined) => void} tell hears, with the first text, of which model the vectors are; of none: of words */
export function createEmbed(tell) {
  let chosen;
  return async (text) => (await (chosen ??= choose(tell)))(text);
}

async function choose(tell) {
  const { embeddings } = await fetch('/api/demo/info').then((response) => response.json());
  tell(embeddings);
  if (!embeddings) return embedWords;
  const { relayEmbed } = await import('/dist/modules/memory/relay-embed.js');
  return relayEmbed('/api/ai/embeddings');
}
