/**
 * The words of an error's details and of "check configuration". In English a file of their own, loaded with the first error: few people need
 * them. Another language brings its own along (`ar-faults.ts`), for it is one file wherever it is loaded.
 */
/** Of a report, what words can say. */
interface Report {
  status?: number;
  origin?: string;
  window?: number;
}

/** What is so, then what to do about it. */
type Words = (report: Report) => readonly string[];

export const faultsEn = {
  code: 'Code',
  status: 'HTTP status',
  errorType: 'Class',
  said: 'Server message',
  check: 'Check configuration',
  checking: 'Checking…',
  /** Before the address that was asked. */
  asked: 'Address:',
  feedback: 'Report a problem',
  findings: {
    ok: () => [
      'The endpoint answers and accepts requests from this page.',
      'The error was a passing one, or arises only with a whole message: retry.',
    ],
    'no-endpoint': () => ['No endpoint is set.', 'Whoever runs this page: set the “endpoint” attribute.'],
    'bad-url': () => [
      'The endpoint is not an address that can be asked.',
      'It has to begin with https:// or http://, or be a path of this site.',
    ],
    'on-device': () => [
      'The answers come from the browser’s own model; there is no endpoint to check.',
      'Update the browser, or look whether it has downloaded its model.',
    ],
    'mixed-content': () => ['This page is https, the endpoint http: the browser refuses that.', 'Serve the endpoint over https.'],
    offline: () => ['The browser has no network.', 'Connect to a network; what waits is then sent.'],
    'local-network': () => [
      'The endpoint is on this computer or in this network, and the browser does not let this page reach it.',
      'Allow access to the local network in the site settings, start the server there, and let it allow this site (OLLAMA_ORIGINS in Ollama).',
    ],
    csp: () => [
      'The Content-Security-Policy of this page forbids requests to the endpoint.',
      'Add the endpoint’s origin to its connect-src.',
    ],
    unreachable: () => [
      'Nothing answers at this address.',
      'Look for a typing error, whether the server runs, whether its name resolves and its certificate is valid.',
    ],
    timeout: () => ['The server took the request and did not answer in time.', 'It may be overloaded, or a proxy holds its answers back.'],
    cors: ({ origin = '' }) => [
      'A server answers, but does not let this site read its answers (CORS).',
      `It has to send Access-Control-Allow-Origin: ${origin} (the tool-chat relay does for origins in ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'The server lets this site read its answers, but not send the headers of a chat request (CORS).',
      `To the preflight of ${origin} it has to answer with Access-Control-Allow-Headers: content-type, and the names of the headers you set.`,
    ],
    auth: ({ status = 401 }) => [
      `The endpoint wants to know who you are (${status}).`,
      'Sign in, or set a valid key in “headers”. Keys belong into a relay, not into a page.',
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
      'The server sends requests on to another address; that is not followed, for the conversation would go there.',
      'Set the final address as “endpoint”.',
    ],
    'wrong-answer': () => [
      'A web page stands at this address, not an endpoint.',
      'Compare the path with the documentation of the service; a login page may stand before it.',
    ],
    'rate-limit': () => ['The endpoint answers, and has had too many requests.', 'Wait a while, then retry.'],
    'too-long': ({ window }) => [
      `The endpoint works, but the last request was longer than what its model can read at once${window === undefined ? '' : ` (${String(window)} tokens)`}.`,
      'Start a new conversation, register fewer tools, or serve the model with a larger window (-c in llama.cpp, num_ctx in Ollama).',
    ],
    server: ({ status = 500 }) => [`The endpoint is there, but fails (${status}).`, 'The log of the server says why.'],
    headers: () => ['The page’s own “headers” function failed, so nothing could be sent.', 'The console of the browser says why.'],
  } satisfies Record<string, Words>,
};

/** A complete catalogue: a sentence for each finding of `config-findings.ts`. */
export type FaultTexts = Omit<typeof faultsEn, 'findings'> & { findings: Readonly<Record<keyof (typeof faultsEn)['findings'], Words>> };

/** Those of a catalogue. English steps in where it has none. */
export const faultTexts = ({ faults = faultsEn }: { readonly faults?: FaultTexts }): FaultTexts => faults;
