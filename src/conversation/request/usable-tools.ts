/** Selects the tools that the model may know and call now. */
import type { ToolDefinition } from '../../tools/tool.js';
import type { ToolRegistry } from '../../tools/registry.js';
import { permissionsOf } from '../options/read-settings.js';
import { type Settings } from '../options/settings.js';

/** @param unlisted Names of our own tools that no list shows. */
export function usableTools(
  settings: Settings,
  { registry, unlisted }: { readonly registry: ToolRegistry; readonly unlisted: ReadonlySet<string> },
): ToolDefinition[] {
  if (settings.tools === 'off') return [];
  const { toolToggles, defaultToolEnabled, context } = settings;
  return registry.list({ permissions: permissionsOf(context), toolToggles, defaultToolEnabled }).filter(({ name }) => !unlisted.has(name));
}
