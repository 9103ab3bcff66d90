/** The controls of a form as parameters, and values put into them as a person would: visibly, with the events that pages listen to, and back again. */
import { isObject, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { shorter } from '../tools/foreign-tools.js';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** One parameter: a control, or all radio buttons or check boxes of one name. */
export interface FormField {
  name: string;
  label: string;
  required: boolean;
  schema: JsonSchema;
}

/** Never a model's: passwords, files, and what the page hides from people. */
const LEFT_OUT = new Set(['submit', 'button', 'reset', 'image', 'file', 'hidden', 'password']);
const OPTIONS = 100;
const LABEL_CHARS = 100;
const COLOUR = '^#[0-9a-fA-F]{6}$';

/** Controls that a person can fill in, by name, as they stand now. */
export function controlsOf(form: HTMLFormElement): Map<string, Control[]> {
  const found = new Map<string, Control[]>();
  for (const element of form.elements) {
    if (!isControl(element) || !element.name || element.name === '__proto__' || LEFT_OUT.has(element.type)) continue;
    if (element.matches(':disabled') || ('readOnly' in element && element.readOnly) || isPrivate(element)) continue;
    found.set(element.name, [...(found.get(element.name) ?? []), element]);
  }
  return found;
}

/** No card shows what it holds. */
const isPrivate = ({ type, autocomplete }: Control): boolean =>
  type === 'password' || /^(?:cc-|one-time-code|.*password)/.test(autocomplete);

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

/** A field that is sent with a call and is none of its arguments. */
export interface SentField {
  label: string;
  /** Undefined for a private one. */
  value: string | undefined;
}

const NEVER_SENT = new Set(['submit', 'button', 'reset', 'image', 'hidden']);

/**
 * Everything in view that the form sends besides these arguments, as it is below all drafts. Hidden fields are the page's own. Empty ones
 * are left out.
 */
export function sentBesides(form: HTMLFormElement, args: Record<string, unknown>): SentField[] {
  const fillable = controlsOf(form);
  const rest = new Map<string, Control[]>();
  for (const element of form.elements) {
    if (!isControl(element) || !element.name || NEVER_SENT.has(element.type) || element.matches(':disabled')) continue;
    const isArgument = own(args, element.name) !== undefined && fillable.get(element.name)?.includes(element);
    if (!isArgument) rest.set(element.name, [...(rest.get(element.name) ?? []), element]);
  }
  return [...rest].flatMap(([name, controls]) => {
    const field = fillable.get(name) ?? [];
    const below = belowDrafts(field);
    const values = controls.flatMap((control) => sentBy(control, below[field.indexOf(control)] ?? shownBy([control])[0]!));
    if (values.every((value) => value === '')) return [];
    const [first] = controls as [Control];
    const label = (controls.length > 1 && groupLabel(first)) || labelOf(first) || name;
    return [{ label: shorter(label, LABEL_CHARS), value: controls.some(isPrivate) ? undefined : values.join(', ') }];
  });
}

function sentBy(control: Control, [value, checked, selected]: Shown[number]): string[] {
  if (control instanceof HTMLSelectElement)
    return [...control.options].filter((option, at) => selected[at] && !option.disabled).map((option) => option.value);
  if (control.type === 'checkbox' || control.type === 'radio') return checked ? [value] : [];
  if (control.type === 'file') return [...((control as HTMLInputElement).files ?? [])].map(({ name }) => name);
  return [value];
}

export function formFieldsOf(form: HTMLFormElement): FormField[] {
  return [...controlsOf(form)].flatMap(([name, controls]) => {
    const [control] = controls;
    if (!control) return [];
    const isGroup = control.type === 'radio' || (control.type === 'checkbox' && controls.length > 1);
    const label = (isGroup && groupLabel(control)) || labelOf(control) || name;
    const own = control.getAttribute('tool-param-description') ?? control.getAttribute('toolparamdescription');
    const schema = schemaOf(control, controls);
    const names = optionNames(control, controls);
    const description = shorter([own ?? label, names].filter(Boolean).join('. '), 300);
    const required = controls.some((one) => one.required) && !(control.type === 'checkbox' && isGroup);
    return [{ name, label: shorter(label, LABEL_CHARS), required, schema: { ...schema, description } }];
  });
}

function schemaOf(control: Control, controls: readonly Control[]): JsonSchema {
  if (control instanceof HTMLSelectElement) {
    const values = [...new Set([...control.options].filter(({ disabled }) => !disabled).map(({ value }) => value))].slice(0, OPTIONS);
    const one = control.options.length > OPTIONS ? { type: 'string' } : { type: 'string', enum: values };
    return control.multiple ? { type: 'array', items: one } : one;
  }
  const values = controls.map(({ value }) => value).slice(0, OPTIONS);
  if (control.type === 'radio') return { type: 'string', enum: values };
  if (control.type === 'checkbox')
    return controls.length > 1 ? { type: 'array', items: { type: 'string', enum: values } } : { type: 'boolean' };
  const { minLength, maxLength } = control;
  const length = { ...(minLength > 0 && { minLength }), ...(maxLength >= 0 && { maxLength }) };
  if (control instanceof HTMLTextAreaElement) return { type: 'string', ...length };
  const { type, min, max, step, pattern } = control;
  if (type === 'number' || type === 'range') {
    const isWhole = step === '' || /^\d+$/.test(step);
    const bounds = { ...(min !== '' && { minimum: Number(min) }), ...(max !== '' && { maximum: Number(max) }) };
    return { type: isWhole ? 'integer' : 'number', ...bounds };
  }
  if (type === 'color') return { type: 'string', pattern: COLOUR };
  if (type === 'date' || type === 'email') return { type: 'string', format: type, ...(type === 'email' && length) };
  if (type === 'time') return { type: 'string', pattern: '^\\d\\d:\\d\\d(:\\d\\d)?$' };
  return { type: 'string', ...length, ...(pattern && { pattern: `^(?:${pattern})$` }) };
}

/** What the choices are called, where that is not what they are. */
function optionNames(control: Control, controls: readonly Control[]): string {
  const pairs =
    control instanceof HTMLSelectElement
      ? [...control.options].map((option) => [option.value, option.label] as const)
      : controls.length > 1
        ? controls.map((one) => [one.value, labelOf(one)] as const)
        : [];
  const told = pairs.filter(([value, label]) => value && label && value !== label).slice(0, 30);
  return told.map(([value, label]) => `${value} = ${plain(label)}`).join(', ');
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();

function labelOf(control: Control): string {
  const label = control.labels?.[0];
  // A label around its control holds what stands in that, too.
  const words =
    label &&
    [...label.childNodes].filter((node) => !(node instanceof Element && node.contains(control))).map((node) => node.textContent ?? '');
  return plain(words?.join(' ') ?? control.getAttribute('aria-label') ?? control.getAttribute('placeholder') ?? '').replace(
    /[\s:：*]+$/,
    '',
  );
}

const groupLabel = (control: Control): string => plain(control.closest('fieldset')?.querySelector('legend')?.textContent ?? '');

/** What stands in a field, as its parameter would say it. */
export function controlValueOf(controls: readonly Control[]): unknown {
  const [control] = controls;
  if (control instanceof HTMLSelectElement && control.multiple) return [...control.selectedOptions].map(({ value }) => value);
  if (control?.type === 'radio') return controls.find((one) => (one as HTMLInputElement).checked)?.value;
  if (control?.type === 'checkbox') {
    const checked = controls.filter((one) => (one as HTMLInputElement).checked);
    return controls.length > 1 ? checked.map(({ value }) => value) : checked.length > 0;
  }
  if (control?.value === '') return undefined;
  return control?.type === 'number' || control?.type === 'range' ? Number(control.value) : control?.value;
}

/** Puts a value in. False where it did not go in: no such choice, or the browser made something else of it. */
export function putIn(controls: readonly Control[], value: unknown): boolean {
  const [control] = controls;
  const wanted = Array.isArray(value) ? value.map(String) : [String(value)];
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    if (!wanted.every((one) => options.some((option) => option.value === one && !option.disabled))) return false;
    for (const option of options) option.selected = wanted.includes(option.value);
    return true;
  }
  if (control?.type === 'radio' || (control?.type === 'checkbox' && controls.length > 1)) {
    if (!wanted.every((one) => controls.some((each) => each.value === one))) return false;
    for (const one of controls) setOwn(one, 'checked', wanted.includes(one.value));
    return true;
  }
  if (!control) return false;
  if (control.type === 'checkbox') return setOwn(control, 'checked', value === true);
  setOwn(control, 'value', isObject(value) ? JSON.stringify(value) : wanted.join(', '));
  return control.value !== '' || value === '';
}

/** By the element's own setter: frameworks put theirs before it, and would not notice. */
function setOwn(control: Control, field: 'value' | 'checked', value: string | boolean): true {
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), field)?.set;
  if (setter) setter.call(control, value);
  else Object.assign(control, { [field]: value });
  return true;
}

