/** Colours as they meet the eye: what an engine computes, laid over what lies behind it, and how far two of them are apart. */

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

const known = new Map<string, Colour>();
let canvas: CanvasRenderingContext2D | null = null;

/** Whatever the notation. Channels of 0 … 255, alpha of 0 … 1. */
function read(css: string): Colour {
  const cached = known.get(css);
  if (cached) return cached;
  canvas ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  if (!canvas) throw new Error('There is no canvas.');
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = css;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
  const colour: Colour = [red, green, blue, alpha / 255];
  known.set(css, colour);
  return colour;
}

const over = (front: Colour, back: Colour): Colour => {
  const mix = (at: 0 | 1 | 2) => front[at] * front[3] + back[at] * (1 - front[3]);
  return [mix(0), mix(1), mix(2), 1];
};

/** Through shadow roots and slots. */
function outward(element: Element): Element | null {
  return element.assignedSlot ?? element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host ?? null;
}

/** What is behind the text of an element: its own background, and those that it lies on. */
export function behind(element: Element): Colour {
  const layers: Colour[] = [];
  for (let at: Element | null = element; at; at = outward(at)) {
    const colour = read(getComputedStyle(at).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  return layers.reduceRight<Colour>((back, front) => over(front, back), read('Canvas'));
}

function opacity(element: Element): number {
  let all = 1;
  for (let at: Element | null = element; at; at = outward(at)) all *= Number(getComputedStyle(at).opacity);
  return all;
}

function luminance(colour: Colour): number {
  const [red, green, blue] = [0, 1, 2].map((at) => {
    const channel = Number(colour[at]) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** As WCAG 2 has it, 1 … 21. @param css what an element draws with: its text, its sign */
export function contrastOn(element: Element, css: string): number {
  const back = behind(element);
  const colour = read(css);
  const front = over([colour[0], colour[1], colour[2], colour[3] * opacity(element)], back);
  const [one, other] = [luminance(front), luminance(back)].sort((a, b) => b - a) as [number, number];
  return (one + 0.05) / (other + 0.05);
}
