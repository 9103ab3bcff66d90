/** The bundled web of the research page: a few pages to find, in two languages. Nothing here is fetched. */

const page = (slug, title, text) => ({ url: `https://library.example/${slug}`, title, text });

export const corpora = {
  en: [
    page(
      'green-tea',
      'Green tea',
      'Green tea is steamed or pan-fired soon after picking. A cup has 20 to 45 mg of caffeine. It tastes fresh and grassy; water of 75 °C keeps it from turning bitter.',
    ),
    page(
      'black-tea',
      'Black tea',
      'Black tea is withered, rolled and oxidised. A cup has 40 to 70 mg of caffeine, more than green tea. It is strong and malty and takes milk well.',
    ),
    page(
      'herbal-tea',
      'Herbal infusions',
      'Infusions of chamomile, mint or rooibos hold no caffeine at all. They are made with boiling water and drawn for five minutes or more.',
    ),
    page(
      'coffee',
      'Filter coffee',
      'A cup of filter coffee has 80 to 120 mg of caffeine, about twice as much as black tea. Finer grinding and hotter water draw more of it.',
    ),
    page(
      'sleep',
      'Caffeine and sleep',
      'Half of the caffeine of a cup is gone after about five hours. Whoever sleeps badly has the last cup before two in the afternoon.',
    ),
    page(
      'harvest',
      'When tea is picked',
      'The first harvest of spring gives the most delicate tea. Later harvests are stronger and cheaper.',
    ),
  ],
  zh: [
    page('green-tea', '绿茶', '绿茶采摘后很快蒸青或炒青。一杯绿茶含咖啡因 20 到 45 毫克，味道清新，用 75 °C 的水冲泡不会发苦。'),
    page('black-tea', '红茶', '红茶经过萎凋、揉捻和氧化。一杯红茶含咖啡因 40 到 70 毫克，比绿茶多，味道浓郁，适合加奶。'),
    page('herbal-tea', '花草茶', '洋甘菊、薄荷、路易波士茶完全不含咖啡因，用沸水冲泡五分钟以上。'),
    page('coffee', '滤泡咖啡', '一杯滤泡咖啡含咖啡因 80 到 120 毫克，大约是红茶的两倍。磨得越细、水越热，萃取得越多。'),
    page('sleep', '咖啡因与睡眠', '一杯里的咖啡因大约五小时后代谢掉一半。睡眠不好的人，最后一杯应在下午两点以前喝。'),
    page('harvest', '茶的采摘季节', '春天的头一批茶最细嫩，之后的采摘味道更浓，价格更低。'),
  ],
};

/** Words, and for Chinese pairs of neighbouring characters: what two texts can have in common. */
export function wordsOf(text) {
  const plain = text.toLowerCase();
  const words = plain.match(/[a-z0-9]{3,}/g) ?? [];
  const han = plain.match(/\p{Script=Han}+/gu) ?? [];
  const pairs = han.flatMap((run) => [...run].slice(1).map((second, at) => [...run][at] + second));
  return [...words.map((word) => word.replace(/s$/, '')), ...pairs];
}

/** The best pages for some words, best first. */
export function searchCorpus(pages, query, limit = 3) {
  const wanted = new Set(wordsOf(query));
  return pages
    .map((one) => ({ one, score: wordsOf(`${one.title} ${one.title} ${one.text}`).filter((word) => wanted.has(word)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ one }) => one);
}

/**
 * A vector of a text by its words alone, without a model: each word adds to one of 256 places. Texts that share words point the same way,
 * which is enough to find what was remembered.
 */
export function embedWords(text) {
  const vector = new Array(256).fill(0);
  for (const word of wordsOf(text)) {
    let hash = 2166136261;
    for (const character of word) hash = Math.imul(hash ^ character.codePointAt(0), 16777619);
    vector[(hash >>> 0) % 256] += 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
