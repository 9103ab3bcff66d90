import type { Call } from './calls.js';

/** Returns the tool's label with its host, for contexts that do not show the host otherwise. */
export function labelWithHost(
  { label, toolHost }: Pick<Call, 'label' | 'toolHost'>,
  { labelFrom }: { labelFrom(this: void, label: string, host: string): string },
): string {
  // A label that was prefixed to avoid a name clash has the host already.
  return toolHost && !label.startsWith(`${toolHost}: `) ? labelFrom(label, toolHost) : label;
}
