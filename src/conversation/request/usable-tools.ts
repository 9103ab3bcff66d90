/** Which tools the model may be told of, and may call, as they are now. */
import type { ToolDefinition } from '../../tools/tool.js';
import type { ToolRegistry } from '../../tools/registry.js';
import { permissionsOf } from '../options/read-settings.js';
import { type Settings } from '../options/settings.js';

/** @param unlisted Names of tools that are ours and stand in no list. */
export function usableTools(
  settings: Settings,
  { registry, unlisted }: { readonly registry: ToolRegistry; readonly unlisted: ReadonlySet<string> },
): ToolDefinition[] {
  if (settings.tools === 'off') return [];
  const { toolToggles, defaultToolEnabled, context } = settings;
  return registry.list({ permissions: permissionsOf(context), toolToggles, defaultToolEnabled }).filter(({ name }) => !unlisted.has(name));
}
