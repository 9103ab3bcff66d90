/** States of what surrounds messages: versions, ratings, a stopped answer, days and times. */

const words = {
  en: {
    ask: 'Move the dentist to Friday',
    askAgain: 'Move the dentist to Thursday morning',
    answer: 'Done. The dentist is on Thursday at 9:30 now.',
    thanks: 'And what else is on that day?',
    more: 'Only the team meeting at 14:00.',
    stopped: 'On Thursday there is the dentist at 9:30, and then',
  },
  zh: {
    ask: '把看牙医改到周五',
    askAgain: '把看牙医改到周四上午',
    answer: '好了，看牙医已改到周四 9:30。',
    thanks: '那天还有别的安排吗？',
    more: '只有 14:00 的团队会议。',
    stopped: '周四 9:30 看牙医，然后',
  },
};

/** @param tools `idle`, and `message(id, role, parts, status)` */
export function messageStates({ idle, message }) {
  const state = (id, title, views) => ({
    id,
    title,
    view: ({ lang, texts }) => ({ ...idle, views: views(words[lang.startsWith('zh') ? 'zh' : 'en'], texts) }),
  });
  const own = (id, text, more = {}) => ({ ...message(id, 'user', [text]), canEdit: true, ...more });
  const rated = (view, value) => ({ ...view, message: { ...view.message, metadata: { feedback: { value } } } });
  return [
    state('message-versions', 'Messages: an edited question, a rated answer, a new day', (word) => [
      own('u1', word.askAgain, { branch: { from: '', at: 2, of: 2, previous: 1, stay: 1 } }),
      rated(message('a1', 'assistant', [word.answer]), 'up'),
      own('u2', word.thanks),
      { ...message('a2', 'assistant', [word.more]), canRegenerate: true, branch: { from: 'u2', at: 2, of: 3, previous: 1, next: 3 } },
    ]),
    state('message-stopped', 'Messages: an answer that was stopped', (word, texts) => [
      own('u1', word.thanks, {}),
      {
        ...message('a1', 'assistant', [word.stopped], 'cancelled'),
        ...{ note: texts.answerStopped, canContinue: true, canRegenerate: true },
      },
    ]),
  ];
}
