/**
 * Turns a call that the model wrote into one that can be shown, judged and run: name, permission, coercion, validation, description,
 * digest, in this order. Has no side effects.
 */
import type { Call, PublishedResult, TaintSource } from '../model/calls.js';
import type { Texts } from '../i18n/en.js';
import type { Log } from '../base/logging.js';
import type { JsonSchema } from '../model/json-schema.js';
import { loadMissingPatterns } from '../base/patterns.js';
import { deepFreeze } from '../base/objects.js';
import { cutText } from '../base/cut-text.js';
import { createYield } from './yield-to-main.js';
import { coerceArguments, type Coercion } from './coerce.js';
import { describeCall, DESCRIBE_LIMIT } from './describe-call.js';
import { digestCall } from './digest.js';
import { copyData } from './freeze.js';
import { withDeadline } from './with-deadline.js';
import { isUsable, nameUnder, type ToolRegistry, type ToolToggles } from './registry.js';
import { outcomes, publish, readThrown, type Outcome } from './result.js';
import { givenArguments, labelsIn } from './schema-parts.js';
import { parametersOf } from './schema.js';
import { publicArguments } from './sensitive.js';
import type { ToolContext, ToolDefinition } from './tool.js';
import { hostOf, sourceOf, untrustedSourceFor } from './tool-source.js';
import { readArguments, validateArguments } from './validate.js';

export interface CallRequest {
  requestId: string;
  /** The name as the model wrote it. */
  toolName: string;
  /** The arguments as parsed by the protocol; read once, never changed. */
  args: unknown;
  /** The flags of the parser and the wire. */
  flags?: readonly string[];
}

export interface PrepareDeps extends ToolToggles {
  registry: ToolRegistry;
  protocolId?: string;
  coercion: Coercion;
  texts: Texts;
  log: Log;
  sessionId: string;
  user?: unknown;
  permissions?: readonly string[] | undefined;
  taintedBy?: TaintSource | undefined;
  /** Aborts validation and description when the turn is stopped. */
  stop?: AbortSignal | undefined;
  /** Maximum milliseconds for validation and for description, each. Default 5000. */
  limit?: number;
}

export interface CheckedCall {
  type: 'checked';
  /** The frozen call. Its `status` is `pending` and its `reason` empty until the gate has decided. */
  call: Call;
  /** The definition that this call is bound to. */
  tool: ToolDefinition;
  /** Returns the arguments for `execute`: a fresh copy each time, so that changes to it have no other effect. */
  argsForTool(): unknown;
  /** Returns true if `tool` is still registered; otherwise the call must not start. */
  isCurrent(): boolean;
  /** A note for the model in front of the result, which says that the page changed the arguments. */
  note?: string;
}

export type Prepared =
  | CheckedCall
  /** `parameter`: the parameter with the invalid value, if the error is about one. */
  | { type: 'refused'; result: PublishedResult; args: Readonly<Record<string, unknown>>; parameter?: string };

/** Prepares a call. Never rejects: an invalid call gets an error result. */
export async function prepareCall(request: CallRequest, deps: PrepareDeps): Promise<Prepared> {
  const { texts } = deps;
  const breathe = createYield();
  const read = readArguments(request.args, texts);
  try {
    return await prepare(request, read, deps, breathe);
  } catch (error) {
    // An unexpected error, such as a schema that is too deep: not the model's fault, but the call must not run.
    const { requestId, toolName } = request;
    deps.log.error('tool.refused', 'Tool failed', { toolName, requestId }, { stage: 'EX', error });
    return { type: 'refused', result: publish(await readThrown(error, texts), { requestId, toolName, texts }), args: {} };
  }
}

