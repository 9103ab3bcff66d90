/** Reads files into images that can be sent: small enough, and stored in the message itself, so that displaying them needs no request. */
import type { Attachment } from '../../model/messages.js';

/** Largest number of images in a message. */
export const MAX_IMAGES = 4;

/** Longest side in CSS pixels: services scale larger images down. */
const MAX_SIDE = 1568;

/** Largest size of a sent image, in characters. A larger image is re-encoded, and rejected if that is not enough. */
const MAX_URL_LENGTH = 1_500_000;

/** Largest file that is read, in bytes. */
const MAX_FILE_BYTES = 30_000_000;

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Keys of the catalog. */
export type ImageProblem = 'onlyPictures' | 'tooManyPictures' | 'pictureTooLarge';

/**
 * Reads the files. It never rejects: files that are not images, or too many, are reported as `problem`. `existing`: number of images in the
 * message.
 */
export async function readImages(files: readonly File[], existing: number): Promise<{ pictures: Attachment[]; problem?: ImageProblem }> {
  const images = files.filter(({ type }) => type.startsWith('image/') && type !== 'image/svg+xml');
  const accepted = images.slice(0, Math.max(0, MAX_IMAGES - existing));
  const read = await Promise.all(accepted.map((file) => readImage(file).catch(() => undefined)));
  const pictures = read.filter((one) => one !== undefined);
  const problem: ImageProblem | undefined =
    pictures.length < accepted.length
      ? 'pictureTooLarge'
      : accepted.length < images.length
        ? 'tooManyPictures'
        : images.length < files.length
          ? 'onlyPictures'
          : undefined;
  return { pictures, ...(problem && { problem }) };
}

async function readImage(file: File): Promise<Attachment | undefined> {
  if (file.size > MAX_FILE_BYTES) return undefined;
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const url =
    scale === 1 && IMAGE_TYPES.has(file.type) && file.size * 1.4 < MAX_URL_LENGTH ? await dataUrl(file) : await encodeScaled(bitmap, scale);
  bitmap.close();
  return url === undefined || url.length > MAX_URL_LENGTH ? undefined : { type: 'image', name: file.name || 'image', url };
}

async function encodeScaled(bitmap: ImageBitmap, scale: number): Promise<string | undefined> {
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
