/** Names the element or effect that keeps the browser from proving that an approval is visible, for the log. Loaded when this happens. */
import { createSheet } from '../base/style-sheets.js';

/** Properties that the browser treats as a distortion of the content below, with their values without effect. */
const EFFECTS = {
  opacity: '1',
  filter: 'none',
  transform: 'none',
  scale: 'none',
  rotate: 'none',
  mixBlendMode: 'normal',
  maskImage: 'none',
} as const;

export function describeOccluder(approval: Element): string {
  const ancestors = ancestorsOf(approval);
  const { left, top, width, height } = approval.getBoundingClientRect();
  const occluder = elementAbove(ancestors, left + width / 2, top + height / 2);
  if (occluder) return `${selectorOf(occluder)} lies over it and lets clicks through`;
  for (const element of ancestors) {
    const style = getComputedStyle(element);
    for (const [name, none] of Object.entries(EFFECTS) as [keyof typeof EFFECTS, string][]) {
      const value = style[name];
      if (value && value !== none) return `${selectorOf(element)} has ${name}: ${value.slice(0, 60)}`;
    }
  }
  return 'not found';
}

function ancestorsOf(question: Element): Element[] {
  const ancestors: Element[] = [];
  for (let at: Node | null = question; at; at = at instanceof ShadowRoot ? at.host : ((at as Element).assignedSlot ?? at.parentNode))
    if (at instanceof Element) ancestors.push(at);
  return ancestors;
}

/**
 * Returns the topmost element at a point. During the search, all elements receive clicks; otherwise those that let clicks through would not
 * be found.
 */
function elementAbove(ancestors: readonly Element[], x: number, y: number): Element | undefined {
  const sheet = createSheet('* { pointer-events: auto !important }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  try {
    const top = document.elementFromPoint(x, y);
    return top && !ancestors.includes(top) ? top : undefined;
  } finally {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  }
}

function selectorOf({ localName, id, classList }: Element): string {
  const classes = [...classList].slice(0, 3).map((name) => `.${name}`);
  return `<${localName}>${id ? ` #${id}` : ''}${classes.length > 0 ? ` ${classes.join('')}` : ''}`.slice(0, 120);
}
