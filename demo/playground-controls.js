/** A control for every attribute: grouped, searchable, each with its line of the documentation. What is empty is as the preset says. */
import { element } from './dom.js';

/** `code` between back-ticks, as nodes. */
const withCode = (line) => line.split('`').map((piece, at) => (at % 2 === 1 ? element('code', { textContent: piece }) : piece));

/**
 * @param known values of attributes that may be any text, where the page has a list of its own
 * @param first what is set before anybody chooses
 */
export function createControls({ form, main, more, find, nothing, options, groups, known, first, text }) {
  const controls = new Map();

  function controlOf({ name, kind, values }) {
    const id = `option-${name}`;
    const shared = { id, name, 'aria-describedby': `${id}-line` };
    if (kind === 'flag') return element('input', { ...shared, type: 'checkbox' });
    const list = Object.hasOwn(known, name) ? known[name] : kind === 'choice' ? values : null;
    if (list) {
      const isOpen = !Object.hasOwn(first, name);
      const choices = list.map((value) => element('option', { value, textContent: value }));
      return element('select', shared, isOpen ? element('option', { value: '' }) : null, ...choices);
    }
    if (name === 'system-prompt') return element('textarea', { ...shared, rows: 3, maxLength: 2000 });
    if (kind !== 'number') return element('input', { ...shared, type: 'text', maxLength: 2000, spellcheck: false });
    return element('input', { ...shared, type: 'number', min: 0, step: name === 'temperature' ? 0.1 : 1 });
  }

  function fieldOf(option) {
    const control = controlOf(option);
    controls.set(option.name, { ...option, control });
    const name = element('label', { htmlFor: control.id }, element('code', { textContent: option.name }));
    const line = element('small', { id: `${control.id}-line` }, ...withCode(text.line(option)));
    return element('div', { class: 'option', 'data-option': option.name }, name, control, line);
  }

  const isMain = (name) => main.dataset.options.split(' ').includes(name);
  const named = new Map(options.map((option) => [option.name, option]));
  for (const name of main.dataset.options.split(' ')) if (named.has(name)) main.append(fieldOf(named.get(name)));
  for (const group of groups) {
    const fields = options.filter((option) => option.group === group && !isMain(option.name) && option.name !== 'endpoint').map(fieldOf);
    const count = element('span', { class: 'count' });
    const summary = element('summary', {}, text.groups[group], count);
    if (fields.length > 0) more.append(element('details', { class: 'group' }, summary, ...fields));
  }

  const valueOf = ({ kind, control }) => (kind === 'flag' ? (control.checked ? '' : undefined) : control.value || undefined);

  function set(name, value) {
    const { kind, control } = controls.get(name);
    if (kind === 'flag') control.checked = value !== undefined;
    else control.value = value ?? '';
  }

  /** The values of the controls by attribute. Empty ones are left out. */
  const chosen = () =>
    new Map(
      [...controls.values()]
        .filter(({ control, kind }) => kind !== 'number' || control.checkValidity())
        .map((entry) => [entry.control.name, valueOf(entry)])
        .filter(([, value]) => value !== undefined),
    );

  /** Says beside each what an empty one means, and which are not as they were at first. */
  function mark() {
    const preset = controls.get('preset').control.value || 'balanced';
    for (const { control, name, initial, kind } of controls.values()) {
      const byDefault = name === 'preset' || preset === 'balanced' ? text.byDefault(initial) : text.byPreset;
      if (control.options?.[0]?.value === '') control.options[0].textContent = byDefault;
      else if (kind === 'number') control.placeholder = initial;
      const isChanged =
        (valueOf({ kind, control }) ?? '') !== (Object.hasOwn(first, name) ? first[name] : kind === 'flag' ? undefined : '');
      control.closest('.option').toggleAttribute('data-changed', kind === 'flag' ? control.checked : isChanged);
    }
    for (const group of more.children) {
      const changed = group.querySelectorAll('[data-changed]').length;
      group.querySelector('.count').textContent = changed > 0 ? text.changed(changed) : '';
    }
  }

  function reset(except = []) {
    for (const { name } of controls.values()) if (!except.includes(name)) set(name, Object.hasOwn(first, name) ? first[name] : undefined);
  }

  function search() {
    const words = find.value.trim().toLowerCase();
    let isFound = false;
    for (const group of more.children) {
      let isAny = false;
      for (const field of group.querySelectorAll('.option')) {
        const isHit =
          field.querySelector('label').textContent.includes(words) ||
          field.querySelector('small').textContent.toLowerCase().includes(words);
        field.hidden = !isHit;
        isAny ||= isHit;
      }
      group.hidden = !isAny;
      group.open = words !== '' && isAny;
      isFound ||= isAny;
    }
    nothing.hidden = isFound;
  }
  find.addEventListener('input', search);
  form.addEventListener('submit', (event) => event.preventDefault());
  reset();

  return { chosen, set, reset, mark, has: (name) => controls.has(name), value: (name) => controls.get(name).control.value };
}
