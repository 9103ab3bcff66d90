/** The parsers of all built-in protocols at once. Most replies need only one of them; `built-in-protocols.ts` loads each alone. */
import type { BuiltInReader } from './echoed-results.js';
import { jsonActionReader } from './json-action/parser.js';
import { jsonToolCallsReader } from './json-tool-calls/parser.js';
import { toolCodeReader } from './tool-code/parser.js';
import { vcpReader } from './vcp/parser.js';
import { xmlInvokeReader } from './xml-invoke/parser.js';

/** If two could open at the same position, the earlier one is tried first. */
export const readers: readonly BuiltInReader[] = [xmlInvokeReader, jsonActionReader, vcpReader, jsonToolCallsReader, toolCodeReader];
