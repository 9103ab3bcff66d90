/**
 * Creates the result of a call that could not be parsed. In a file of its own, because a parser needs it before the prompt modules are
 * loaded.
 */
import type { PublishedResult } from '../model/calls.js';
import type { Texts } from '../i18n/en.js';
import type { CallErrorCode } from '../protocols/protocol.js';

/**
 * Returns an error result; the call is never executed. Only the model is told how to write the call; the user only sees that nothing was
 * done.
 * @param call `name` as far as the parser got it, `protocol` for advice that fits the protocol
 */
export function malformedCallResult(
  call: { requestId: string; code: CallErrorCode; name?: string | undefined; protocol?: string },
  texts: Texts,
): PublishedResult {
  const { requestId, code: problem, name: toolName = '', protocol } = call;
  const code = 'MALFORMED_CALL';
  const told = texts.malformedCall(texts[problem === 'malformed' ? malformedTextFor(protocol) : PROBLEMS[problem]]);
  return Object.freeze({
    ...({ requestId, toolName, success: false, status: 'error', code, errorType: 'invalid_format', message: texts.callUnread } as const),
    result: `${code}: ${told}`,
    durationMs: 0,
  });
}

const PROBLEMS = {
  unclosed: 'problemUnclosed',
  missing_name: 'problemMissingName',
  bad_json: 'problemBadJson',
  bad_shape: 'problemBadShape',
  too_large: 'problemTooLarge',
} as const satisfies Record<Exclude<CallErrorCode, 'malformed'>, keyof Texts>;

/** Selects advice on how to escape the protocol's own marks in a value. Protocols with JSON values need no escaping. */
function malformedTextFor(protocol = 'xml-invoke') {
  return protocol === 'xml-invoke' ? 'problemMalformed' : protocol === 'vcp' ? 'problemMalformedVcp' : 'problemMisplaced';
}