/** The values that a field of one or more controls shows. */
type Shown = readonly (readonly [value: string, checked: boolean, selected: readonly boolean[]])[];

const shownBy = (field: readonly Control[]): Shown =>
  field.map((control) => {
    const selected = control instanceof HTMLSelectElement ? [...control.options].map((option) => option.selected) : [];
    return [control.value, (control as HTMLInputElement).checked, selected];
  });

function show(field: readonly Control[], states: Shown): void {
  for (const [at, control] of field.entries()) {
    const [value, checked, selected] = states[at]!;
    if (control instanceof HTMLSelectElement)
      for (const [nth, option] of [...control.options].entries()) option.selected = selected[nth] === true;
    else if (control.value !== value) setOwn(control, 'value', value);
    if (typeof checked === 'boolean') setOwn(control, 'checked', checked);
  }
}

interface Layers {
  /** The values that were there before any of them. */
  below: Shown;
  readonly above: { readonly shown: Shown }[];
}

/** Values that were put over those of a field and may be taken away again, by its first control. */
const layers = new WeakMap<Control, Layers>();

/** The values of a field without what is put over them. */
function belowDrafts(field: readonly Control[]): Shown {
  const shown = shownBy(field);
  const held = field[0] && layers.get(field[0]);
  return held && isSame(held.above.at(-1)?.shown, shown) ? held.below : shown;
}

