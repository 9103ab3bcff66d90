/** Estimates how many tokens a text costs, without a tokenizer's megabyte of tables. */
import { estimateTokenCount } from 'tokenx';

/**
 * Characters per token where tokenx is inaccurate, measured with o200k. For each run between blanks and punctuation, the first match
 * applies.
 */
const languageConfigs = [
  // Ids and hashes alternate between letters and digits.
  { pattern: /\d[a-z]|[a-z]\d/i, averageCharsPerToken: 2 },
  // Traditional Chinese, detected by characters that simplified texts do not have.
  { pattern: /[個們這來對時會說國學為與後還過發實經機開關應該請網頁資當無樣種現點書話題選擇確認錄讀寫檔]/, averageCharsPerToken: 1.15 },
  // Simplified Chinese; tokenx is accurate for texts with kana.
  { pattern: /^[^\u3040-\u30ff]*[\u3400-\u4dbf\u4e00-\u9fff]/, averageCharsPerToken: 1.55 },
];

/** Returns the estimated tokens. Within 25 % of the o200k count on English, Chinese, JSON and code. */
export function estimateTokens(text: string): number {
  return estimateTokenCount(text, { languageConfigs });
}
