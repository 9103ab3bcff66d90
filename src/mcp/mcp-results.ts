/** Converts results of tools and contents of resources to plain data of a size that a model can take. */
import { ToolError } from '../base/errors.js';
import { isObject, own } from '../base/objects.js';
import { summarize } from '../toolkits/read-response.js';
import type { ToolkitTexts } from '../toolkits/toolkit-texts.js';
import { oneSentence } from '../tools/tool-naming.js';
import { McpError, type Fields } from './mcp-message.js';

const PARTS = 100;

/** @throws ToolError if the tool reports an error */
export function readResult(result: Fields, words: ToolkitTexts): unknown {
  const content = own(result, 'content');
  const parts = (Array.isArray(content) ? content.slice(0, PARTS) : []).map(readPart).filter((part) => part !== undefined);
  const isText = parts.every((part) => typeof part === 'string');
  const text = isText ? parts.join('\n') : undefined;
  if (own(result, 'isError') === true) {
    const said = text ?? parts.find((part) => typeof part === 'string') ?? '';
    throw new ToolError(oneSentence(withoutHeadings(said), 300) || words.refused, {
      code: 'EXECUTION_FAILED',
      data: summarize(said, words),
    });
  }
  const structured = own(result, 'structuredContent');
  // A structured result is plain data: none of its fields can set the outcome of the call.
  if (isObject(structured)) return { success: true, message: words.done, data: summarize(structured, words, stripBinary) };
  // Not a `ToolError`: the tool may have done its work.
  if (!Array.isArray(content)) throw new Error(words.unknownAnswer);
  return text === undefined ? summarize(parts, words) : summarize(text || words.done, words);
}

/** Removes the headings above an error in Markdown, as in `### Error`: they say nothing, and a sentence would end before them. */
const withoutHeadings = (text: string): string => text.trimStart().replace(/^(?:#[^\n]*\n\s*)+/, '');

export function hasLinks(result: Fields): boolean {
  const content = own(result, 'content');
  return Array.isArray(content) && content.slice(0, PARTS).some((part) => own(part, 'type') === 'resource_link');
}

function readPart(part: unknown): unknown {
  const [type, text, mimeType, uri, name] = ['type', 'text', 'mimeType', 'uri', 'name'].map((key) => own(part, key));
  if (type === 'text') return typeof text === 'string' ? stripBinary(text) : undefined;
  if (type === 'resource_link') return { link: uri, ...(typeof name === 'string' && { name }) };
  if (type === 'resource') return readContents(own(part, 'resource'));
  return `[${String(type)}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}]`;
}

/** Returns the text of a resource, or its media type if it has no text. */
export function readContents(resource: unknown): unknown {
  const [uri, text, mimeType] = ['uri', 'text', 'mimeType'].map((key) => own(resource, key));
  return { uri, ...(typeof text === 'string' ? { text: stripBinary(text) } : { type: mimeType ?? 'application/octet-stream' }) };
}

/** Converts an error to a message for the user. The server's own message appears only in the result of its own call. */
export function errorText(error: unknown, words: ToolkitTexts): unknown {
  if (!(error instanceof McpError)) return error;
  const { why, status, message } = error;
  if (status === 401) return new ToolError(words.noAuth, { errorType: 'auth' });
  if (status === 403) return new ToolError(words.noAccess, { errorType: 'auth' });
  if (why === 'network') return new ToolError(words.moved, { errorType: 'network' });
  if (why === 'cut') return new ToolError(words.cut, { errorType: 'network' });
  if (why === 'unreadable') return new ToolError(words.noJson, { code: 'EXECUTION_FAILED' });
  if (why === 'too-large') return new ToolError(words.tooLarge('4 MB'), { code: 'EXECUTION_FAILED' });
  const errorType = status === 408 || status === 504 ? 'timeout' : status !== undefined && status >= 500 ? 'network' : undefined;
  return new ToolError(oneSentence(message, 300) || words.refused, { code: 'EXECUTION_FAILED', ...(errorType && { errorType }) });
}

/** Base64 of this length is replaced anywhere. Words, ids and cursors are shorter. */
const LONG = 2000;
/** Base64 of this length is replaced if a media type is given with it. */
const SHORT = 64;
const TYPE_KEYS = ['mimeType', 'mime_type', 'mediaType', 'media_type', 'contentType', 'content_type'];

/**
 * Returns the text with a short note in place of base64, which says nothing to a model and would fill its context.
 *
 *   @param holder the object that the text is a field of; it may name the media type
 */
function stripBinary(text: string, holder?: unknown): string {
  if (text.length < SHORT) return text;
  const type = TYPE_KEYS.map((key) => own(holder, key)).find((one) => typeof one === 'string');
  return isBinary(type) && isBase64(text) ? note(String(type), text.length) : inText(text);
}

const isBinary = (type: unknown): boolean => typeof type === 'string' && !/^text\/|json|xml|yaml|javascript/i.test(type);

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);

function inText(text: string): string {
  const short = text.replace(
    /data:([\w.+-]{1,60}\/[\w.+-]{1,60})(?:;[\w.=-]{1,60}){0,3};base64,([A-Za-z0-9+/_=%-]*)/gi,
    (_, type: string, bytes: string) => note(type, bytes.length),
  );
  return short.length < LONG
    ? short
    : short.replace(/[A-Za-z0-9+/_-]+={0,2}/g, (word) => (word.length < LONG ? word : note('base64', word.length)));
}

const note = (type: string, characters: number): string => `[${type}, ${String(Math.ceil((characters * 3) / 4 / 1024))} KB]`;
