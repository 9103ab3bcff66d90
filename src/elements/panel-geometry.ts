/** Calculations for the position and size of a floating panel that the user has moved, and for its saved form. */

/** Distances in CSS pixels between the panel and the two sides of the window that it is aligned to, and its size if the user changed it. */
export interface PanelPosition {
  readonly x: number;
  readonly y: number;
  readonly width?: number;
  readonly height?: number;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The sides of the window that a panel is aligned to, or the corner of its grip. */
export interface Sides {
  readonly left: boolean;
  readonly top: boolean;
}

/** Distance between the panel and the edge of the window, in CSS pixels. */
const EDGE = 12;
const MIN_SIZE = { width: 320, height: 360 };

const clamp = (value: number, minimum: number, maximum: number) => Math.max(minimum, Math.min(value, maximum));

/** Returns the size, limited to the window. */
export function fitSize({ width, height }: PanelPosition, room: Box): Partial<PanelPosition> {
  if (width === undefined || height === undefined) return {};
  return {
    width: clamp(width, MIN_SIZE.width, room.width - 2 * EDGE),
    height: clamp(height, MIN_SIZE.height, room.height - 2 * EDGE),
  };
}

/** Returns the position of a panel of this size in the window. */
export function cornerOf({ x, y }: PanelPosition, { width, height }: Box, room: Box, from: Sides): { left: number; top: number } {
  const left = from.left ? x : room.width - x - width;
  const top = from.top ? y : room.height - y - height;
  return {
    left: room.left + clamp(left, EDGE, room.width - EDGE - width),
    top: room.top + clamp(top, EDGE, room.height - EDGE - height),
  };
}

/** Returns the saved place of a panel with this box. */
export function positionOf({ left, top, width, height }: Box, room: Box, from: Sides): PanelPosition {
  return {
    x: from.left ? left - room.left : room.left + room.width - left - width,
    y: from.top ? top - room.top : room.top + room.height - top - height,
  };
}

/** Resizes a box by its corner at these sides. The opposite corner stays fixed. */
export function resizedBox(dx: number, dy: number, box: Box, room: Box, at: Sides): Box {
  const before = { x: box.left - room.left, y: box.top - room.top };
  const maxWidth = at.left ? before.x + box.width : room.width - before.x;
  const maxHeight = at.top ? before.y + box.height : room.height - before.y;
  const width = clamp(box.width + (at.left ? -dx : dx), MIN_SIZE.width, maxWidth - EDGE);
  const height = clamp(box.height + (at.top ? -dy : dy), MIN_SIZE.height, maxHeight - EDGE);
  return {
    left: at.left ? box.left + box.width - width : box.left,
    top: at.top ? box.top + box.height - height : box.top,
    ...{ width, height },
  };
}

/** Parses a saved place of two or four numbers. Returns undefined for anything else. */
export function parsePosition(text: string | null): PanelPosition | undefined {
  const [x, y, width, height, ...more] = (text ?? '').split(',').map((text) => (/^-?\d{1,5}$/.test(text) ? Number(text) : NaN));
  const numbers = [x, y, ...(width === undefined ? [] : [width, height])];
  if (x === undefined || y === undefined || more.length > 0 || !numbers.every(Number.isFinite)) return undefined;
  return { x, y, ...(width !== undefined && height !== undefined && { width, height }) };
}

export function formatPosition({ x, y, width, height }: PanelPosition): string {
  return [x, y, ...(width === undefined || height === undefined ? [] : [width, height])].map(Math.round).join();
}
