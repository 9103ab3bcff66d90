import { expect } from 'chai';
import { inspectorStrings, inspectorStringsFor } from '../../src/inspector/inspector-strings.js';

it('the inspector says everything in seven languages, and English to all others', () => {
  const keys = Object.keys(inspectorStringsFor('en'));
  expect(Object.keys(inspectorStrings)).to.deep.equal(['en', 'zh', 'ar', 'de', 'es', 'fr', 'ja']);
  for (const [lang, words] of Object.entries(inspectorStrings)) {
    expect(Object.keys(words), lang).to.deep.equal(keys);
    for (const [key, said] of Object.entries(words)) {
      const text = typeof said === 'function' ? (said as (...given: unknown[]) => string)('⟦a⟧', '⟦b⟧') : JSON.stringify(said);
      expect(text.trim(), `${lang} ${key}`).to.not.equal('');
      if (typeof said === 'function') expect(text, `${lang} ${key}`).to.include('⟦a⟧');
    }
  }
  expect(inspectorStringsFor('zh-CN').tools).to.equal('工具');
  expect(inspectorStringsFor('tlh')).to.equal(inspectorStringsFor('en'));
  expect(inspectorStringsFor('constructor')).to.equal(inspectorStringsFor('en'));
});
