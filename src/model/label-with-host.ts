import type { Call } from './calls.js';

/** The name of a tool where nothing else says whose it is. */
export function labelWithHost(
  { label, toolHost }: Pick<Call, 'label' | 'toolHost'>,
  { labelFrom }: { labelFrom(this: void, label: string, host: string): string },
): string {
  // One that is called like a tool of somebody else says so already.
  return toolHost && !label.startsWith(`${toolHost}: `) ? labelFrom(label, toolHost) : label;
}
