/**
 * The platform functions that an approval relies on, captured when this module is first evaluated. A page script that later replaces them
 * on the prototypes has no effect here. Other code does not need them.
 */
const { apply } = Reflect;

type Method<Self, Args extends unknown[], Result> = (self: Self, ...args: Args) => Result;

function method<Self, Args extends unknown[], Result>(fn: (this: Self, ...args: Args) => Result): Method<Self, Args, Result> {
  return (self, ...args) => apply(fn, self, args) as Result;
}

/**
 * Returns the getter of an accessor. In a DOM without it, such as that of a test runner, it returns `undefined`, so no event is trusted and
 * none can decide.
 */
function getter<Self extends object, Result>(holder: object, name: string): (self: Self) => Result {
  const get = Object.getOwnPropertyDescriptor(holder, name)?.get ?? (() => undefined);
  return (self) => apply(get, self, []) as Result;
}

// `isTrusted` is an own accessor of each event, but its getter checks the receiver: it throws for anything except a real event.
const sample = new Event('sample');
export const isTrusted = getter<Event, boolean>(Object.hasOwn(sample, 'isTrusted') ? sample : Event.prototype, 'isTrusted');
export const eventTypeOf = getter<Event, string>(Event.prototype, 'type');
export const keyOf = getter<Event, string>(KeyboardEvent.prototype, 'key');
export const isRepeat = getter<Event, boolean>(KeyboardEvent.prototype, 'repeat');
export const isShifted = getter<Event, boolean>(KeyboardEvent.prototype, 'shiftKey');
export const isComposing = getter<Event, boolean>(KeyboardEvent.prototype, 'isComposing');
export const keyCodeOf = getter<Event, number>(KeyboardEvent.prototype, 'keyCode');
export const insertedBy = getter<Event, string | null>(InputEvent.prototype, 'data');
export const inputTypeOf = getter<Event, string>(InputEvent.prototype, 'inputType');
export const fieldValueOf = getter<HTMLTextAreaElement, string>(HTMLTextAreaElement.prototype, 'value');
export const clientX = getter<Event, number>(MouseEvent.prototype, 'clientX');
export const clientY = getter<Event, number>(MouseEvent.prototype, 'clientY');
export const shadowHost = getter<ShadowRoot, HTMLElement>(ShadowRoot.prototype, 'host');

export const composedPath = method(Event.prototype.composedPath);
export const preventDefault = method(Event.prototype.preventDefault);
export const stopImmediatePropagation = method(Event.prototype.stopImmediatePropagation);
export const rootOf = method(Node.prototype.getRootNode as (this: Node) => Node);
export const listen = method(
  EventTarget.prototype.addEventListener as (this: EventTarget, type: string, listener: (event: Event) => void, capture: boolean) => void,
);
export const rectOf = method(Element.prototype.getBoundingClientRect as (this: Element) => DOMRect);
export const isRendered =
  'checkVisibility' in Element.prototype
    ? method(Element.prototype.checkVisibility as (this: Element, options: CheckVisibilityOptions) => boolean)
    : () => false;

export function weakStore<Key extends WeakKey, Value>() {
  const map = new WeakMap<Key, Value>();
  const get = method(WeakMap.prototype.get as (this: WeakMap<Key, Value>, key: Key) => Value | undefined);
  const set = method(WeakMap.prototype.set as (this: WeakMap<Key, Value>, key: Key, value: Value) => unknown);
  const remove = method(WeakMap.prototype.delete as (this: WeakMap<Key, Value>, key: Key) => boolean);
  return {
    get: (key: Key) => get(map, key),
    set: (key: Key, value: Value) => void set(map, key, value),
    delete: (key: Key) => remove(map, key),
  };
}
