/** The findings of "check configuration" about the connection between a page and its endpoint. */

export type Finding =
  | 'ok'
  /** `endpoint` is not set. */
  | 'no-endpoint'
  /** `endpoint` is not a URL that can be requested. */
  | 'bad-url'
  /** The endpoint is the browser's own model: there is no connection to check. */
  | 'on-device'
  /** The page uses https and the endpoint http, which browsers block. */
  | 'mixed-content'
  | 'offline'
  /** The endpoint is on this computer or in the local network, and the browser asks the user before a page may reach it. */
  | 'local-network'
  /** The page's Content-Security-Policy does not list the endpoint. */
  | 'csp'
  /** Nothing answers: the address, DNS or the certificate is wrong, or the server is down. */
  | 'unreachable'
  | 'timeout'
  /** A server answers, but does not let this site read its responses. */
  | 'cors'
  /** The server allows this site, but not the headers of a chat request. */
  | 'cors-headers'
  | 'auth'
  /** The server refuses this site or this user. */
  | 'forbidden'
  | 'not-found'
  | 'redirect'
  /** The URL returns a web page instead of an endpoint's response. */
  | 'wrong-answer'
  | 'rate-limit'
  | 'server'
  /** The endpoint works, but the last request was longer than its model's context window. */
  | 'too-long'
  /** The page's `headers` function failed. */
  | 'headers';

export interface CheckReport {
  finding: Finding;
  /** The requested URL without its query, which can contain keys. Empty if there is none. */
  endpoint: string;
  /** HTTP status of the response, if it could be read. */
  status?: number;
  /** With `too-long`: the model's context window in tokens, if known. */
  window?: number;
  /** The page's origin, if the server still has to allow it. */
  origin?: string;
}
