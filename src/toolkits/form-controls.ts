/**
 * Converts the controls of a form to parameters, and sets their values as a user would: visibly, with the events that pages listen to. The
 * old values can be restored.
 */
import { isObject, numbered, own } from '../base/objects.js';
import type { JsonSchema } from '../model/json-schema.js';
import { shorter } from '../tools/tool-naming.js';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** One parameter: a control, or all radio buttons or check boxes with the same name. */
export interface FormField {
  name: string;
  label: string;
  required: boolean;
  schema: JsonSchema;
}

/**
 * Reads a form's own property or method. Its controls are also properties of it, by name, and can hide its own: a control may be called
 * `elements`.
 */
export function formPart<Key extends keyof HTMLFormElement>(form: HTMLFormElement, key: Key): HTMLFormElement[Key] {
  const value: unknown = Reflect.get(HTMLFormElement.prototype, key, form);
  return (typeof value === 'function' ? value.bind(form) : value) as HTMLFormElement[Key];
}

/** Types of controls that a model never fills in: passwords, files, and those that the page hides from the user. */
const LEFT_OUT = new Set(['submit', 'button', 'reset', 'image', 'file', 'hidden', 'password']);
const OPTIONS = 100;
const LABEL_CHARS = 100;
const COLOUR = '^#[0-9a-fA-F]{6}$';

/** Returns the controls that the user can currently fill in, by name. */
export function controlsOf(form: HTMLFormElement): Map<string, Control[]> {
  const found = new Map<string, Control[]>();
  for (const element of formPart(form, 'elements')) {
    if (!isControl(element) || !element.name || element.name === '__proto__' || LEFT_OUT.has(element.type)) continue;
    if (element.matches(':disabled') || ('readOnly' in element && element.readOnly) || isPrivate(element)) continue;
    found.set(element.name, [...(found.get(element.name) ?? []), element]);
  }
  return found;
}

/** Checks for a control whose value no card may show. */
const isPrivate = ({ type, autocomplete }: Control): boolean =>
  type === 'password' || /^(?:cc-|one-time-code|.*password)/.test(autocomplete);

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement || element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;

/** A field that is sent with a call but is not one of its arguments. */
export interface SentField {
  label: string;
  /** The value; `undefined` for a private field. */
  value: string | undefined;
}

const NEVER_SENT = new Set(['submit', 'button', 'reset', 'image', 'hidden']);

/**
 * Returns all visible fields that the form sends besides these arguments. Hidden fields are the page's own business. Empty ones are left
 * out.
 */
export function sentBesides(form: HTMLFormElement, args: Record<string, unknown>): SentField[] {
  const fillable = controlsOf(form);
  const rest = new Map<string, Control[]>();
  for (const element of formPart(form, 'elements')) {
    if (!isControl(element) || !element.name || NEVER_SENT.has(element.type) || element.matches(':disabled')) continue;
    const field = own(args, element.name) === undefined ? [] : (fillable.get(element.name) ?? []);
    // A value is set in the first of several text fields with the same name.
    const isArgument = element === field[0] || (/^(?:radio|checkbox)$/.test(element.type) && field.includes(element));
    if (!isArgument) rest.set(element.name, [...(rest.get(element.name) ?? []), element]);
  }
  return [...rest].flatMap(([name, controls]) => {
    const values = controls.flatMap(sentBy);
    if (values.every((value) => value === '')) return [];
    const [first] = controls as [Control];
    const label = (controls.length > 1 && groupLabel(first)) || labelOf(first) || name;
    return [{ label: shorter(label, LABEL_CHARS), value: controls.some(isPrivate) ? undefined : values.join(', ') }];
  });
}

function sentBy(control: Control): string[] {
  if (control instanceof HTMLSelectElement)
    return [...control.selectedOptions].filter(({ disabled }) => !disabled).map(({ value }) => value);
  if (control.type === 'checkbox' || control.type === 'radio') return (control as HTMLInputElement).checked ? [control.value] : [];
  if (control.type === 'file') return [...((control as HTMLInputElement).files ?? [])].map(({ name }) => name);
  return [control.value];
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

/** Describes the labels of the choices that differ from their values. */
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
  // A label around its control would include the control's text, so skip that node.
  const words =
    label &&
    [...label.childNodes].filter((node) => !(node instanceof Element && node.contains(control))).map((node) => node.textContent ?? '');
  const text = words?.join(' ') ?? control.getAttribute('aria-label') ?? control.getAttribute('placeholder') ?? '';
  // Cut first: the pattern is quadratic in a long run of colons.
  return plain(text)
    .slice(0, 2 * LABEL_CHARS)
    .replace(/[\s:：*]+$/, '');
}

