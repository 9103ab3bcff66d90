/** Warns once about options that have no effect with the current service. */
import type { Log } from '../../base/logging.js';
import { isObject, own } from '../../base/objects.js';
import { isFirst } from '../../base/log-once.js';
import type { Settings } from '../options/settings.js';

/** The header by which the relay says that its gate is on. */
const GATE_HEADER = 'tool-chat-gate';

export interface RelayUse {
  settings: Pick<Settings, 'promptInjection' | 'orchestration' | 'temperature'>;
  /** `own`: the wire belongs to the host, so it is unknown what it carries. */
  wire: { id: string; own: boolean; temperature?: false | undefined };
  /** The configuration that the relay gets with the conversation. */
  config: object | undefined;
  log: Log;
}

/** @returns called with the headers of an answer */
export function checkRelay({ settings, wire, config, log }: RelayUse): (headers: Headers) => void {
  const warn = (option: string, message: string) => {
    if (isFirst(log, `relay ${option}`)) log.warn('config.relay', message, { option, wire: wire.id });
  };
  if (settings.temperature !== undefined && wire.temperature === false)
    warn('temperature', `\`temperature\` is not sent: the wire ${wire.id} has no place for it, so the model uses its own`);
  const carries = wire.id === 'cutie' || wire.own;
  const tools = isObject(config) ? own(config, 'enabledTools') : undefined;
  if (settings.promptInjection === 'relay' && !carries && Array.isArray(tools) && tools.length > 0)
    warn(
      'prompt-injection',
      `The model is taught no tool: \`prompt-injection="relay"\` (also by \`preset="semi-auto"\`) leaves that to our relay, and the wire ${wire.id} does not reach one. Set \`prompt-injection="client"\`, or an \`endpoint\` of our relay`,
    );
  const gated = settings.orchestration === 'relay-gated';
  if (gated && !carries) warnOfGate(`the wire ${wire.id} does not reach our relay`);
  return (headers) => {
    if (gated && wire.id === 'cutie' && headers.get(GATE_HEADER) === null) warnOfGate('what answers does not say that it has a gate');
  };

  function warnOfGate(why: string): void {
    warn(
      'orchestration',
      `Only this page checks the order of calls: \`orchestration="relay-gated"\` (also by \`preset="orchestrated"\`) is set, but ${why}. Set \`orchestration: 'relay-gated'\` (ORCHESTRATION) at the relay, or \`orchestration="client"\` here`,
    );
  }
}
