/** Finds out if a server's tool has its own page to show results (MCP Apps). The code that shows it is loaded with the first one. */
import { load } from '../base/load.js';
import { own, readField } from '../base/objects.js';
import type { Call, PublishedResult } from '../model/calls.js';
import { sandboxAddress } from '../toolkits/sandbox/sandbox-frame.js';
import type { ToolkitTexts } from '../toolkits/toolkit-texts.js';
import type { McpClient } from './mcp-client.js';
import { written, type Fields } from './mcp-message.js';
import type { KeptResults, ResultMedia } from './result-media.js';

const MOST_CHARS = 2_000_000;

export interface AppSource {
  client: McpClient;
  words: ToolkitTexts;
  /** The original results. A page can read more of a result than the model gets. */
  results: KeptResults<Fields>;
  media: ResultMedia;
  lang: string | undefined;
  /** The current URL of the sandbox page, as the page sets it. */
  sandboxUrl(): unknown;
  /** Called when a result links to resources. */
  onLink(): Promise<void>;
  /** Calls a tool by the server's name for it. Returns undefined if an app page may not call it. */
  call(name: string, args: Fields): Promise<PublishedResult> | undefined;
}

export interface ToolApp {
  keep(requestId: string, result: Fields): void;
  render(call: Call): Node;
}

/** Returns a function that reads the URL of the sandbox page when it is needed. */
export const sandboxUrlOf =
  (chat: object, given: unknown = () => readField(chat, 'sandboxUrl')) =>
  (): unknown =>
    typeof given === 'function' ? (given as () => unknown)() : given;

/** Checks whether the server offers a tool to the model or to its app pages. Default: both. */
export function isVisibleTo(who: 'model' | 'app', tool: unknown): boolean {
  const visibility = own(own(own(tool, '_meta'), 'ui'), 'visibility');
  return !Array.isArray(visibility) || visibility.includes(who);
}

export function createToolApp(
  tool: Fields,
  title: string,
  { client, words, results, lang, sandboxUrl, call }: AppSource,
): ToolApp | undefined {
  const meta = own(tool, '_meta');
  const uri = own(own(meta, 'ui'), 'resourceUri') ?? own(meta, 'ui/resourceUri');
  if (typeof uri !== 'string' || !uri.startsWith('ui://') || typeof document === 'undefined') return undefined;
  let html: Promise<string> | undefined;

  return {
    keep(requestId, result) {
      const text = written(result);
      if (text !== undefined) results.keep(requestId, result, text.length);
    },
    render(done) {
      const url = sandboxAddress(sandboxUrl());
      const given = readField(readField(done, 'result'), 'result');
      // Only the text of results from an earlier visit is available.
      const result = results.of(done.requestId) ?? { content: [{ type: 'text', text: typeof given === 'string' ? given : '' }] };
      const place = document.createElement('div');
      if (!url) return undefined as unknown as Node;
      html ??= client.readResource(uri).then(readPage);
      html.catch(() => (html = undefined));
      const host = {
        ...{
          url,
          title: words.appOf(client.name, title),
          lang: lang ?? document.documentElement.lang,
          read: () => html ?? Promise.reject(new Error()),
        },
        ...{ result, call, failed: words.appFailed(client.name) },
      };
      void load(() => import('./mcp-app.js')).then(
        ({ showApp }) => showApp(place, done, host),
        () => (place.textContent = host.failed),
      );
      return place;
    },
  };
}

function readPage(resource: Fields): string {
  const contents = own(resource, 'contents');
  const [first] = Array.isArray(contents) ? (contents as unknown[]) : [];
  const [type, text, blob] = [own(first, 'mimeType'), own(first, 'text'), own(first, 'blob')];
  if (typeof type !== 'string' || !/^text\/html\b.*\bprofile=mcp-app\b/.test(type)) throw new TypeError('no page');
  const page = typeof blob === 'string' ? new TextDecoder().decode(Uint8Array.from(atob(blob), (unit) => unit.charCodeAt(0))) : text;
  if (typeof page !== 'string' || page.length > MOST_CHARS) throw new TypeError('no page');
  return page;
}
