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
const MAX_CACHED = 2000;

/** Size of the pieces in which an unfinished line is displayed, in UTF-16 units. */
const LINE = 8192;

/** Deepest level to which rules are applied. Deeper values are never displayed. */
const DEPTH = 200;

/**
 * Returns the surface with the rules applied. The same rules on the same surface give the same result, with one warning for each invalid
 * rule.
 */
export function withTextRules(surface: ConversationSurface, rules: unknown): ConversationSurface {
  if (!Array.isArray(rules)) {
    if (rules !== undefined && !wrapped.has(surface)) warnInvalid('textRules', rules, 'a list');
    return surface;
  }
  const [previousRules, cached] = wrapped.get(surface) ?? [];
  if (previousRules === rules && cached) return cached;
  const fresh = rewriteSurface(surface, createRewrite(rules));
  wrapped.set(surface, [rules, fresh]);
  return fresh;
}

const wrapped = new WeakMap<ConversationSurface, readonly [readonly unknown[], ConversationSurface]>();

interface ReadRule {
  roles: readonly unknown[] | undefined;
  apply(text: string): string;
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'tool', 'system'] satisfies Role[];

function readRule(rule: unknown, at: number): ReadRule | undefined {
  const [pattern, replace, roles] = (['pattern', 'replace', 'targetRoles'] satisfies (keyof TextRule)[]).map((key) => own(rule, key));
  const name = `textRules[${String(at)}]`;
  if (!isObject(rule)) return warnInvalid(name, rule, 'an object');
  if (!(pattern instanceof RegExp) && (typeof pattern !== 'string' || pattern === ''))
    return warnInvalid(`${name}.pattern`, pattern, 'a text or a RegExp');
  if (typeof replace !== 'string') return warnInvalid(`${name}.replace`, replace, 'a text');
  if (roles !== undefined && !(Array.isArray(roles) && roles.every((role) => ROLES.includes(role))))
    return warnInvalid(`${name}.targetRoles`, roles, `a list of ${ROLES.join(', ')}`);
  if (typeof pattern === 'string') return { roles, apply: (text) => text.replaceAll(pattern, () => replace) };
  const every = pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`);
  return { roles, apply: (text) => text.replace(every, replace) };
}

function warnInvalid(name: string, value: unknown, expected: string): undefined {
  // eslint-disable-next-line no-console -- for the developer of the page, like every invalid option
  console.warn(`[tool-chat] Invalid ${name} (${value === null ? 'null' : typeof value}). Expected ${expected}. ${OPTIONS_LINK}`);
}

function createRewrite(textRules: readonly unknown[]): Rewrite {
  const rules = textRules.flatMap((rule, at) => readRule(rule, at) ?? []);
  const of = new Map(ROLES.map((role) => [role, rules.filter(({ roles }) => roles?.includes(role) ?? true)]));
  const cache = new Map<string, string>();
  return (role, text) => {
    const roleRules = of.get(role) ?? [];
    if (roleRules.length === 0 || text === '') return text;
    const key = `${role} ${text}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const after = roleRules.reduce((now, rule) => rule.apply(now), text);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, after);
    return after;
  };
}

function rewriteSurface(surface: ConversationSurface, rewrite: Rewrite): ConversationSurface {
  const views = new WeakMap<ViewSnapshot, ViewSnapshot>();
  const results = new WeakMap<PublishedResult, PublishedResult>();

  function rewriteView(view: ViewSnapshot): ViewSnapshot {
    const shown = views.get(view) ?? {
      ...view,
      streamingText: rewrite('assistant', view.streamingText),
      views: view.views.map((one) => rewriteMessage(one, rewrite)),
      cards: Object.fromEntries(Object.entries(view.cards).map(([id, card]) => [id, rewriteCard(card)])),
    };
    views.set(view, shown);
    return shown;
  }

  /** Applies the rules to the result of a tool, but not to its arguments: a card shows exactly what runs. */
  function rewriteCard(card: CardView): CardView {
    const { result } = card;
    if (!result) return card;
    const shown = results.get(result) ?? { ...result, ...(rewriteValue(textsOf(result), (text) => rewrite('tool', text)) as object) };
    results.set(result, shown);
    return { ...card, result: shown };
  }

  return Object.defineProperties(Object.create(surface) as ConversationSurface, {
    view: { get: () => rewriteView(surface.view) },
    subscribe: { value: (listener: (view: ViewSnapshot) => void) => surface.subscribe((view) => listener(rewriteView(view))) },
    follow: {
      value: (id: string, listener: ReplyListener) =>
        surface.follow(
          id,
          rewriteByLines(listener, (text) => rewrite('assistant', text)),
        ),
    },
  });
}

const textsOf = ({ message, result, data }: PublishedResult) => ({ message, result, ...(data !== undefined && { data }) });

function rewriteMessage(view: MessageView, rewrite: Rewrite): MessageView {
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
function rewriteValue(value: unknown, of: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return of(value);
  if (depth > DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => rewriteValue(one, of, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rewriteValue(one, of, depth + 1)]));
}

/**
 * Passes a growing text on line by line, so that no rule sees half a word. Matches across lines are corrected when the message is complete.
 */
function rewriteByLines(listener: ReplyListener, of: (text: string) => string): ReplyListener {
  const [text, reasoning] = [
    createLineBuffer((piece) => listener.text(of(piece))),
    createLineBuffer((piece) => listener.reasoning(of(piece))),
  ];
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

function createLineBuffer(show: (piece: string) => void) {
  let buffered = '';
  const flush = (to = buffered.length) => {
    const piece = buffered.slice(0, to);
    buffered = buffered.slice(to);
    if (piece) show(piece);
  };
  return {
    flush: () => flush(),
    push(fresh: string) {
      const end = fresh.lastIndexOf('\n');
      const before = buffered.length;
      buffered += fresh;
      if (end >= 0) flush(before + end + 1);
      if (buffered.length > LINE) flush();
    },
  };
}
