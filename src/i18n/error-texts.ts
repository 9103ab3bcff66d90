/**
 * Texts of error details and of "Check configuration". The English ones are a separate file, loaded with the first error, because few users
 * need them. Another language includes its own, because each language is a single file when it is loaded.
 */
/** The data of a report that texts can mention. */
interface Report {
  status?: number;
  origin?: string;
  window?: number;
}

/** Returns what is wrong, then what to do about it. */
type FindingTexts = (report: Report) => readonly string[];

export const errorsEn = {
  code: 'Code',
  status: 'HTTP status',
  errorType: 'Error type',
  said: 'Server message',
  check: 'Check configuration',
  checking: 'Checking…',
  /** Precedes the URL that was checked. */
  asked: 'Address:',
  feedback: 'Report a problem',
  findings: {
    ok: () => [
      'The endpoint works and accepts requests from this page.',
      'The error was temporary, or occurs only with a complete message: retry.',
    ],
    'no-endpoint': () => ['No endpoint is set.', 'For the site owner: set the “endpoint” attribute.'],
    'bad-url': () => ['The address of the endpoint is not valid.', 'It must begin with https:// or http://, or be a path of this site.'],
    'on-device': () => [
      'The answers come from the browser’s own model; there is no endpoint to check.',
      'Update the browser, or check that it has downloaded its model.',
    ],
    'mixed-content': () => ['This page uses https and the endpoint http: the browser blocks that.', 'Serve the endpoint over https.'],
    offline: () => ['The browser is offline.', 'Connect to a network; waiting messages are then sent.'],
    'local-network': () => [
      'The endpoint is on this computer or in this network, and the browser does not let this page reach it.',
      'Allow local network access in the site settings, start the server, and let it allow this site (OLLAMA_ORIGINS in Ollama).',
    ],
    csp: () => [
      'The Content-Security-Policy of this page blocks requests to the endpoint.',
      'Add the endpoint’s origin to its connect-src.',
    ],
    unreachable: () => [
      'Nothing answers at this address.',
      'Check its spelling, and that the server runs, its name resolves and its certificate is valid.',
    ],
    timeout: () => [
      'The server received the request but did not answer in time.',
      'It may be overloaded, or a proxy may delay its responses.',
    ],
    cors: ({ origin = '' }) => [
      'A server answers, but does not let this site read its answers (CORS).',
      `It must send Access-Control-Allow-Origin: ${origin} (the tool-chat relay does for origins in ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'The server lets this site read its answers, but not send the headers of a chat request (CORS).',
      `It must answer the preflight of ${origin} with Access-Control-Allow-Headers: content-type, and the names of the headers you set.`,
    ],
    auth: ({ status = 401 }) => [
      `The endpoint requires authentication (${status}).`,
      'Sign in, or set a valid key in “headers”. Keys belong in a relay, not in a page.',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `The endpoint refused this site or user (${status}).`,
      `If it is the tool-chat relay, add ${origin} to its allowed origins (ALLOWED_ORIGINS), or name it as PUBLIC_ORIGIN. Otherwise sign in with an account that may use it.`,
    ],
    'not-found': ({ status = 404 }) => [
      `A server answers, but not at this path (${status}).`,
      'Compare the path with the documentation of the service.',
    ],
    redirect: () => [
      'The server redirects requests to another address. That is not followed, to keep the conversation here.',
      'Set the final address as “endpoint”.',
    ],
    'wrong-answer': () => [
      'This address is a web page, not an endpoint.',
      'Compare the path with the documentation of the service; it may require signing in first.',
    ],
    'rate-limit': () => ['The endpoint works, but received too many requests.', 'Wait a while, then retry.'],
    'too-long': ({ window }) => [
      `The endpoint works, but the last request was longer than what its model can read at once${window === undefined ? '' : ` (${String(window)} tokens)`}.`,
      'Start a new conversation, register fewer tools, or serve the model with a larger window (-c in llama.cpp, num_ctx in Ollama).',
    ],
    server: ({ status = 500 }) => [`The endpoint answers with an error (${status}).`, 'See the server’s log for the cause.'],
    headers: () => ['The page’s own “headers” function failed, so nothing was sent.', 'See the browser console for the cause.'],
  } satisfies Record<string, FindingTexts>,
};

/** The type of a complete catalog, with a text for each finding of "Check configuration". */
export type ErrorTexts = Omit<typeof errorsEn, 'findings'> & {
  findings: Readonly<Record<keyof (typeof errorsEn)['findings'], FindingTexts>>;
};

/** Returns the error texts of a catalog, or the English ones if it has none. */
export const errorTexts = ({ faults = errorsEn }: { readonly faults?: ErrorTexts }): ErrorTexts => faults;
