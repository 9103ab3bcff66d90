/** Recognizes the errors of services that find a conversation longer than the model can read at once, for the page and for the relay. */

/** Messages of llama.cpp, OpenAI, vLLM, Anthropic, Google, Mistral, xAI, Bedrock, OpenRouter, Ollama, and our relay. */
const TOO_LONG = new RegExp(
  [
    'exceed_context_size',
    'context_too_long',
    'context_length_exceeded',
    'exceeds? the available context size',
    'maximum (?:context|prompt) length',
    'context length of only',
    'prompt is too long',
    'input is too long for requested model',
    'input token count[^.]{0,60}exceeds',
    'exceed(?:s|ed)? (?:the |its )?context (?:window|length|limit)',
    '"n_ctx"',
  ].join('|'),
  'i',
);

/** Patterns for the number of tokens that the model can read. */
const WINDOWS = [
  /"n_ctx"\s*:\s*(\d{2,9})\b/,
  /available context size \((\d{2,9})\b/i,
  /maximum (?:context|prompt) length (?:is|of) (\d{2,9})\b/i,
  /(\d{2,9}) maximum context length/i,
  /context length of only (\d{2,9})\b/i,
  /> (\d{2,9}) maximum/i,
  /number of tokens allowed \((\d{2,9})\)/i,
];

/** Patterns for the number of tokens in the conversation. */
const NEEDS = [
  /"n_prompt_tokens"\s*:\s*(\d{2,9})\b/,
  /request \((\d{2,9}) tokens/i,
  /\((\d{2,9}) in the messages/i,
  /too long: (\d{2,9}) tokens/i,
  /token count \((\d{2,9})\)/i,
  /request contains (\d{2,9}) tokens/i,
];

/** Maximum length of an error that is examined, in UTF-16 units. */
const MOST = 8_192;

/**
 * Reads the token counts of such an error.
 *
 * @param said Code and message of an error, or its body.
 * @returns The token counts, if the error names them; undefined for any other error.
 */
export function parseContextLength(said: string): { window?: number; needed?: number } | undefined {
  const text = said.slice(0, MOST);
  if (!TOO_LONG.test(text)) return undefined;
  const [window, needed] = [WINDOWS, NEEDS].map((patterns) => Number(patterns.map((one) => one.exec(text)?.[1]).find(Boolean)));
  return { ...(window && { window }), ...(needed && { needed }) };
}
