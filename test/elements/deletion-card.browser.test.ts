/** How much room the question about one deletion takes on a phone, with all that can be chosen about it, in each language. */
import { expect } from '@open-wc/testing';
import { wholeEnglish } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { armed, atRest, find, part, pretend, stage, waiting } from './helpers.js';

/** What a page in that language says of its tool, and for how long an answer may hold. */
const languages = [
  {
    lang: 'en',
    sentence: 'Delete the task “Call the dentist”',
    allow: 'Delete task',
    deny: 'Keep it',
    offer: 'Every call of Delete task in this session',
  },
  { lang: 'zh-CN', sentence: '删除任务「给牙医打电话」', allow: '删除任务', deny: '保留', offer: '本次会话中的每次删除任务' },
  {
    lang: 'ar',
    sentence: 'حذف المهمة «الاتصال بطبيب الأسنان»',
    allow: 'حذف المهمة',
    deny: 'الإبقاء عليها',
    offer: 'كل عملية حذف مهمة في هذه الجلسة',
  },
  {
    lang: 'ja',
    sentence: 'タスク「歯医者に電話する」を削除する',
    allow: 'タスクを削除',
    deny: '残す',
    offer: 'このセッションでのすべてのタスク削除',
  },
  {
    lang: 'es',
    sentence: 'Eliminar la tarea «Llamar al dentista»',
    allow: 'Eliminar tarea',
    deny: 'Conservarla',
    offer: 'Cada eliminación de una tarea en esta sesión',
  },
  {
    lang: 'fr',
    sentence: 'Supprimer la tâche « Appeler le dentiste »',
    allow: 'Supprimer la tâche',
    deny: 'La garder',
    offer: 'Chaque suppression de tâche dans cette session',
  },
  {
    lang: 'de',
    sentence: 'Die Aufgabe „Zahnarzt anrufen“ löschen',
    allow: 'Aufgabe löschen',
    deny: 'Behalten',
    offer: 'Jedes Löschen einer Aufgabe in dieser Sitzung',
  },
];

describe('the question about one deletion', () => {
  before(() => wholeEnglish());
  afterEach(() => {
    document.documentElement.dir = '';
  });

  for (const { lang, sentence, allow, deny, offer } of languages)
    for (const offers of [[], [offer]])
      it(`is at most 220 px high at 364 px, ${offers.length > 0 ? 'with a choice of how long it holds' : 'just once'}: ${lang}`, async () => {
        document.documentElement.dir = lang === 'ar' ? 'rtl' : 'ltr';
        const surface = waiting({ sentence, verbs: { allow, deny } });
        const waits = surface.view.cards['c1'];
        surface.setCard({ ...waits, offers, edit: { schema: {}, sensitive: false, answered: 0 } } as never);
        const { panel } = await stage(surface, { width: 364, lang, texts: await loadTexts(lang) });
        await armed(panel, part('approve-button'));
        await atRest(panel);
        const card = find(panel, part('tool-card')) as Element;
        expect(card.getBoundingClientRect().height).to.be.at.most(220);
        const log = (find(panel, part('messages')) as Element).getBoundingClientRect();
        const box = card.getBoundingClientRect();
        expect([box.top >= log.top, box.bottom <= log.bottom], 'all of it is in view').to.deep.equal([true, true]);
        const undo = pretend(panel, 'pointer: coarse');
        try {
          await atRest(panel);
          expect(card.getBoundingClientRect().height, 'under a finger').to.be.at.most(220);
        } finally {
          undo();
        }
      });
});
