/** The end of a call that could not be read. Apart from all else about prompts, because a parser meets it before any of that is loaded. */
import type { PublishedResult } from '../model/calls.js';
import type { Texts } from '../i18n/en.js';
import type { CallErrorCode } from '../protocols/protocol.js';

/**
 * An error like any other, and never executed. How to write it is the model's affair: people are only told that it was not done.
 * @param call `name` as far as the parser got it, `protocol` for advice that fits the notation
 */
export function malformedCallResult(
  call: { requestId: string; code: CallErrorCode; name?: string | undefined; protocol?: string },
  texts: Texts,
): PublishedResult {
  const { requestId, code: problem, name: toolName = '', protocol } = call;
  const code = 'MALFORMED_CALL';
  const told = texts.malformedCall(texts[problem === 'malformed' ? malformedIn(protocol) : PROBLEMS[problem]]);
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

/** How a value is protected that holds marks of the notation; where values are JSON, nothing has to be. */
function malformedIn(protocol = 'xml-invoke') {
  return protocol === 'xml-invoke' ? 'problemMalformed' : protocol === 'vcp' ? 'problemMalformedVcp' : 'problemMisplaced';
}
