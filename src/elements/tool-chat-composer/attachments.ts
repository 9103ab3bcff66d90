/** Reads files into images that can be sent: small enough, and stored in the message itself, so that displaying them needs no request. */
import type { Attachment } from '../../model/messages.js';

/** Largest number of images in a message. */
export const MOST_PICTURES = 4;

/** Longest side in CSS pixels: services scale larger images down. */
const LONGEST = 1568;

/** Largest size of a sent image, in characters. A larger image is re-encoded, and rejected if that is not enough. */
const LARGEST = 1_500_000;

/** Largest file that is read, in bytes. */
const FILE_BYTES = 30_000_000;

const KINDS = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Keys of the catalog. */
export type PictureProblem = 'onlyPictures' | 'tooManyPictures' | 'pictureTooLarge';

/**
 * Reads the files. It never rejects: files that are not images, or too many, are reported as `problem`. `already`: number of images in the
 * message.
 */
export async function readPictures(files: readonly File[], already: number): Promise<{ pictures: Attachment[]; problem?: PictureProblem }> {
  const fitting = files.filter(({ type }) => type.startsWith('image/') && type !== 'image/svg+xml');
  const taken = fitting.slice(0, Math.max(0, MOST_PICTURES - already));
  const read = await Promise.all(taken.map((file) => readPicture(file).catch(() => undefined)));
  const pictures = read.filter((one) => one !== undefined);
  const problem: PictureProblem | undefined =
    pictures.length < taken.length
      ? 'pictureTooLarge'
      : taken.length < fitting.length
        ? 'tooManyPictures'
        : fitting.length < files.length
          ? 'onlyPictures'
          : undefined;
  return { pictures, ...(problem && { problem }) };
}

async function readPicture(file: File): Promise<Attachment | undefined> {
  if (file.size > FILE_BYTES) return undefined;
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const url = scale === 1 && KINDS.has(file.type) && file.size * 1.4 < LARGEST ? await dataUrl(file) : await drawn(bitmap, scale);
  bitmap.close();
  return url === undefined || url.length > LARGEST ? undefined : { type: 'image', name: file.name || 'image', url };
}

async function drawn(bitmap: ImageBitmap, scale: number): Promise<string | undefined> {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  // Transparent areas would be black in a JPEG.
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/jpeg', 0.85);
  });
  return blob ? dataUrl(blob) : undefined;
}

function dataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error ?? new Error('unread'));
    reader.readAsDataURL(blob);
  });
}
