/**
 * Lets the user confirm the first waiting link of a chain by typing and sending a word: the same decision as its button, under the same
 * conditions. The word counts only if all of it was typed by real input events into an empty field, and if a real key or click sends it. If
 * a word would confirm but is not allowed to, nothing is sent, and the composer says why. Loaded with the first such link.
 */
import { approvalConditions, guardEvents } from './decisions.js';
import type { Decision } from '../model/decision.js';
import {
  composedPath,
  inputTypeOf,
  insertedBy,
  isComposing,
  isRendered,
  isRepeat,
  isShifted,
  isTrusted,
  keyCodeOf,
  keyOf,
  preventDefault,
  rectOf,
  rootOf,
  shadowHost,
  stopImmediatePropagation,
  eventTypeOf,
  fieldValueOf,
  weakStore,
} from './platform-functions.js';
import type { ToolChatComposer, WordProblem } from './tool-chat-composer/tool-chat-composer.js';
import { sendsByEnter } from './keys.js';

/** A waiting link of a chain, as its card shows it. */
export interface WordApproval {
  card: HTMLElement;
  isOpen(): boolean;
  /** True if the link needs its button and a word is not enough. */
  needsButton(): boolean;
  /** Returns the decisions of the word; none while it must not act. */
  decisions(word: string): readonly Decision[];
  /** Called before the decisions are passed on. */
  decided(): void;
}

interface ComposerGuard {
  /** Read by index, because the page can replace an iterator. */
  approvals: readonly WordApproval[];
}

const guards = weakStore<HTMLElement, ComposerGuard>();

/** Lets the composer of the card's panel answer this approval. Returns a function that undoes this. */
export function guardWord(approval: WordApproval): () => void {
  const composer = findComposer(approval.card);
  const root = composer?.shadowRoot;
  if (!composer || !root) return () => {};
  const existing = guards.get(composer);
  const guard: ComposerGuard = existing ?? { approvals: [] };
  if (!existing) {
    guards.set(composer, guard);
    guardComposer(composer, root, guard);
  }
  guard.approvals = [...guard.approvals, approval];
  return () => {
    guard.approvals = guard.approvals.filter((one) => one !== approval);
  };
}

function guardComposer(composer: ToolChatComposer, root: ShadowRoot, guard: ComposerGuard): void {
  const field = () => root.querySelector('textarea');
  /** The content of the field if real input produced it; undefined if anything else did. */
  let typed = field()?.value === '' ? '' : undefined;
  let pressed: EventTarget | null | undefined;

  const sends = (event: Event, type: string, textarea: HTMLTextAreaElement): boolean => {
    const path = composedPath(event);
    if (type === 'keydown' && path[0] === textarea)
      return (
        keyOf(event) === 'Enter' &&
        !isShifted(event) &&
        !isComposing(event) &&
        !isRepeat(event) &&
        keyCodeOf(event) !== 229 &&
        sendsByEnter(event as KeyboardEvent)
      );
    const button = root.querySelector('.send');
    let onButton = false;
    for (let at = 0; at < path.length && path[at] !== root; at += 1) onButton ||= path[at] === button;
    if (type === 'click') {
      const isPress = onButton && pressed === button;
      pressed = undefined;
      // A click made by a script is checked too: it must not send the word either.
      return onButton && (isPress || !isTrusted(event));
    }
    if (isTrusted(event) && (type !== 'keydown' || keyOf(event) === 'Enter' || keyOf(event) === ' '))
      pressed = onButton ? button : undefined;
    return false;
  };

  guardEvents(root, ['beforeinput', 'input', 'keydown', 'pointerdown', 'mousedown', 'click'], (event) => {
    const textarea = field();
    if (!textarea) return [];
    const type = eventTypeOf(event);
    const text = fieldValueOf(textarea);
    if (type === 'beforeinput' || type === 'input') {
      if (!isTrusted(event)) return [];
      if (type === 'beforeinput') typed = text === '' ? '' : typed === text ? typed : undefined;
      else typed = typed !== undefined && isInput(event, typed, text) ? text : undefined;
      return [];
    }
    if (!sends(event, type, textarea)) return [];
    const approval = firstOpenApproval(guard);
    if (!approval || !approvalConditions(root)?.confirms?.(text)) return [];

    // From here on nothing is sent: a word that confirms nothing would close the approval it was meant for.
    preventDefault(event);
    stopImmediatePropagation(event);
    const refuse = (problem: WordProblem): readonly Decision[] => {
      composer.showWordProblem(problem);
      return [];
    };
    if (!isTrusted(event) || typed !== text || !isRendered(textarea, { opacityProperty: true, visibilityProperty: true }))
      return refuse('wordNotTyped');
    if (approval.needsButton()) return refuse('stepNeedsButton');
    const decisions = approval.decisions(text.trim());
    if (decisions.length === 0) return refuse('wordTooEarly');
    typed = '';
    composer.draft = '';
    approval.decided();
    return decisions;
  });
}

/** Checks whether this single input event can have changed `before` to `now`. A script may have changed the field during the event. */
function isInput(event: Event, before: string, now: string): boolean {
  const data = insertedBy(event);
  const maxInserted = data === null ? (inputTypeOf(event).startsWith('delete') ? 0 : Infinity) : data.length;
  let start = 0;
  while (start < before.length && start < now.length && before[start] === now[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < now.length - start && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  return now.length - start - end <= maxInserted;
}

/** Returns the first waiting approval, in the order on screen. */
function firstOpenApproval({ approvals }: ComposerGuard): WordApproval | undefined {
  let first: WordApproval | undefined;
  for (let at = 0; at < approvals.length; at += 1) {
    const approval = approvals[at] as WordApproval;
    if (approval.isOpen() && (!first || rectOf(approval.card).top < rectOf(first.card).top)) first = approval;
  }
  return first;
}

function findComposer(node: Node): ToolChatComposer | undefined {
  for (let root = rootOf(node); root instanceof ShadowRoot; root = rootOf(shadowHost(root))) {
    const composer = root.querySelector('tool-chat-composer');
    if (composer) return composer;
  }
  return undefined;
}
