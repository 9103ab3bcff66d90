/**
 * `constrain="auto"` limits a model to prose or a call in the protocol of the prompt. llama.cpp gets a grammar for it, directly or through
 * our relay. Other servers get a JSON schema instead, and only if the whole reply has to be one call. Loaded on demand.
 */
import { DESCRIBE_TOOL, describeToolFor } from '../../prompts/paging.js';
import { writeCallSchema, writeGrammar } from '../../protocols/grammar.js';
import type { ToolDescription } from '../../protocols/protocol.js';
import { field } from '../../transports/read-fields.js';
import type { Wire } from '../../transports/wire.js';
import type { ReplyInput } from '../chart/chart-context.js';
import { plansFirst } from '../options/read-settings.js';
import type { Settings } from '../options/settings.js';
import type { ComposedRequest, PromptContext } from './prompt-input.js';
import { NATIVE } from './protocol-registry.js';
import type { Constraint } from './model-capabilities.js';

type Constraints = Pick<ComposedRequest, 'grammar' | 'replySchema'>;

/**
 * Returns the constraints for a reply to this request, for any server. Empty if the prompt also teaches plan or question blocks, or if no
 * tool can be called.
 */
export function constraintsOf(
  protocolId: string,
  tools: readonly ToolDescription[],
  { turn, planning }: ReplyInput,
  speaker: PromptContext,
): Constraints {
  const { settings, lock } = turn;
  if (protocolId === NATIVE || tools.length === 0 || planning || plansFirst(settings)) return {};
  const known = speaker.registry.has(DESCRIBE_TOOL) ? [...tools, describing(settings)] : tools;
  const certain = lock?.tool;
  const grammar = writeGrammar(protocolId, known, { callsPerTurn: settings.callsPerTurn, certain });
  const replySchema = certain === undefined ? undefined : writeCallSchema(protocolId, tools, certain);
  return { ...(grammar !== undefined && { grammar }), ...(replySchema && { replySchema }) };
}

function describing(settings: Settings): ToolDescription {
  const { name, description, parameters } = describeToolFor([], settings.promptOptions.lang ?? settings.lang);
  return { toolId: name, toolName: name, methods: [{ name, description, parameters }] };
}

/** Keeps only the constraint that this endpoint supports. */
export async function constrain(
  said: ComposedRequest,
  { wire, endpoint, settings }: { wire: Wire; endpoint: URL; settings: Settings },
  { windows }: PromptContext,
  signal: AbortSignal,
): Promise<ComposedRequest> {
  const { grammar, replySchema, ...rest } = said;
  if (windows.constraint(settings) === 'refused') return rest;
  // Our relay forwards the grammar. Other servers of this wire ignore fields that they do not know.
  if (wire.id === 'cutie') return grammar === undefined ? rest : { ...rest, grammar };
  if (wire.id !== 'openai' || (grammar ?? replySchema) === undefined) return rest;
  if (!windows.constraint(settings)) windows.noteConstraint(settings, await look(endpoint, settings, signal));
  if (windows.constraint(settings) === 'grammar') return grammar === undefined ? rest : { ...rest, grammar };
  return replySchema ? { ...rest, replySchema } : rest;
}

const WAIT_MS = 3000;

/** Detects llama.cpp by its `/props` route. The result is cached per endpoint. Never rejects. */
async function look(endpoint: URL, { headers, fetch }: Settings, signal: AbortSignal): Promise<Constraint> {
  const url = new URL(endpoint);
  url.search = '';
  url.pathname = url.pathname.replace(/(?:\/v1)?\/chat\/completions\/?$/, '/props');
  if (!url.pathname.endsWith('/props')) return 'unknown';
  try {
    const response = await fetch(url, {
      headers: typeof headers === 'function' ? await headers() : (headers ?? {}),
      signal: AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]),
      ...({ redirect: 'error', referrerPolicy: 'no-referrer', credentials: 'same-origin' } as const),
    });
    return response.ok && field(await response.json(), 'default_generation_settings') !== undefined ? 'grammar' : 'unknown';
  } catch {
    return 'unknown';
  }
}
