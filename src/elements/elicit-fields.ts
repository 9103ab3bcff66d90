/** The form fields that an MCP server can request: text, dates, numbers, yes or no, one choice, several choices. */
import { isObject, own } from '../base/objects.js';
import { testPattern } from '../base/pattern-tests.js';
import type { ServerQuestionStrings } from '../i18n/server-question.js';
import { choicesOf, type Choice } from '../model/choices.js';

export interface FormField {
  row: HTMLElement;
  /** Returns the value of the field; undefined if it is empty. */
  read(): unknown;
}

interface FieldRequest {
  property: Readonly<Record<string, unknown>>;
  title: string;
  required: boolean;
  /** Id of the element that describes the field. */
  described: string;
}

export function createFields(schema: Readonly<Record<string, unknown>>, strings: ServerQuestionStrings): Map<string, FormField> {
  const [properties, required] = [own(schema, 'properties'), own(schema, 'required')];
  const fields = new Map<string, FormField>();
  for (const [name, given] of isObject(properties) ? Object.entries(properties) : []) {
    const property = isObject(given) ? given : {};
    const title = own(property, 'title');
    const request: FieldRequest = {
      property,
      title: typeof title === 'string' && title.trim() ? title : name,
      required: Array.isArray(required) && required.includes(name),
      described: `about-${String(fields.size)}`,
    };
    const field = createField(request, strings);
    field.row.className = 'field';
    const description = own(property, 'description');
    if (typeof description === 'string') {
      const hint = make('p', description);
      hint.id = request.described;
      hint.className = 'small';
      field.row.append(hint);
    }
    fields.set(name, field);
  }
  return fields;
}

function createField(request: FieldRequest, strings: ServerQuestionStrings): FormField {
  const { property } = request;
  const type = own(property, 'type');
  const several = type === 'array' ? choicesOf(own(property, 'items')) : undefined;
  if (several) return checkboxGroup(request, several, strings);
  const choices = choicesOf(property);
  if (choices) return selectField(request, choices);
  return type === 'boolean'
    ? checkboxField(request)
    : type === 'number' || type === 'integer'
      ? numberField(request)
      : textField(request, strings);
}

/** Puts the control inside its label, so that its accessible name is the title alone. */
function labeled(control: HTMLInputElement | HTMLSelectElement, { title, required, described, property }: FieldRequest): HTMLElement {
  const label = make('label');
  label.append(title, ...(required ? [requiredMark()] : []), control);
  control.required = required;
  if (own(property, 'description') !== undefined) control.setAttribute('aria-describedby', described);
  const row = make('div');
  row.append(label);
  return row;
}

/** Returns the visible mark of a required field. It is hidden from screen readers, because the control itself says that it is required. */
function requiredMark(): HTMLElement {
  const mark = make('span', ' *');
  mark.ariaHidden = 'true';
  return mark;
}

function selectField(request: FieldRequest, choices: readonly Choice[]): FormField {
  const select = make('select');
  const options = choices.map(({ title }, at) => {
    const option = make('option', title);
    option.value = String(at);
    return option;
  });
  select.append(make('option'), ...options);
  const standard = choices.findIndex(({ value }) => value === own(request.property, 'default'));
  select.selectedIndex = standard + 1;
  return { row: labeled(select, request), read: () => choices[select.selectedIndex - 1]?.value };
}

function checkboxGroup(
  { property, title, required, described }: FieldRequest,
  choices: readonly Choice[],
  strings: ServerQuestionStrings,
): FormField {
  const [standard, least, most] = ['default', 'minItems', 'maxItems'].map((key) => own(property, key));
  const row = make('div');
  const group = make('fieldset');
  const legend = make('legend', title);
  if (required) legend.append(requiredMark());
  if (own(property, 'description') !== undefined) group.setAttribute('aria-describedby', described);
  const boxes = choices.map(({ value }) => {
    const box = make('input');
    box.type = 'checkbox';
    box.checked = Array.isArray(standard) && standard.includes(value);
    return box;
  });
  group.append(
    legend,
    ...boxes.map((box, at) => {
      const label = make('label');
      label.append(box, choices[at]!.title);
      return label;
    }),
  );
  const read = () => choices.filter((_, at) => boxes[at]!.checked).map(({ value }) => value);
  const isOptional = !required && !Array.isArray(standard);
  const check = () => {
    const { length } = read();
    const isAbsent = length === 0 && isOptional;
    const tooFew = typeof least === 'number' && length < least && !isAbsent ? strings.atLeast(least) : '';
    boxes[0]?.setCustomValidity(tooFew || (typeof most === 'number' && length > most ? strings.atMost(most) : ''));
  };
  group.addEventListener('change', check);
  check();
  row.append(group);
  return {
    row,
    read() {
      const chosen = read();
      return chosen.length === 0 && isOptional ? undefined : chosen;
    },
  };
}

function checkboxField({ property, title, described }: FieldRequest): FormField {
  const box = make('input');
  box.type = 'checkbox';
  box.checked = own(property, 'default') === true;
  if (own(property, 'description') !== undefined) box.setAttribute('aria-describedby', described);
  const label = make('label');
  label.append(box, title);
  const row = make('div');
  row.append(label);
  return { row, read: () => box.checked };
}

function numberField(request: FieldRequest): FormField {
  const { property } = request;
  const input = make('input');
  const isWhole = own(property, 'type') === 'integer';
  input.type = 'number';
  input.step = isWhole ? '1' : 'any';
  const [least, most, standard] = ['minimum', 'maximum', 'default'].map((key) => own(property, key));
  // Steps are counted from the lowest value.
  if (typeof least === 'number') input.min = String(isWhole ? Math.ceil(least) : least);
  if (typeof most === 'number') input.max = String(most);
  if (typeof standard === 'number') input.value = String(standard);
  return { row: labeled(input, request), read: () => (input.value === '' ? undefined : input.valueAsNumber) };
}

const INPUT_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['email', 'email'],
  ['date', 'date'],
  ['date-time', 'datetime-local'],
  ['uri', 'url'],
]);

function textField(request: FieldRequest, strings: ServerQuestionStrings): FormField {
  const { property } = request;
  const input = make('input');
  const [format, least, most, standard] = ['format', 'minLength', 'maxLength', 'default'].map((key) => own(property, key));
  input.type = INPUT_TYPES.get(format) ?? 'text';
  // Setting the properties would throw if the bounds contradict each other.
  if (typeof least === 'number') input.setAttribute('minlength', String(least));
  if (typeof most === 'number') input.setAttribute('maxlength', String(most));
  const row = labeled(input, request);
  if (format !== 'date-time') {
    if (typeof standard === 'string') input.value = standard;
    const pattern = own(property, 'pattern');
    // The browser's own pattern check has no time limit.
    const check = () => {
      const isOther = typeof pattern === 'string' && input.value !== '' && testPattern(pattern, input.value) === false;
      input.setCustomValidity(isOther ? strings.otherFormat : '');
    };
    input.addEventListener('input', check);
    check();
    return { row, read: () => input.value || undefined };
  }
  // The user reads and enters local time; the server receives UTC.
  input.step = 'any';
  const moment = typeof standard === 'string' ? Date.parse(standard) : NaN;
  if (!Number.isNaN(moment)) input.valueAsNumber = moment - new Date(moment).getTimezoneOffset() * 60_000;
  return { row, read: () => (input.value === '' ? undefined : new Date(input.value).toISOString()) };
}

export function make<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, text = ''): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
