/**
 * The only path from a user's click to a decision. It is not an event, property or method: the engine passes its function to
 * `allowDecisions`, which stores it in a map of this module. Only a listener of this module, called with a real click on a real button, can
 * read it. Everything that a page script can reach (elements, open shadow roots, values of templates, exports of this module) leads to
 * functions that cannot decide anything.
 */
import {
  clientX,
  clientY,
  composedPath,
  isRepeat,
  isTrusted,
  isComposing,
  keyCodeOf,
  keyOf,
  listen,
  rectOf,
  rootOf,
  shadowHost,
  eventTypeOf,
  weakStore,
} from './platform-functions.js';
import type { Decision } from '../model/decision.js';

export type OnDecision = (decision: Decision) => void;

/** The reason why a pending approval cannot be asked. `null`: it can be asked again. */
export type CannotAsk = 'hidden' | 'framed' | null;

export interface ApprovalConditions {
  /** Origins that may frame the page and still have calls approved in it (`config.allowFramedBy`). Default: none. */
  framedBy?: readonly string[];
  /** Called when a waiting call cannot be decided here, and again when it can. */
  onCannotAsk?: (requestId: string, why: CannotAsk) => void;
  /**
   * Called when an approval moves into the top layer, because the browser cannot prove that it is visible in its place. `by`: the element
   * that covers it.
   */
  onLifted?: (by: string) => void;
  /** Called when the user begins to change the arguments of a call. */
  onEdit?: (requestId: string) => void;
  /** Checks whether a text is a word that confirms a link of a chain. By default, no word is. */
  confirms?: (text: string) => boolean;
}

interface DecisionHandler {
  decide: OnDecision;
  conditions: ApprovalConditions;
}

const handlers = weakStore<HTMLElement, DecisionHandler>();

/**
 * Lets the cards of a panel decide. Only the engine calls this, once per panel. The returned function withdraws the permission. Throws if
 * the panel already has a receiver, so that it cannot be replaced.
 */
export function allowDecisions(panel: HTMLElement, decide: OnDecision, conditions: ApprovalConditions = {}): () => void {
  if (handlers.get(panel)) throw new Error('The decisions of this panel already have a receiver.');
  const handler = { decide, conditions };
  handlers.set(panel, handler);
  return () => {
    if (handlers.get(panel) === handler) handlers.delete(panel);
  };
}

/** The conditions under which the panel around `node` may ask; undefined outside of a panel that has an engine. */
export function approvalConditions(node: Node): ApprovalConditions | undefined {
  return findHandler(node)?.conditions;
}

/** The decisions of two or more buttons. They are read at the press and again at the click. */
export interface GuardedButtons {
  buttons: readonly HTMLElement[];
  /** Returns the decisions of a click on this button; none while it must not act. */
  decisions(button: HTMLElement): readonly Decision[];
  /** Called before the decisions are passed on: the approval is over. */
  decided(): void;
}

/** Makes buttons decide by presses that `guardPresses` lets through. */
export function guardButtons(root: ShadowRoot, guarded: GuardedButtons): void {
  let pressedKey = '';
  guardPresses(root, {
    get buttons() {
      return guarded.buttons;
    },
    ready(button) {
      pressedKey = decisionsKey(guarded.decisions(button));
      return pressedKey !== '';
    },
    act(button) {
      const decisions = guarded.decisions(button);
      const handler = findHandler(root);
      // The approval may change between press and click.
      if (decisions.length === 0 || decisionsKey(decisions) !== pressedKey || !handler) return;
      guarded.decided();
      for (let at = 0; at < decisions.length; at += 1) handler.decide(decisions[at] as Decision);
    },
  });
}

/** Returns a key for the decisions at the press. If it differs at the click, the click is ignored. */
function decisionsKey(decisions: readonly Decision[]): string {
  let key = '';
  for (let at = 0; at < decisions.length; at += 1) {
    const { requestId, digest, verdict } = decisions[at] as Decision;
    key += `${requestId} ${digest} ${verdict}\n`;
  }
  return key;
}

export interface PressHandler {
  buttons: readonly HTMLElement[];
  /**
   * Returns true while a press on this button counts. It is called when the press begins. `act` is called when the press ends, and checks
   * again.
   */
  ready(button: HTMLElement): boolean;
  act(button: HTMLElement): void;
}

