/** WebP pictures out of screenshots, with nothing but a browser. Of an animated one it encodes what has changed in each frame, and the container is put together here. */
import type { Driver } from '../e2e/driver.js';

export interface Frame {
  /** In base64. */
  png: string;
  /** How long it is shown, in milliseconds. */
  ms: number;
}

interface Piece {
  box: [x: number, y: number, width: number, height: number];
  webp: string;
  ms: number;
}

/** @returns the file. Frames that look like the one before them make that one longer. */
export async function animated(driver: Driver, frames: readonly Frame[]): Promise<Buffer> {
  const pieces = await driver.evaluate(changedPieces, frames as Frame[]);
  const [first] = pieces;
  if (!first) throw new Error('There are no frames.');
  const header = Buffer.alloc(10);
  header[0] = 2; // It is animated, without transparency.
  header.writeUIntLE(first.box[2] - 1, 4, 3);
  header.writeUIntLE(first.box[3] - 1, 7, 3);
  // White behind it, and again without end.
  const body = [chunk('VP8X', header), chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0]))];
  for (const { box, webp, ms } of pieces) {
    const head = Buffer.alloc(16);
    const [x, y, width, height] = box;
    for (const [index, value] of [x / 2, y / 2, width - 1, height - 1, ms].entries()) head.writeUIntLE(value, index * 3, 3);
    head[15] = 2; // Pixels replace those below them.
    body.push(chunk('ANMF', Buffer.concat([head, pixelsOf(Buffer.from(webp, 'base64'))])));
  }
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...body]));
}

/** @param png a screenshot in base64 */
export async function still(driver: Driver, png: string): Promise<Buffer> {
  const [{ webp }] = (await driver.evaluate(changedPieces, [{ png, ms: 0 }])) as [Piece];
  return Buffer.from(webp, 'base64');
}

/** The chunk with the pixels of a still WebP; a color profile has no place in a frame. */
function pixelsOf(still: Buffer): Buffer {
  for (let at = 12; at < still.length;) {
    const end = at + 8 + still.readUInt32LE(at + 4);
    if (/^VP8[ L]$/.test(still.toString('latin1', at, at + 4))) return still.subarray(at, end + (end % 2));
    at = end + (end % 2);
  }
  throw new Error('A frame was not encoded.');
}

function chunk(name: string, data: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(data.length);
  return Buffer.concat([Buffer.from(name), size, data, Buffer.alloc(data.length % 2)]);
}

/** Runs in the page. Boxes begin at even numbers, as the format wants it. */
async function changedPieces(frames: Frame[]): Promise<Piece[]> {
  const pieces: Piece[] = [];
  let before: Uint32Array | undefined;
  for (const { png, ms } of frames) {
    const bytes = Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image;
    const draw = (x: number, y: number, w: number, h: number) => {
      const canvas = new OffscreenCanvas(w, h);
      const context = canvas.getContext('2d', { alpha: false })!;
      context.drawImage(image, -x, -y);
      return { canvas, context };
    };
    const now = new Uint32Array(draw(0, 0, width, height).context.getImageData(0, 0, width, height).data.buffer);
    let [left, top, right, bottom] = before ? [width, height, -1, -1] : [0, 0, width - 1, height - 1];
    for (let at = 0; before && at < now.length; at += 1)
      if (now[at] !== before[at]) {
        [left, right] = [Math.min(left, at % width), Math.max(right, at % width)];
        [top, bottom] = [Math.min(top, Math.floor(at / width)), Math.floor(at / width)];
      }
    const last = pieces.at(-1);
    if (right < 0 && last) last.ms += ms;
    else {
      const [x, y] = [left - (left % 2), top - (top % 2)];
      const box: Piece['box'] = [x, y, right + 1 - x, bottom + 1 - y];
      const blob = await draw(...box).canvas.convertToBlob({ type: 'image/webp', quality: 0.85 });
      const text = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('');
      pieces.push({ box, webp: btoa(text), ms });
    }
    before = now;
  }
  return pieces;
}
