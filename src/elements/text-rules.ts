/**
 * Applies a page's own rules (`textRules`) to displayed texts. Sent, stored, executed and published data is unchanged. Loaded if a page has
 * such rules.
 */
import { OPTIONS_LINK } from '../base/docs-links.js';
import { isObject, own } from '../base/objects.js';
import type { CardView, PublishedResult } from '../model/calls.js';
import type { TextRule } from '../conversation/options/option-shapes.js';
import type { ChatMessage, MessagePart } from '../model/messages.js';
import type { ConversationSurface, MessageView, ReplyListener, ViewSnapshot } from '../model/snapshot.js';

type Role = ChatMessage['role'];
type Rewrite = (role: Role, text: string) => string;

/** Number of texts whose results are cached, because every snapshot contains all of them again. */
const REMEMBERED = 2000;

/** Size of the pieces in which an unfinished line is displayed, in UTF-16 units. */
const LINE = 8192;

/** Deepest level to which rules are applied. Deeper values are never displayed. */
const DEPTH = 200;

/**
 * Returns the surface with the rules applied. The same rules on the same surface give the same result, with one warning for each invalid
 * rule.
 */
export function underRules(surface: ConversationSurface, given: unknown): ConversationSurface {
  if (!Array.isArray(given)) {
    if (given !== undefined && !known.has(surface)) complain('textRules', given, 'a list');
    return surface;
  }
  const [before, made] = known.get(surface) ?? [];
  if (before === given && made) return made;
  const fresh = seenBy(surface, rewriting(given));
  known.set(surface, [given, fresh]);
  return fresh;
}

const known = new WeakMap<ConversationSurface, readonly [readonly unknown[], ConversationSurface]>();

interface ReadRule {
  roles: readonly unknown[] | undefined;
  apply(text: string): string;
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'tool', 'system'] satisfies Role[];

function readRule(rule: unknown, at: number): ReadRule | undefined {
  const [pattern, replace, roles] = (['pattern', 'replace', 'targetRoles'] satisfies (keyof TextRule)[]).map((key) => own(rule, key));
  const name = `textRules[${String(at)}]`;
  if (!isObject(rule)) return complain(name, rule, 'an object');
  if (!(pattern instanceof RegExp) && (typeof pattern !== 'string' || pattern === ''))
    return complain(`${name}.pattern`, pattern, 'a text or a RegExp');
  if (typeof replace !== 'string') return complain(`${name}.replace`, replace, 'a text');
  if (roles !== undefined && !(Array.isArray(roles) && roles.every((role) => ROLES.includes(role))))
    return complain(`${name}.targetRoles`, roles, `a list of ${ROLES.join(', ')}`);
  if (typeof pattern === 'string') return { roles, apply: (text) => text.replaceAll(pattern, () => replace) };
  const every = pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
  return { roles, apply: (text) => text.replace(every, replace) };
}

function complain(name: string, value: unknown, wanted: string): undefined {
  // eslint-disable-next-line no-console -- for whoever writes the page, like every option that does not fit
  console.warn(`[tool-chat] Invalid ${name} (${value === null ? 'null' : typeof value}). Expected ${wanted}. ${OPTIONS_LINK}`);
}

function rewriting(given: readonly unknown[]): Rewrite {
  const rules = given.flatMap((rule, at) => readRule(rule, at) ?? []);
  const of = new Map(ROLES.map((role) => [role, rules.filter(({ roles }) => roles?.includes(role) ?? true)]));
  const made = new Map<string, string>();
  return (role, text) => {
    const ours = of.get(role) ?? [];
    if (ours.length === 0 || text === '') return text;
    const key = `${role} ${text}`;
    const before = made.get(key);
    if (before !== undefined) return before;
    const after = ours.reduce((now, rule) => rule.apply(now), text);
    if (made.size >= REMEMBERED) made.clear();
    made.set(key, after);
    return after;
  };
}

function seenBy(surface: ConversationSurface, rewrite: Rewrite): ConversationSurface {
  const views = new WeakMap<ViewSnapshot, ViewSnapshot>();
  const results = new WeakMap<PublishedResult, PublishedResult>();

  function viewed(view: ViewSnapshot): ViewSnapshot {
    const shown = views.get(view) ?? {
      ...view,
      streamingText: rewrite('assistant', view.streamingText),
      views: view.views.map((one) => ruledMessage(one, rewrite)),
      cards: Object.fromEntries(Object.entries(view.cards).map(([id, card]) => [id, ruledCard(card)])),
    };
    views.set(view, shown);
    return shown;
  }

  /** Applies the rules to the result of a tool, but not to its arguments: a card shows exactly what runs. */
  function ruledCard(card: CardView): CardView {
    const { result } = card;
    if (!result) return card;
    const shown = results.get(result) ?? { ...result, ...(ruledValue(said(result), (text) => rewrite('tool', text)) as object) };
    results.set(result, shown);
    return { ...card, result: shown };
  }

  return Object.defineProperties(Object.create(surface) as ConversationSurface, {
    view: { get: () => viewed(surface.view) },
    subscribe: { value: (listener: (view: ViewSnapshot) => void) => surface.subscribe((view) => listener(viewed(view))) },
    follow: {
      value: (id: string, listener: ReplyListener) =>
        surface.follow(
          id,
          byLines(listener, (text) => rewrite('assistant', text)),
        ),
    },
  });
}

const said = ({ message, result, data }: PublishedResult) => ({ message, result, ...(data !== undefined && { data }) });

function ruledMessage(view: MessageView, rewrite: Rewrite): MessageView {
  const { message } = view;
  const of = (text: string) => rewrite(message.role, text);
  const text = of(message.text);
  return {
    ...view,
    message: { ...message, text, ...(message.reasoning !== undefined && { reasoning: of(message.reasoning) }) },
    parts: view.parts.map((part): MessagePart => (part.type === 'text' ? { ...part, text: of(part.text) } : part)),
    ...(text !== message.text && { written: message.text }),
  };
}

/** Returns a copy of the value with its strings rewritten. Names of fields are unchanged. */
function ruledValue(value: unknown, of: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return of(value);
  if (depth > DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => ruledValue(one, of, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, ruledValue(one, of, depth + 1)]));
}

/**
 * Passes a growing text on line by line, so that no rule sees half a word. Matches across lines are corrected when the message is complete.
 */
function byLines(listener: ReplyListener, of: (text: string) => string): ReplyListener {
  const [text, reasoning] = [lines((piece) => listener.text(of(piece))), lines((piece) => listener.reasoning(of(piece)))];
  const flush = () => {
    reasoning.flush();
    text.flush();
  };
  return {
    text: text.push,
    reasoning: reasoning.push,
    call(requestId) {
      flush();
      listener.call(requestId);
    },
    block(part) {
      flush();
      listener.block?.(part);
    },
    restart() {
      flush();
      listener.restart?.();
    },
    end() {
      flush();
      listener.end();
    },
  };
}

function lines(show: (piece: string) => void) {
  let held = '';
  const flush = (to = held.length) => {
    const piece = held.slice(0, to);
    held = held.slice(to);
    if (piece) show(piece);
  };
  return {
    flush: () => flush(),
    push(fresh: string) {
      const end = fresh.lastIndexOf('\n');
      const before = held.length;
      held += fresh;
      if (end >= 0) flush(before + end + 1);
      if (held.length > LINE) flush();
    },
  };
}