/**
 * Calls `act` for real clicks. A click counts if it is trusted, starts inside the button, and ends a press that began on the same button
 * while it was armed: a pointer or mouse button pressed inside its bounds (screen readers also send a mouse press), or Enter or Space,
 * except if the key repeats because it was held before. All other clicks are ignored, not queued.
 */
export function guardPresses(root: ShadowRoot, handler: PressHandler): void {
  let pressed: HTMLElement | undefined;
  let byPointer = false;

  const press = (event: Event) => {
    const button = trustedButton(event, root, handler.buttons);
    const type = eventTypeOf(event);
    if (type === 'pointerdown') byPointer = true;
    // A mousedown after a pointerdown repeats it; on a touch screen, only when the finger is lifted.
    else if (type === 'mousedown' && byPointer) return;
    pressed = button && startsPress(event, type, button) && handler.ready(button) ? button : undefined;
  };

  const release = (event: Event) => {
    if (pressed && trustedButton(event, root, handler.buttons) === pressed) pressed = undefined;
  };

  const click = (event: Event) => {
    const button = trustedButton(event, root, handler.buttons);
    const pressedBefore = pressed;
    pressed = undefined;
    byPointer = false;
    if (button && button === pressedBefore && eventTypeOf(event) === 'click') handler.act(button);
  };

  listen(root, 'pointerdown', press, true);
  listen(root, 'mousedown', press, true);
  listen(root, 'keydown', press, true);
  listen(root, 'focusout', release, true);
  listen(root, 'click', click, true);
}

/** Lets Enter in a one-line field of a form submit it, like a click on its button. Only for decisions that allow nothing. */
export function guardEnter(root: ShadowRoot, guarded: Pick<GuardedButtons, 'decided'> & { decisions(): readonly Decision[] }): void {
  listen(
    root,
    'keydown',
    (event) => {
      if (!isTrusted(event) || keyOf(event) !== 'Enter' || isRepeat(event) || isComposing(event) || keyCodeOf(event) === 229) return;
      const [field] = composedPath(event);
      if (!(field instanceof HTMLInputElement) || field.type === 'checkbox') return;
      const decisions = guarded.decisions().filter(({ verdict }) => verdict === 'edit');
      const handler = findHandler(root);
      if (decisions.length === 0 || !handler) return;
      guarded.decided();
      decisions.forEach(handler.decide);
    },
    false,
  );
}

/**
 * Lets other events than button presses decide. `decisionsOf` receives every such event under `root` before any other listener there. For events
 * made by a script, its decisions are ignored.
 */
export function guardEvents(root: ShadowRoot, types: readonly string[], decisionsOf: (event: Event) => readonly Decision[]): void {
  const onEvent = (event: Event) => {
    const decisions = decisionsOf(event);
    const handler = isTrusted(event) ? findHandler(root) : undefined;
    if (handler) for (let at = 0; at < decisions.length; at += 1) handler.decide(decisions[at] as Decision);
  };
  for (let at = 0; at < types.length; at += 1) listen(root, types[at] as string, onEvent, true);
}

function startsPress(event: Event, type: string, button: HTMLElement): boolean {
  if (type === 'keydown') return (keyOf(event) === 'Enter' || keyOf(event) === ' ') && !isRepeat(event);
  if (type !== 'pointerdown') return type === 'mousedown';
  // A child that overflows the button would otherwise count as the button.
  const { left, right, top, bottom } = rectOf(button);
  const [x, y] = [clientX(event), clientY(event)];
  return x >= left - 1 && x <= right + 1 && y >= top - 1 && y <= bottom + 1;
}

/** Returns the button in which a trusted event began. Forged objects make the getters throw, which ends the listener. */
function trustedButton(event: Event, root: ShadowRoot, buttons: readonly HTMLElement[]): HTMLElement | undefined {
  if (!isTrusted(event)) return undefined;
  const path = composedPath(event);
  for (let at = 0; at < path.length && path[at] !== root; at += 1)
    for (let which = 0; which < buttons.length; which += 1) if (path[at] === buttons[which]) return buttons[which];
  return undefined;
}

function findHandler(node: Node): DecisionHandler | undefined {
  for (let root = rootOf(node); root instanceof ShadowRoot;) {
    const host = shadowHost(root);
    const handler = handlers.get(host);
    if (handler) return handler;
    root = rootOf(host);
  }
  return undefined;
}
