/** What the assistant of the demo knows of the screen. */
import { expect } from 'chai';
import { buildSystemPrompt } from '../../src/prompts/system-prompt.js';
import { xmlInvoke } from '../../src/protocols/xml-invoke.js';

const load = async <T>(file: string) => (await import(new URL(`../../demo/${file}`, import.meta.url).href)) as T;

describe('the prompt of the demo', () => {
  for (const lang of ['zh-CN', 'en'])
    it(`follows the day that is looked at, and says which day it is today (${lang}, Y-26)`, async () => {
      const { systemPrompt } = await load<{ systemPrompt(lang: string): string }>('system-prompt.js');
      const { dayInView, today } = await load<{ dayInView(context?: string): string; today(): string }>('dates.js');
      const told = (context?: string) =>
        buildSystemPrompt({
          ...{ systemPrompt: systemPrompt(lang), tools: [], protocol: xmlInvoke, lang, callsPerTurn: 'many' },
          variables: { current_date: dayInView(context) },
        });
      const [current, now] = lang === 'en' ? ['Current date', 'Today'] : ['当前日期', '今天'];
      expect(await told('daily::2031-05-06'))
        .to.include(`${current}: 2031-05-06`)
        .and.include(`${now}: ${today()}`);
      expect(await told('daily::2031-05-07')).to.include(`${current}: 2031-05-07`);
      for (const other of ['staging', 'area::a1', undefined]) expect(await told(other)).to.include(`${current}: ${today()}`);
    });
});
