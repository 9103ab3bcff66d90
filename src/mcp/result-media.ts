/** Images, audio and links of a server's result, shown in the card of its call. Rendering them fetches nothing. */
import { isObject, own } from '../base/objects.js';
import type { Call } from '../model/calls.js';
import type { Fields } from './mcp-message.js';

/** Maximum number and length, in UTF-16 units, of the kept results of one server. The latest one is always kept. */
const KEPT = 20;
const KEPT_CHARS = 16_000_000;
/** Maximum number of media of one result. */
const PARTS = 20;
const TYPES = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[a-z0-9.+-]{1,40})$/;

/** The results that cards show in full, by request id. All tools of a server share one. */
export interface KeptResults<Kept> {
  keep(requestId: string, kept: Kept, chars: number): void;
  of(requestId: string): Kept | undefined;
}

export function createKeptResults<Kept>(): KeptResults<Kept> {
  const results = new Map<string, { kept: Kept; chars: number }>();
  let all = 0;

  function drop(requestId: string) {
    all -= results.get(requestId)?.chars ?? 0;
    results.delete(requestId);
  }
  return {
    keep(requestId, kept, chars) {
      drop(requestId);
      results.set(requestId, { kept, chars });
      all += chars;
      for (const oldest of results.keys()) {
        if (oldest === requestId || (results.size <= KEPT && all <= KEPT_CHARS)) return;
        drop(oldest);
      }
    },
    of: (requestId) => results.get(requestId)?.kept,
  };
}

export interface ResultMedia {
  keep(requestId: string, result: Fields): void;
  /** Returns undefined if there is nothing to show. */
  render(call: Call): Node;
}

interface Medium {
  kind: 'image' | 'audio' | 'link';
  url: string;
  text: string;
}

/** @param from name of the server, as alternative text */
export function keepMedia(from: string): ResultMedia {
  const results = createKeptResults<Medium[]>();
  return {
    keep(requestId, result) {
      const content = own(result, 'content');
      const media = (Array.isArray(content) ? content.slice(0, PARTS) : []).flatMap(mediumOf);
      if (media.length === 0) return;
      const chars = media.reduce((sum, { url, text }) => sum + url.length + text.length, 0);
      results.keep(requestId, media, chars);
    },
    render({ requestId }) {
      const media = results.of(requestId);
      if (!media) return undefined as unknown as Node;
      const box = document.createElement('div');
      box.style.cssText = 'display:grid;gap:8px;justify-items:start';
      box.append(...media.map((one) => renderMedium(one, from)));
      return box;
    },
  };
}

function mediumOf(part: unknown): Medium[] {
  const type = own(part, 'type');
  if (type === 'resource_link') {
    const [uri, title, name] = ['uri', 'title', 'name'].map((key) => own(part, key));
    if (typeof uri !== 'string' || !URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol)) return [];
    const words = [title, name].find((one) => typeof one === 'string' && one.trim());
    return [{ kind: 'link', url: new URL(uri).href, text: typeof words === 'string' ? words.slice(0, 200) : '' }];
  }
  const holder = type === 'resource' ? own(part, 'resource') : part;
  if (!isObject(holder)) return [];
  const [mimeType, data] = [own(holder, 'mimeType'), own(holder, type === 'resource' ? 'blob' : 'data')];
  const given = typeof mimeType === 'string' ? mimeType.toLowerCase() : '';
  const bytes = typeof data === 'string' ? data.replace(/\s+/g, '') : '';
  if (!TYPES.test(given) || !/^[A-Za-z0-9+/]+={0,2}$/.test(bytes)) return [];
  return [{ kind: given.startsWith('image/') ? 'image' : 'audio', url: `data:${given};base64,${bytes}`, text: '' }];
}

function renderMedium({ kind, url, text }: Medium, from: string): HTMLElement {
  if (kind === 'link') {
    const line = document.createElement('span');
    line.style.cssText = 'unicode-bidi:plaintext;overflow-wrap:anywhere';
    const link = document.createElement('a');
    Object.assign(link, { href: url, target: '_blank', rel: 'noopener noreferrer', textContent: text || url });
    // The link text comes from the server. The host is added because it cannot be faked.
    line.append(link, ...(text ? [` (${new URL(url).host})`] : []));
    return line;
  }
  const medium = document.createElement(kind === 'image' ? 'img' : 'audio');
  medium.src = url;
  medium.style.cssText = 'max-width:100%;max-height:480px';
  if (medium instanceof HTMLImageElement) medium.alt = from;
  else {
    medium.controls = true;
    medium.ariaLabel = from;
  }
  return medium;
}
