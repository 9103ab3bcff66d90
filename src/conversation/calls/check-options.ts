/** Options for checking a call: from the settings, and for arguments that the user has changed. */
import type { Call } from '../../model/calls.js';
import type { Log } from '../../base/logging.js';
import type { Coercion } from '../../tools/coerce.js';
import { canonicalJson } from '../../tools/digest.js';
import type { PrepareDeps } from '../../tools/prepare.js';
import type { ToolRegistry } from '../../tools/registry.js';
import { publicArguments } from '../../tools/sensitive.js';
import type { ToolDefinition } from '../../tools/tool.js';
import { permissionsOf } from '../options/read-settings.js';
import { type Settings } from '../options/settings.js';
import type { ParsedCall, Edited } from '../chart/chart-context.js';

/** Returns the dependencies of preparing a call, as the settings define them. */
export function prepareDepsOf(
  { protocol }: Pick<ParsedCall, 'protocol'>,
  settings: Settings,
  registry: ToolRegistry,
  log: Log,
): PrepareDeps & { protocolId: string } {
  const { coercion, texts, sessionId, context, toolToggles, defaultToolEnabled } = settings;
  const protocolId = protocol || settings.protocol;
  return {
    ...{ registry, log, texts, sessionId, toolToggles, defaultToolEnabled, protocolId },
    // If a protocol has only text values, the schema is the only source of other types. `none` then only turns off guessing.
    coercion: coercion === 'none' && TEXT_ONLY.includes(protocolId) ? 'declared' : coercion,
    user: context['user'],
    permissions: permissionsOf(context),
  };
}

/** Built-in protocols in which every value is a text. */
const TEXT_ONLY: readonly string[] = ['xml-invoke', 'vcp'];

/**
 * Returns the coercion of edited arguments. A form tells numbers from texts. Without a schema, a text that looks like a number must not
 * change what the user wrote.
 */
export const coercionOfEdits = (tool: ToolDefinition | undefined): Coercion => (tool?.parameters === undefined ? 'none' : 'schema');

/** Returns the note that precedes the result, for the model: the call ran with other arguments than it asked for. '' if it did not. */
export function noteOfEdit(
  { args }: Call,
  { repeats }: ParsedCall,
  edited: Edited | undefined,
  { sensitive }: ToolDefinition,
  texts: Settings['texts'],
): string {
  if (repeats === undefined && edited && canonicalJson(edited.original) === canonicalJson(args)) return '';
  const json = JSON.stringify(publicArguments(args, sensitive));
  return repeats === undefined ? texts.argumentsEdited(json) : texts.argumentsRunAgain(json);
}