async function prepare(
  request: CallRequest,
  read: ReturnType<typeof readArguments>,
  deps: PrepareDeps,
  breathe: ReturnType<typeof createYield>,
): Promise<Prepared> {
  const { requestId, flags = [] } = request;
  const { registry, protocolId, texts, log, stop, limit = DESCRIBE_LIMIT } = deps;

  function refuse(outcome: Outcome, tool?: ToolDefinition, error?: unknown): Prepared {
    const toolName = tool?.name ?? cutText(request.toolName, 100);
    const params = read.ok ? read.args : {};
    const context = { toolName, requestId, params: publicArguments(params, tool?.sensitive), code: outcome.code };
    log.error('tool.refused', 'Tool failed', context, { stage: 'EX', error: error ?? outcome.message, ...typeOfError(outcome) });
    return { type: 'refused', result: publish(outcome, { requestId, toolName, texts }), args: deepFreeze(params) };
  }

  const filter = { ...deps, permissions: deps.permissions ?? [] };
  const tool = registry.get(request.toolName, protocolId);
  if (!tool) {
    const meant = registry.ambiguous(request.toolName).filter((each) => isUsable(each, filter));
    const names = (meant.length > 0 ? meant : registry.list(filter)).map((each) => nameUnder(each, protocolId)).join(', ');
    const say = meant.length > 0 ? texts.toolAmbiguous : texts.toolNotFound;
    return refuse(outcomes.missing(texts, say(cutText(request.toolName, 100), names || '–')));
  }
  if (!isUsable(tool, filter)) return refuse(outcomes.missing(texts, texts.toolForbidden(tool.name), 'auth'), tool);
  if (!read.ok) return refuse(outcomes.refused('INVALID_PARAMETER', read.message), tool);

  const schema = parametersOf(tool);
  await breathe();
  const given = schema ? givenArguments(read.args, schema) : read.args;
  let meant = coerceArguments(given, schema, deps.coercion);
  if (await loadMissingPatterns()) meant = coerceArguments(given, schema, deps.coercion);
  await breathe();
  // JSON inside a string adds structure, which must be checked in the same way.
  const coerced = readArguments(meant, texts);
  if (!coerced.ok) return refuse(outcomes.refused('INVALID_PARAMETER', coerced.message), tool);
  const args = coerced.args;
  await breathe();
  log.debug('tool.arguments', 'Arguments read', () => ({
    ...{ toolName: tool.name, from: publicArguments(read.args, tool.sensitive), to: publicArguments(args, tool.sensitive) },
  }));

  // With `pattern`, arguments are converted by their look regardless of the schema, so validation checks the arguments as the schema
  // declares them.
  const byLook = deps.coercion === 'pattern';
  const checked = byLook ? coerceArguments(given, schema, 'schema') : args;
  const validation = await withDeadline(() => validateArguments(tool, checked, texts), { ms: limit, stop });
  if (validation.how === 'aborted') return refuse(outcomes.notExecuted(texts), tool);
  if (validation.how === 'timeout') return refuse(outcomes.timeout(texts, limit), tool);
  if (validation.how === 'failed') return refuse(await readThrown(validation.error, texts), tool, validation.error);
  if (!validation.value.ok) {
    const { code, message, parameter } = validation.value;
    return { ...refuse(outcomes.refused(code, message), tool), ...(parameter !== undefined && { parameter }) };
  }
  const output = byLook ? args : validation.value.output;

  await breathe();
  const argsForTool = () => copyData(output);
  const context = (signal: AbortSignal) => toolContext({ ...deps, requestId, toolName: tool.name, signal });
  const [description, digest] = await Promise.all([
    describeCall({ tool, args: argsForTool, context, log, limit, stop }),
    Promise.resolve(breathe()).then(() => digestCall(tool.name, args, tool)),
  ]);
  await breathe();

  const host = hostOf(tool);
  // An untrusted service may call its tool "Cancel", so its label does not become a button.
  const verbs = tool.verbs ?? (sourceOf(tool)?.trusted === false ? { allow: texts.allow, deny: texts.deny } : undefined);
  const taintedBy = untrustedSourceFor(tool, deps.taintedBy);
  const call: Call = {
    requestId,
    toolName: tool.name,
    label: registry.labelOf(tool),
    ...(host && { toolHost: host }),
    ...(tool.icon !== undefined && { icon: tool.icon }),
    risk: tool.risk ?? 'undeclared',
    args: deepFreeze(args),
    digest,
    status: 'pending',
    ...labelsOf(schema ?? {}, args),
    ...description,
    ...(verbs && { verbs }),
    ...(tool.undo && { undoable: true as const }),
    ...(flags.length > 0 && { flags: Object.freeze([...flags]) }),
    ...(taintedBy && { taintedBy: Object.freeze({ ...taintedBy }) }),
    reason: '',
  };
  return { type: 'checked', call: Object.freeze(call), tool, argsForTool, isCurrent: () => registry.get(tool.name) === tool };
}

/** Maximum characters of a label, including a name appended to it. */
const LABEL_CHARS = 200;

function labelsOf(schema: JsonSchema, args: object): Pick<Call, 'labels'> {
  const labels = [...labelsIn(schema, Object.keys(args))].flatMap(([name, label]) => (label ? [[name, cutText(label, LABEL_CHARS)]] : []));
  return labels.length > 0 ? { labels: Object.freeze(Object.fromEntries(labels) as Record<string, string>) } : {};
}

/** Creates the context that a tool gets with a call. */
export function toolContext(options: {
  requestId: string;
  toolName: string;
  sessionId: string;
  signal: AbortSignal;
  user?: unknown;
  permissions?: readonly string[] | undefined;
  progress?: ToolContext['progress'];
  log: Log;
}): ToolContext {
  const { requestId, toolName, sessionId, signal, user, permissions, progress = () => undefined, log } = options;
  return Object.freeze({
    requestId,
    sessionId,
    signal,
    ...(user !== undefined && { user }),
    ...(permissions && { permissions: [...permissions] }),
    progress,
    logger: log.forTool({ toolName, requestId }),
  });
}

export function typeOfError({ errorType, code }: Outcome): { errorType?: string } {
  const type = errorType ?? code;
  return type === undefined ? {} : { errorType: type };
}
