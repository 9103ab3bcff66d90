/** How many tokens a text costs, without a tokenizer's megabyte of tables. */
import { estimateTokenCount } from 'tokenx';

/** Where tokenx is off by much, measured with o200k: characters a token. The first that fits a run between blanks and punctuation counts. */
const languageConfigs = [
  // Ids and hashes: letters and digits in turn.
  { pattern: /\d[a-z]|[a-z]\d/i, averageCharsPerToken: 2 },
  // Traditional Chinese, told by characters that simplified texts do not have.
  { pattern: /[個們這來對時會說國學為與後還過發實經機開關應該請網頁資當無樣種現點書話題選擇確認錄讀寫檔]/, averageCharsPerToken: 1.15 },
  // Simplified Chinese; tokenx is right about texts with kana.
  { pattern: /^[^\u3040-\u30ff]*[\u3400-\u4dbf\u4e00-\u9fff]/, averageCharsPerToken: 1.55 },
];

/** Within 25 % of what o200k counts, on English, Chinese, JSON and code. */
export function estimateTokens(text: string): number {
  return estimateTokenCount(text, { languageConfigs });
}
