/**
 * The tools of the research page. Search and reading fail on purpose where the visitor says so, each in its class: what the widget then does
 * (again, instead, without it, or a sentence) is by `errorStrategies`, and nothing of it is in here.
 */
import { searchCorpus } from './research-corpus.js';

/** The faults that a visitor can switch on. `none` comes first. */
export const FAULTS = ['none', 'slow', 'empty', 'rate', 'network', 'auth'];

const SEARCH_TIMEOUT_MS = 1500;

/** @param {{ pages: object[], notes: ReturnType<typeof import('./research-notes.js').createNotes>, fault: () => string, log: (line: string) => void, changed: () => void, text: object }} page */
export function createResearchTools({ pages, notes, fault, log, changed, text }) {
  const string = (description, maxLength = 200) => ({ type: 'string', minLength: 1, maxLength, description });
  const object = (properties, required) => ({ type: 'object', properties, required, additionalProperties: false });
  const found = (query, results) => ({
    success: true,
    message: results.length > 0 ? text.found(results.length, query) : text.foundNothing(query),
    data: results.map(({ title, url }) => ({ title, url })),
    ...(results.length === 0 && { errorType: 'empty_result' }),
  });
  const failWith = (status, message) => {
    throw Object.assign(new Error(message), { status });
  };

  /** As if by a network: it takes a moment, and longer or for ever where something is wrong. */
  async function backend(name, signal) {
    const broken = fault();
    log(text.asked(name, text.faults[broken]));
    await wait(broken === 'slow' ? 60_000 : 350, signal);
    if (broken === 'rate') failWith(429, text.tooMany);
    if (broken === 'network') failWith(503, text.unreachable);
    if (broken === 'auth') failWith(401, text.noKey);
    return broken === 'empty' ? [] : pages;
  }

  return [
    {
      name: 'webSearch',
      label: text.search[0],
      description: text.search[1],
      icon: '🔎',
      risk: 'query',
      resource: 'search',
      timeout: SEARCH_TIMEOUT_MS,
      // Another way to the same: taken where the first is out of order.
      fallback: 'searchArchive',
      parameters: object({ query: string(text.query) }, ['query']),
      describeCall: ({ query }) => text.searchSentence(query),
      execute: async ({ query }, { signal }) => found(query, searchCorpus(await backend('webSearch', signal), query)),
    },
    {
      name: 'searchArchive',
      label: text.archive[0],
      description: text.archive[1],
      icon: '🗃️',
      risk: 'query',
      resource: 'search',
      parameters: object({ query: string(text.query) }, ['query']),
      describeCall: ({ query }) => text.archiveSentence(query),
      async execute({ query }, { signal }) {
        log(text.asked('searchArchive', text.faults.none));
        await wait(200, signal);
        return found(query, searchCorpus(pages.slice(0, 4), query));
      },
    },
    {
      name: 'extractWebUrl',
      label: text.read[0],
      description: text.read[1],
      icon: '📄',
      risk: 'query',
      resource: 'web',
      timeout: SEARCH_TIMEOUT_MS,
      // Somebody else wrote it: what changes something afterwards asks, whatever was allowed before.
      untrusted: true,
      parameters: object({ url: string(text.url, 500) }, ['url']),
      describeCall: ({ url }) => text.readSentence(pages.find((one) => one.url === url)?.title ?? url),
      async execute({ url }, { signal }) {
        const one = (await backend('extractWebUrl', signal)).find((candidate) => candidate.url === url);
        if (!one) return { success: true, message: text.noText(url), errorType: 'empty_result' };
        return { success: true, message: one.text, data: { title: one.title, url } };
      },
    },
    {
      name: 'write_note',
      label: text.write[0],
      description: text.write[1],
      icon: '📝',
      risk: 'write',
      resource: 'write_note',
      parameters: object({ title: string(text.noteTitle, 120), body: string(text.noteBody, 4000) }, ['title', 'body']),
      describeCall: ({ title }) => text.writeSentence(title),
      preview: ({ title, body }) => [
        { label: text.noteTitle, after: title },
        { label: text.noteBody, after: body },
      ],
      // After a crash: the note carries the call's id.
      verify: async (_, { requestId }) => ((await notes.all()).some(({ id }) => id === requestId) ? 'done' : 'not-done'),
      async execute({ title, body }, { requestId }) {
        await notes.put({ id: requestId, title, body, at: Date.now() });
        changed();
        return { success: true, message: text.written(title), data: { id: requestId } };
      },
      async undo({ data }) {
        await notes.remove(data.id);
        changed();
      },
    },
  ];
}

function wait(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