const groupLabel = (control: Control): string => plain(control.closest('fieldset')?.querySelector('legend')?.textContent ?? '');

/** Returns the current value of a field, in the form of its parameter. */
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

/** Sets a value. Returns false if the control has no such choice, or has changed the value. */
export function setControlValue(controls: readonly Control[], value: unknown): boolean {
  const [control] = controls;
  const wanted = Array.isArray(value) ? value.map(String) : [String(value)];
  if (!control) return false;
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    if (!wanted.every((one) => options.some((option) => option.value === one && !option.disabled))) return false;
    for (const option of options) option.selected = wanted.includes(option.value);
    return isSameChoice(controlValueOf(controls) ?? '', wanted);
  }
  if (control.type === 'radio' || (control.type === 'checkbox' && controls.length > 1)) {
    if (!wanted.every((one) => controls.some((each) => each.value === one))) return false;
    for (const one of controls) setOwn(one, 'checked', wanted.includes(one.value));
    return isSameChoice(controlValueOf(controls), wanted);
  }
  if (control.type === 'checkbox') {
    setOwn(control, 'checked', value === true);
    return typeof value === 'boolean';
  }
  const text = isObject(value) ? JSON.stringify(value) : wanted.join(', ');
  setOwn(control, 'value', text);
  return acceptsText(control, text);
}

const isSameChoice = (held: unknown, wanted: readonly string[]): boolean => {
  const [one, other] = [new Set([held].flat()), new Set(wanted)];
  return one.size === other.size && [...other].every((value) => one.has(value));
};

/** Types that the browser clears if the value is invalid, and otherwise rewrites in its own format. */
const TIMES = new Set(['date', 'time', 'datetime-local', 'month', 'week']);

/**
 * Checks that the control has taken the value: browsers drop line breaks, trim, clamp and round, but the user has approved exactly the
 * value on the card.
 */
function acceptsText({ type, value }: Control, text: string): boolean {
  if (text === '' || value === '') return value === text;
  if (TIMES.has(type)) return true;
  if (type === 'number' || type === 'range') return Number(value) === Number(text);
  if (type === 'color') return value === text.toLowerCase();
  return value === (type === 'textarea' ? text.replace(/\r\n?/g, '\n') : text);
}

/** Uses the element's own setter: frameworks override it on the element, and would not notice the change. */
function setOwn(control: Control, field: 'value' | 'checked', value: string | boolean): void {
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), field)?.set;
  if (setter) setter.call(control, value);
  else Object.assign(control, { [field]: value });
}

/** The values that a field of one or more controls shows. */
type Shown = readonly (readonly [value: string, checked: boolean, selected: readonly boolean[]])[];

const shownBy = (field: readonly Control[]): Shown =>
  field.map((control) => {
    const selected = control instanceof HTMLSelectElement ? [...control.options].map((option) => option.selected) : [];
    return [control.value, (control as HTMLInputElement).checked, selected];
  });

function show(field: readonly Control[], states: Shown): void {
  for (const [at, control] of numbered(field)) {
    const [value, checked, selected] = states[at]!;
    if (control instanceof HTMLSelectElement)
      for (const [nth, option] of numbered([...control.options])) option.selected = selected[nth] === true;
    else if (control.value !== value) setOwn(control, 'value', value);
    if (typeof checked === 'boolean') setOwn(control, 'checked', checked);
  }
}

/**
 * Lets `put` change these fields, and returns a function that restores them. A field that the page has changed since then is left alone,
 * unless `always`.
 */
export function fillFields(fields: Iterable<readonly Control[]>, put: () => void): (always?: boolean) => void {
  const all = [...fields].filter((field) => field.length > 0);
  const before = all.map(shownBy);
  put();
  const after = all.map((field) => JSON.stringify(shownBy(field)));
  return (always = false) => {
    for (const [at, field] of numbered(all)) if (always || JSON.stringify(shownBy(field)) === after[at]) show(field, before[at]!);
  };
}

/** Fires the events that frameworks and pages listen to. */
export function notifyControls(controls: readonly Control[]): void {
  for (const control of controls) for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
}

/** Marks these controls as a draft without changing the document. Returns a function that removes the marks. */
export function markDraft(controls: Iterable<readonly Control[]>): () => void {
  const marks = [...controls]
    .flat()
    .map((control) => control.animate([{ outline: '2px dashed Highlight', outlineOffset: '2px' }], { duration: 1, fill: 'forwards' }));
  return () => {
    for (const mark of marks) mark.cancel();
  };
}
