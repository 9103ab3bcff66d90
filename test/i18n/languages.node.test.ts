/** Every language says everything that English says, with all that its sentences hold; a page loads none but its own. */
import { expect } from 'chai';
import { errorsEn, errorTexts, type ErrorTexts } from '../../src/i18n/error-texts.js';
import { fullEnglish } from '../../src/i18n/en.js';
import { loadTexts } from '../../src/i18n/localize.js';
import { withEnglishFallback } from '../../src/i18n/english-fallback.js';
import { pluralOf } from '../../src/i18n/plural.js';

const en = fullEnglish() as unknown as Record<string, unknown>;
const languages = ['zh-CN', 'ar', 'de', 'es', 'fr', 'ja'];
const wordsOf = async (lang: string) => (await loadTexts(lang)) as unknown as Record<string, unknown>;

const missingIn = (words: object) => Object.keys(en).filter((key) => !Object.hasOwn(words, key));

type Sentence = (...args: unknown[]) => string;

/** What stands for the arguments of a sentence: words of which none occurs in a language. */
const marks = ['⟦a⟧', '⟦b⟧', '⟦c⟧'];
/** Sentences that count take numbers; 7 and its neighbours have a digit in every language. */
const numbers = [71, 73, 79];
const saysAll = (sentence: Sentence, english: Sentence) =>
  [marks, numbers].filter((given) => {
    try {
      return given.some((mark) => english(...given).includes(String(mark)) && !sentence(...given).includes(String(mark)));
    } catch {
      return false; // lists and options are given otherwise
    }
  }).length === 0;

function wrongIn(words: Record<string, unknown>): string[] {
  return Object.entries(en).flatMap(([key, english]) => {
    const own = words[key];
    if (typeof own !== typeof english) return [key];
    if (typeof own === 'string') return own.trim() || key === 'grantComma' ? [] : [key];
    if (typeof own === 'function') return saysAll(own as Sentence, english as Sentence) ? [] : [key];
    return Object.keys(english as object).every((part) => (own as Record<string, string>)[part]) ? [] : [key];
  });
}

const report = { status: 471, origin: 'https://shop.example', window: 4711 };
const said = (words: ErrorTexts) =>
  Object.entries(words.findings).map(([finding, lines]) => [finding as keyof ErrorTexts['findings'], lines(report)] as const);

/** What the words of an error's details miss: a word, a sentence, or a number or name in one. */
function wrongInFaults(words: ErrorTexts): string[] {
  const { findings: _, ...labels } = words;
  const missing = Object.keys(errorsEn).filter((key) => key !== 'findings' && !labels[key as keyof typeof labels]?.trim());
  const technical =
    /https?:\/\/\S*|471\d?|[a-z]+_[a-z]+|Access-[\w-]+: \S+|content-type|connect-src|CORS|llama\.cpp|“(?:endpoint|headers)”/gi;
  const sentences = said(errorsEn).flatMap(([finding, english]) => {
    const own = words.findings[finding](report);
    const whole = own.join(' ').replace(/[\u2068\u2069]/g, '');
    const isWhole = own.length === 2 && own.every((line) => line.trim() && !line.includes('undefined'));
    const names = [...english.join(' ').matchAll(technical)].map(([name]) => name.replace(/[“”.,]+/g, ''));
    return isWhole && names.every((name) => whole.replaceAll('.', '').includes(name.replaceAll('.', ''))) ? [] : [finding];
  });
  return [...missing, ...sentences];
}

describe('languages', () => {
  for (const lang of languages)
    it(`${lang} misses no words of English, says in each sentence what the English one says, and of an error's details, too`, async () => {
      const words = await wordsOf(lang);
      expect([missingIn(words), wrongIn(words)], 'missing keys, then wrong ones').to.deep.equal([[], []]);
      const faults = words['faults'] as ErrorTexts;
      expect(Object.keys(faults.findings)).to.deep.equal(Object.keys(errorsEn.findings));
      expect(wrongInFaults(faults)).to.deep.equal([]);
      const same = said(errorsEn).filter(([finding, english]) => faults.findings[finding](report).some((line) => english.includes(line)));
      expect(same, 'left in English').to.deep.equal([]);
    });

  it('says of an error in English what no language says', async () => {
    expect(errorTexts(await loadTexts('tlh'))).to.equal(errorsEn);
    expect(wrongInFaults(errorsEn)).to.deep.equal([]);
    const poor = { ...errorsEn, check: '', findings: { ...errorsEn.findings, auth: () => ['Wer sind Sie?', 'Melden Sie sich an.'] } };
    expect(wrongInFaults(poor)).to.deep.equal(['check', 'auth']);
  });

  it('finds words that are missing, and sentences that swallow something', () => {
    const poor = withEnglishFallback({ send: 'Los', saidError: () => 'Fehler' }) as unknown as Record<string, unknown>;
    expect(missingIn(poor)).to.include('stop').and.not.include('send');
    expect(poor['stop'], 'English steps in').to.equal(en['stop']);
    expect(wrongIn(poor)).to.deep.equal(['saidError']);
  });

  it('falls back from the tag to its base, and to English', async () => {
    expect(await wordsOf('ar-EG')).to.equal(await wordsOf('AR'));
    expect(await wordsOf('zh-Hant-TW')).to.equal(await wordsOf('zh'));
    for (const lang of ['en-GB', 'tlh', 'constructor', '__proto__', '']) expect(await wordsOf(lang), lang).to.equal(en);
  });

  it('counts in the six forms of Arabic', async () => {
    const { waitingCalls } = await loadTexts('ar');
    expect([1, 2, 3, 11, 100].map(waitingCalls).join(' | ')).to.equal(
      'إجراء واحد ينتظر موافقتك | إجراءان ينتظران موافقتك | 3 إجراءات تنتظر موافقتك | 11 إجراءً ينتظر موافقتك | 100 إجراء ينتظر موافقتك',
    );
    expect(pluralOf('ar')(0, { zero: 'none', other: '#' })).to.equal('none');
  });
});
