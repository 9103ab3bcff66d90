/** States of what surrounds a conversation: bars, the queue, plans and questions, and overlays. */
import { withDoors } from './gallery-steps.js';

const words = {
  en: {
    ask: 'Get the team dinner ready',
    queued: ['And tell Ada about it', 'Then clear what is done'],
    plan: 'Team dinner on Friday',
    steps: ['Find out who is coming', 'Book a table for the evening', 'Write the invitation', 'Send it to everybody who is coming'],
    guess: 'I book a table for eight at seven in the evening',
    questions: [
      { text: 'Where should it be?', options: ['Near the office', 'At the lake', 'Somewhere with a room of its own'] },
      { text: 'For how many?', options: ['Eight', 'Twelve'] },
    ],
    conversations: ['Team dinner on Friday', 'What is open this week, and what can wait until after the holidays?', 'The dentist'],
  },
  zh: {
    ask: '准备团队聚餐',
    queued: ['再告诉小王一声', '然后把做完的清掉'],
    plan: '周五团队聚餐',
    steps: ['问清有谁参加', '预订晚上的餐位', '写邀请', '发给所有参加的人'],
    guess: '我预订晚上七点、八个人的餐位',
    questions: [
      { text: '定在哪里？', options: ['办公室附近', '湖边', '有包间的地方'] },
      { text: '多少人？', options: ['八个', '十二个'] },
    ],
    conversations: ['周五团队聚餐', '这周还有哪些没做？哪些可以等到假期之后？', '看牙医'],
  },
};

const HOUR = 3_600_000;

/** @param tools `idle`, `message(id, role, parts, status)`, and `choices(lang)` of tools */
export function panelStates({ idle, message, choices }) {
  const speak = (lang) => words[lang.startsWith('zh') ? 'zh' : 'en'];
  const state = (id, title, change, more = {}) => ({
    ...{ id, title, ...more },
    view({ lang, texts }) {
      const word = speak(lang);
      return { ...idle, views: [message('u1', 'user', [word.ask])], ...change(word, texts) };
    },
  });
  const answered = (part) => [message('u1', 'user', [words.en.ask]), { ...message('a1', 'assistant', []), parts: [part] }];
  const busy = { isLoading: true, activities: ['streaming'], state: 'respond' };
  const failed = (_, texts) => ({
    failure: {
      error: { code: 'ENDPOINT_ERROR', layer: 'network', errorType: 'network', status: 503, message: texts.modelAway, retryable: true },
      lines: [texts.modelAway, texts.tryLater],
      ...{ canRetry: true, helpUrl: 'https://help.example/', offer: texts.offerWhole },
    },
  });
  const statuses = ['done', 'failed', 'doing', 'todo'];
  return [
    state('offline', 'Bar: no network', () => ({ ...busy, offline: true })),
    state('retrying', 'Bar: it is tried again', () => ({ ...busy, retry: { attempt: 2, of: 3, at: 0, visible: true } })),
    state('failed-turn', 'Bar: a turn that failed', failed),
    {
      ...state('failed-check', 'Bar: a turn that failed, and why', failed),
      surface: () => ({
        checkConfiguration: () =>
          Promise.resolve({ finding: 'cors', endpoint: 'https://model.example/v1/chat', origin: 'https://shop.example' }),
      }),
      press: ['[part=error-details] summary', '[part=check-button]'],
    },
    state('notices', 'Bars: two things to know', (_, texts) => ({
      notices: [
        { id: 'whole', text: texts.noticeWhole, action: texts.retryStreaming },
        { id: 'no-tools', text: texts.noticeNoTools },
      ],
    })),
    state('queue', 'Messages: two that wait', (word) => ({ ...busy, queue: word.queued })),
    state('plan', 'Plan: as far as it is', (word) => ({
      ...{ ...busy, planning: true },
      views: answered({
        ...{ type: 'plan', id: 'p1' },
        plan: {
          goal: word.plan,
          steps: word.steps.map((title, at) => ({
            ...{ id: `s${at}`, title, status: statuses[at] },
            dependsOn: at > 0 ? [`s${at - 1}`] : [],
          })),
        },
      }),
    })),
    state('questions', 'Questions: a guess, and what to say otherwise', (word) => ({
      views: answered({ type: 'clarify', clarify: { default: word.guess, questions: word.questions } }),
    })),
    {
      ...state('picker', 'Composer: a tool is chosen', () => ({ hasTools: true })),
      panel: () => ({ toolPicker: true }),
      surface: ({ lang }) => ({ tools: () => Promise.resolve(choices(lang)) }),
      press: ['[part=tool-picker]'],
    },
    {
      ...state('history', 'History: conversations of before', () => ({})),
      surface: ({ lang }) => ({
        ...withDoors,
        conversations: {
          ...withDoors.conversations,
          listConversations: () =>
            Promise.resolve(
              speak(lang).conversations.map((title, at) => ({
                id: `k${at}`,
                title,
                updatedAt: Date.now() - at * 30 * HOUR,
                isOpen: at === 0,
              })),
            ),
        },
      }),
      press: ['[part=history-button]'],
    },
  ];
}
