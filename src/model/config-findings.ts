/** What "check configuration" can find between a page and its endpoint. */

export type Finding =
  | 'ok'
  /** `endpoint` is not set. */
  | 'no-endpoint'
  /** It is no address that can be asked. */
  | 'bad-url'
  /** The browser's own model: there is no connection to check. */
  | 'on-device'
  /** The page is https, the endpoint http: browsers refuse that. */
  | 'mixed-content'
  | 'offline'
  /** The endpoint is on this computer or in this network, and the browser asks before a page may reach it. */
  | 'local-network'
  /** The page's Content-Security-Policy does not name the endpoint. */
  | 'csp'
  /** Nothing answers: address, DNS, certificate, or the server is down. */
  | 'unreachable'
  | 'timeout'
  /** A server is there, but does not let this site read its answers. */
  | 'cors'
  /** It does, but not with the headers of a chat request. */
  | 'cors-headers'
  | 'auth'
  /** It lets in neither this site nor this user. */
  | 'forbidden'
  | 'not-found'
  | 'redirect'
  /** A web page instead of an endpoint. */
  | 'wrong-answer'
  | 'rate-limit'
  | 'server'
  /** It works, but its model cannot read as much at once as the last request held. */
  | 'too-long'
  /** The headers function of the host failed. */
  | 'headers';

export interface CheckReport {
  finding: Finding;
  /** What was asked, without its query: keys can stand there. Empty where there is no address. */
  endpoint: string;
  /** What the endpoint answered, where an answer could be read. */
  status?: number;
  /** With `too-long`: tokens the model can read at once, where that is known. */
  window?: number;
  /** The page's own origin, which the server has to allow, where it does not yet. */
  origin?: string;
}
