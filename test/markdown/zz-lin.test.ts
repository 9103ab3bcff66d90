import { createMarkdownRenderer } from '../../src/markdown/markdown.js';
import { parseInlines } from '../../src/markdown/inlines.js';
const cases: Record<string, (n: number) => string> = {
  'open brackets': (n) => '['.repeat(n),
  'image brackets': (n) => '!['.repeat(n),
  'stars': (n) => '*'.repeat(n),
  'star a': (n) => '*a '.repeat(n / 2),
  'under a star': (n) => '_a '.repeat(n / 4) + 'b* '.repeat(n / 4),
  'nested em': (n) => '*a '.repeat(n / 4) + 'a* '.repeat(n / 4),
  'nested em2': (n) => '*a **a '.repeat(n / 8) + 'a** a* '.repeat(n / 8),
  'quotes': (n) => '> '.repeat(n),
  'quotes lines': (n) => '> > > > > > > > a\n'.repeat(n / 10),
  'one list': (n) => '- item\n'.repeat(n),
  'loose list': (n) => '- item\n\n'.repeat(n),
  'bullets': (n) => '- '.repeat(n) + 'a',
  'star bullets': (n) => '* a\n'.repeat(n/2),
  'lt': (n) => '<'.repeat(n),
  'lt a': (n) => '<a '.repeat(n),
  'comments': (n) => '<!-- '.repeat(n),
  'decl': (n) => '<!A '.repeat(n),
  'pi': (n) => '<?a '.repeat(n),
  'attrs': (n) => `<a b="<a b='`.repeat(n / 8),
  'backticks': (n) => Array.from({ length: Math.sqrt(n) | 0 }, (_, i) => '`'.repeat(i + 1)).join(' '),
  'backtick pairs': (n) => '`a '.repeat(n | 1),
  'links': (n) => '[a](b '.repeat(n / 4),
  'links open': (n) => '[a](<b '.repeat(n / 4),
  'links title': (n) => '[a](b "c '.repeat(n / 4),
  'links ok': (n) => '['.repeat(n / 4) + 'a](b) '.repeat(n / 4),
  'img nested': (n) => '!['.repeat(n / 4) + 'a' + '](b)'.repeat(n / 4),
  'brackets pairs': (n) => '[a] '.repeat(n / 4),
  'brackets nested': (n) => '['.repeat(n / 2) + ']'.repeat(n / 2),
  'refs': (n) => '[a][b]'.repeat(n / 4),
  'definitions': (n) => Array.from({ length: n / 8 | 0 }, (_, i) => `[a${i}]: b\n`).join(''),
  'definition titles': (n) => '[a]: b "\n'.repeat(n / 8),
  'long definition': (n) => '[a]: ' + 'b'.repeat(n),
  'entities': (n) => '&amp;&#x;&'.repeat(n / 8),
  'fences': (n) => '```\n'.repeat(n),
  'code block': (n) => '```\n' + 'const a = 1;\n'.repeat(n),
  'code line': (n) => '```\n' + 'const a = 1; '.repeat(n),
  'indented': (n) => '    a\n\n'.repeat(n / 2),
  'table rows': (n) => '| a | b |\n|---|---|\n' + '| c | d |\n'.repeat(n / 8),
  'table wide': (n) => '|a'.repeat(n / 2) + '\n' + '|-'.repeat(n / 2) + '\n' + '|b\n'.repeat(n / 2),
  'table row': (n) => '| a | b |\n|---|---|\n' + '| c '.repeat(n / 2),
  'delimiter row': (n) => 'a\n' + '|-'.repeat(n),
  'delimiter rows': (n) => 'a|b\n|-\n'.repeat(n / 4),
  'prose': (n) => 'lorem ipsum **dolor** sit `amet` '.repeat(n / 8),
  'one word': (n) => 'a'.repeat(n),
  'breaks': (n) => 'a  \n'.repeat(n / 2),
  'spaces': (n) => 'a' + ' '.repeat(n) + 'b',
  'hashes': (n) => '# a ' + '#'.repeat(n) + ' b',
  'bars': (n) => '|'.repeat(n),
  'digits': (n) => '1'.repeat(n),
  'urls': (n) => 'https://a.b/'.repeat(n / 8),
  'www': (n) => 'www.www.'.repeat(n / 8),
  'urlsp': (n) => 'https://a.b/) '.repeat(n / 8),
  'emails': (n) => '<a@a'.repeat(n / 4),
  'tilde': (n) => '~~a '.repeat(n / 4),
  'nested lists': (n) => { let s = ''; for (let i = 0; s.length < n; i++) s += ' '.repeat((i % 60) * 2) + '- a\n'; return s; },
  'nested open': (n) => { let s = ''; for (let i = 0; s.length < n; i++) s += ' '.repeat(i * 2) + '- a\n'; return s; },
  'escapes': (n) => '\\['.repeat(n / 2),
  'setext': (n) => 'a\n---\n'.repeat(n / 6),
  'headings': (n) => '# a\n'.repeat(n / 4),
  'plain quote lazy': (n) => '> > > a\nb\n'.repeat(n / 8),
};
function run(text: string, step: number) {
  const t = document.createElement('div'); const r = createMarkdownRenderer(t);
  const t0 = performance.now(); let worst = 0;
  for (let i = 0; i < text.length; i += step) { const p0 = performance.now(); r.push(text.slice(i, i + step)); r.flush(); worst = Math.max(worst, performance.now() - p0); }
  const p0 = performance.now(); r.end(); worst = Math.max(worst, performance.now() - p0);
  return { time: performance.now() - t0, worst };
}
it('x', function () { this.timeout(600000); void parseInlines;
  const rows = [];
  for (const [name, make] of Object.entries(cases)) {
    const out = [];
    for (const step of [32, Infinity]) {
      const times = [25000, 50000].map((n) => { const s = make(n); const a = [run(s, step), run(s, step)]; return { t: Math.min(...a.map((x) => x.time)), w: Math.min(...a.map(x => x.worst)), len: s.length }; });
      out.push(`${step === 32 ? 'stream' : 'whole'} ${times[0]!.t.toFixed(0)} ${times[1]!.t.toFixed(0)} x${(times[1]!.t / times[0]!.t).toFixed(2)} worst ${times[1]!.w.toFixed(0)} len ${times[1]!.len}`);
    }
    console.log(name.padEnd(18) + out.join(' | '));
  }
});
