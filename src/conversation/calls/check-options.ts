/** What it takes to look at a call: of the settings, and where a person has changed what the model asked for. */
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

/** What preparing a call needs to know of the settings. */
export function preparing(
  { protocol }: Pick<ParsedCall, 'protocol'>,
  settings: Settings,
  registry: ToolRegistry,
  log: Log,
): PrepareDeps & { protocolId: string } {
  const { coercion, texts, sessionId, context, toolToggles, defaultToolEnabled } = settings;
  const protocolId = protocol || settings.protocol;
  return {
    ...{ registry, log, texts, sessionId, toolToggles, defaultToolEnabled, protocolId },
    // Where a notation knows only texts, what the schema says is the only way to any other type: `none` only guesses nothing.
    coercion: coercion === 'none' && TEXT_ONLY.includes(protocolId) ? 'declared' : coercion,
    user: context['user'],
    permissions: permissionsOf(context),
  };
}

/** Built-in notations in which every value is a text. */
const TEXT_ONLY: readonly string[] = ['xml-invoke', 'vcp'];

/** A form knows what is a number and what is a text; without a schema the look of a text must not change what a person wrote. */
export const coercionOfEdits = (tool: ToolDefinition | undefined): Coercion => (tool?.parameters === undefined ? 'none' : 'schema');

/** What the model is told in front of the result: not what it asked for was run. */
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
