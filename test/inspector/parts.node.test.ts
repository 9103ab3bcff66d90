import { expect } from 'chai';
import { inspectorWords, inspectorWordsFor } from '../../src/inspector/inspector-words.js';

it('the inspector says everything in seven languages, and English to all others', () => {
  const keys = Object.keys(inspectorWordsFor('en'));
  expect(Object.keys(inspectorWords)).to.deep.equal(['en', 'zh', 'ar', 'de', 'es', 'fr', 'ja']);
  for (const [lang, words] of Object.entries(inspectorWords)) {
    expect(Object.keys(words), lang).to.deep.equal(keys);
    for (const [key, said] of Object.entries(words)) {
      const text = typeof said === 'function' ? (said as (...given: unknown[]) => string)('⟦a⟧', '⟦b⟧') : JSON.stringify(said);
      expect(text.trim(), `${lang} ${key}`).to.not.equal('');
      if (typeof said === 'function') expect(text, `${lang} ${key}`).to.include('⟦a⟧');
    }
  }
  expect(inspectorWordsFor('zh-CN').tools).to.equal('工具');
  expect(inspectorWordsFor('tlh')).to.equal(inspectorWordsFor('en'));
  expect(inspectorWordsFor('constructor')).to.equal(inspectorWordsFor('en'));
});
