/**
 * The corpus: what models write and what has to be read, for each built-in protocol, as plain data (`JSON.stringify` keeps all of it).
 * Written from the rules, not from what our parsers do; where the rules leave a choice, the sample says so.
 */
import { jsonActionCorpus } from './json-action.js';
import { jsonToolCallsCorpus } from './json-tool-calls.js';
import type { ProtocolCorpus } from './sample.js';
import { toolCodeCorpus } from './tool-code.js';
import { vcpCorpus } from './vcp.js';
import { xmlInvokeCorpus } from './xml-invoke.js';

export type { CorpusSample, ProtocolCorpus } from './sample.js';

/** The corpora, in the order of the protocols. */
export const corpus: readonly ProtocolCorpus[] = [xmlInvokeCorpus, jsonActionCorpus, vcpCorpus, jsonToolCallsCorpus, toolCodeCorpus];
