/** What a visitor reads when something goes wrong: no markup, no status numbers, no ids of tools. Those are the model's and the log's. */
import { expect } from 'chai';
import { failureLines } from '../../src/conversation/view/failure-text.js';
import type { TurnFailure } from '../../src/conversation/chart/chart-context.js';
import { en, type Texts } from '../../src/i18n/en.js';
import { zhCN } from '../../src/i18n/zh-cn.js';
import { call, talk, useFaultServer } from '../conversation/talk.js';

const technical = /CDATA|HTTP|\b[1-5]\d\d\b|remove_row|search_web|mirror_web|no_such_tool/;

const kinds: TurnFailure['kind'][] = [
  ...(['connect', 'timeout', 'cut', 'stall', 'unauthorised', 'forbidden', 'not-found', 'too-long', 'rate-limit', 'server'] as const),
  ...(['bad-request', 'gated', 'setup', 'model-away', 'model-silent', 'redirect', 'bad-response', 'too-large', 'endpoint'] as const),
  ...(['body-taken'] as const),
  ...(['content-filter', 'refused', 'no-model', 'needs-gesture', 'overflow', 'limit', 'budget', 'repeat', 'fruitless'] as const),
  ...(['unreadable', 'locked', 'hidden', 'framed', 'reload', 'load'] as const),
];

const trouble: Partial<TurnFailure>[] = [{}, { afterHeaders: true, crossOrigin: true }, { localNetwork: true }, { detail: 'HTTP 502' }];

/** Only the model, the log and whoever runs the page read these. */
const notForVisitors = new Set(
  'malformedCall problemMalformed problemMalformedVcp apiError writeCallsLikeThis needsFacade wrongNotation'.split(' '),
);

describe('what a visitor reads', () => {
  useFaultServer();
  for (const [language, texts] of Object.entries<Texts>({ English: en, Chinese: zhCN })) {
    it(`of any failure is free of codes, in ${language}`, () => {
      for (const kind of kinds)
        for (const more of trouble) {
          const failure = { kind, code: 'HTTP_ERROR', layer: 'network', retryable: true, status: 503, tool: '搜索', ...more } as const;
          const lines = failureLines(failure, texts);
          expect(lines[0], kind).to.be.a('string').and.not.equal('');
          expect(lines.join(' '), kind).to.not.match(technical);
        }
    });

    it(`of the catalogue is free of codes, in ${language}`, () => {
      for (const [key, said] of Object.entries(texts)) {
        if (notForVisitors.has(key) || typeof said === 'object') continue;
        const text =
          typeof said === 'function' ? String((said as (...args: unknown[]) => unknown)(7, key === 'mixedScripts' ? ['7'] : 7, 7)) : said;
        expect(text, key).to.not.match(technical);
      }
      // The same look finds what the model is told.
      expect([...notForVisitors].filter((key) => technical.test(String(texts[key as keyof Texts])))).to.include('problemMalformed');
    });

    it(`of a call that went wrong is free of codes and ids, in ${language}`, async () => {
      const markup = call('remove_row').replace('</invoke>', 'stray </invoke>');
      const strategies = { errorStrategies: { network: ['degrade', 'disable'] } } as const;
      const talks = [
        ...['no_such_tool', 'remove_row'].map((name) => talk([call(name), 'Sorry.'], { texts })),
        talk([call('search_web'), call('search_web', { title: 'b' }), 'Sorry.'], { texts, ...strategies }),
        talk([markup, markup, 'never'], { texts }),
        talk([call('search_web'), 'Sorry.', 'Sorry.'], { texts }),
      ];
      for (const one of talks) {
        const gone = Object.assign(new Error('gone'), { status: 409 });
        const offline = new TypeError('Failed to fetch');
        one.tool('remove_row', { label: '删除任务', execute: () => Promise.reject(gone) });
        one.tool('search_web', { label: '搜索', risk: 'query', fallback: 'mirror_web', execute: () => Promise.reject(offline) });
        one.tool('mirror_web', { label: '镜像', risk: 'query', execute: () => 'found' });
        if (one === talks[4]) await one.chat.sendMessage('go', { tool: 'remove_row' });
        else await one.send();
      }
      const shown = talks.flatMap((one) => [
        ...(one.view().failure?.lines ?? []),
        one.chat.error ?? '',
        ...one.view().views.flatMap(({ note = '' }) => note),
        ...one.cards().flatMap(({ result, advice = '', standsInFor = '' }) => [result?.message ?? '', advice, standsInFor]),
      ]);
      expect(shown.filter(Boolean)).to.have.length.above(5);
      for (const text of shown) expect(text).to.not.match(technical);
      const told = talks.flatMap(({ chat }) => chat.toolHistory.map(({ result }) => result)).join(' ');
      for (const sign of ['CDATA', '409', 'no_such_tool', 'remove_row']) expect(told, 'the model does read it').to.include(sign);
    });
  }
});