const isSame = (one: Shown | undefined, other: Shown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Lets `put` change these fields; gives the function that takes that back, in whatever order several are taken back. What somebody else has
 * put in since then stays.
 */
export function putOver(fields: Iterable<readonly Control[]>, put: () => void): () => void {
  const all = [...fields].filter((field) => field.length > 0);
  const held = all.map((field): Layers => {
    const known = layers.get(field[0]!);
    if (known && isSame(known.above.at(-1)?.shown, shownBy(field))) return known;
    const fresh = { below: shownBy(field), above: [] };
    layers.set(field[0]!, fresh);
    return fresh;
  });
  put();
  const mine = all.map((field) => ({ shown: shownBy(field) }));
  for (const [at, layer] of mine.entries()) held[at]!.above.push(layer);
  return () => {
    for (const [at, field] of all.entries()) {
      const { below, above } = held[at]!;
      const place = above.indexOf(mine[at]!);
      if (place < 0) continue;
      const wasTop = place === above.length - 1;
      above.splice(place, 1);
      if (wasTop && isSame(mine[at]!.shown, shownBy(field))) show(field, above.at(-1)?.shown ?? below);
    }
  };
}

/** What frameworks and pages listen to. */
export function tell(controls: readonly Control[]): void {
  for (const control of controls) for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Shows that these are a draft; changes nothing of the document. Gives the function that ends it. */
export function markDraft(controls: Iterable<readonly Control[]>): () => void {
  const marks = [...controls]
    .flat()
    .map((control) => control.animate([{ outline: '2px dashed Highlight', outlineOffset: '2px' }], { duration: 1, fill: 'forwards' }));
  return () => {
    for (const mark of marks) mark.cancel();
  };
}
