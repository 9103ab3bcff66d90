/** Recognizes the errors of services that find a conversation longer than the model can read at once, for the page and for the relay. */

/** llama.cpp, OpenAI, vLLM, Anthropic, Google, Mistral, xAI, Bedrock, OpenRouter, Ollama, and our relay. */
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

/** Tokens that the model can read. */
const WINDOWS = [
  /"n_ctx"\s*:\s*(\d{2,9})\b/,
  /available context size \((\d{2,9})\b/i,
  /maximum (?:context|prompt) length (?:is|of) (\d{2,9})\b/i,
  /(\d{2,9}) maximum context length/i,
  /context length of only (\d{2,9})\b/i,
  /> (\d{2,9}) maximum/i,
  /number of tokens allowed \((\d{2,9})\)/i,
];

/** Tokens of the conversation. */
const NEEDS = [
  /"n_prompt_tokens"\s*:\s*(\d{2,9})\b/,
  /request \((\d{2,9}) tokens/i,
  /\((\d{2,9}) in the messages/i,
  /too long: (\d{2,9}) tokens/i,
  /token count \((\d{2,9})\)/i,
  /request contains (\d{2,9}) tokens/i,
];

/** UTF-16 units of an error that are looked at. */
const MOST = 8_192;

/**
 * @param said code and sentence of an error, or its body
 * @returns tokens, where it names them; undefined for another error
 */
export function readTooLong(said: string): { window?: number; needed?: number } | undefined {
  const text = said.slice(0, MOST);
  if (!TOO_LONG.test(text)) return undefined;
  const [window, needed] = [WINDOWS, NEEDS].map((patterns) => Number(patterns.map((one) => one.exec(text)?.[1]).find(Boolean)));
  return { ...(window && { window }), ...(needed && { needed }) };
}
