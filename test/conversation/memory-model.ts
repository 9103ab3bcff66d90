/** A model for tests of memory: it answers a chat, a request for a summary and a request for a profile, known by their system prompts. */
import { cutieText } from './scripted-fetch.js';
import { talk, until, type Body, type Talk, type TalkOptions } from './talk.js';

export interface Model {
  fetch: typeof fetch;
  chats: Body[];
  summaries: Body[];
  profiles: Body[];
}

export const NOTES = {
  ...{ goal: 'plan the trip', done: 'the flight is booked', open: 'the hotel' },
  ...{ facts: ['用户叫小明'], preferences: ['likes window seats'], entities: { hotel: 'Astoria' } },
};

interface Answers {
  summary?: (nth: number) => object | string | Promise<Response>;
  profile?: () => unknown;
  reply?: (nth: number) => string;
}

export function model({ summary = () => NOTES, profile = () => ({}), reply = (nth) => `answer ${String(nth)}` }: Answers = {}): Model {
  const made: Model = {
    chats: [],
    summaries: [],
    profiles: [],
    async fetch(_url, init) {
      const body = JSON.parse((init as { body: string }).body) as Body;
      if (body.system.includes('{"profile"')) {
        made.profiles.push(body);
        return cutieText(JSON.stringify(await profile()));
      }
      if (!body.system.includes('"goal"')) return cutieText(reply(made.chats.push(body)));
      const answer = await summary(made.summaries.push(body));
      if (answer instanceof Response) return answer;
      return cutieText(typeof answer === 'string' ? answer : JSON.stringify(answer));
    },
  };
  return made;
}

export const layered = (made: Model, options: TalkOptions = {}): Talk => talk([], { memory: 'layered', fetch: made.fetch, ...options });

export const rested = ({ chat }: Talk) => until(() => !chat.matchesState('summarising'), 'the summary');

/** Sends each text, and waits until nothing follows from it any more. */
export async function say(chat: Talk, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    await chat.send(text);
    await rested(chat);
  }
}

export const remembered = (chat: Talk) => chat.view().remembered ?? [];
export const textsOf = (chat: Talk) => remembered(chat).map(({ text }) => text);
export const lastOf = (bodies: readonly Body[]): Body => bodies.at(-1)!;
/** The whole text that was to be summed up or learnt from. */
export const given = (body: Body | undefined): string => body?.messages[0]?.text ?? '';
/** The section about memories of the last chat request. */
export const memoryIn = ({ chats }: Model): string => /<memory>\n([\s\S]*)\n<\/memory>/.exec(lastOf(chats).system)?.[1] ?? '';
