/** The symbols of TeX commands. Names and characters alternate. */

const table = (text: string): Map<string, string> => {
  const words = text.trim().split(/\s+/);
  return new Map(words.flatMap((name, i) => (i % 2 === 0 ? [[name, words[i + 1]!] as const] : [])));
};

/** Letters, and symbols that are set like letters. */
export const LETTERS = table(`
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ omicron ο
pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ emptyset ∅ varnothing ∅ wp ℘ imath ı jmath ȷ degree ° circledR ®
forall ∀ exists ∃ nexists ∄ top ⊤ bot ⊥ angle ∠ triangle △ square □ Box □ blacksquare ■ star ⋆ bigstar ★ prime ′ checkmark ✓ dagger † ddagger ‡
ldots … dots … dotsc … cdots ⋯ dotsb ⋯ vdots ⋮ ddots ⋱ % % $ $ # # & & _ _ S § pounds £ euro €
`);

/** Operators and relations. */
export const OPERATORS = table(`
pm ± mp ∓ times × div ÷ cdot ⋅ ast ∗ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨ lnot ¬ neg ¬ setminus ∖ backslash ∖
le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ prec ≺ succ ≻ doteq ≐ coloneqq ≔
in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ cup ∪ cap ∩ mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢ dashv ⊣ asymp ≍
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ implies ⟹ Leftarrow ⇐ impliedby ⟸ Leftrightarrow ⇔ iff ⟺ mapsto ↦ longmapsto ⟼
uparrow ↑ downarrow ↓ updownarrow ↕ longrightarrow ⟶ longleftarrow ⟵ Longrightarrow ⟹ hookrightarrow ↪ rightharpoonup ⇀ rightleftharpoons ⇌ nearrow ↗ searrow ↘
longleftrightarrow ⟷ Longleftrightarrow ⟺ Longleftarrow ⟸ lesssim ≲ gtrsim ≳ lessgtr ≶ triangleq ≜ nleq ≰ ngeq ≱ sqsubseteq ⊑ leadsto ⇝
therefore ∴ because ∵ colon : lt < gt > vert | Vert ‖ | ‖ { { } } lbrace { rbrace } langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrack [ rbrack ] lvert | rvert | lVert ‖ rVert ‖
`);

/** Operators with limits above and below if there is room. */
export const LARGE = table(`
sum ∑ prod ∏ coprod ∐ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂ bigvee ⋁ bigwedge ⋀ bigsqcup ⨆
`);
export const INTEGRALS = table('int ∫ iint ∬ iiint ∭ oint ∮');

/** Names of functions. */
export const FUNCTIONS = new Set(
  'sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth log ln lg exp arg deg dim hom ker sgn erf'.split(' '),
);
/** Functions with limits below them. */
export const LIMITS = new Map([
  ...['lim', 'max', 'min', 'sup', 'inf', 'det', 'gcd', 'Pr'].map((name) => [name, name] as const),
  ...([
    ['limsup', 'lim sup'],
    ['liminf', 'lim inf'],
    ['argmax', 'arg max'],
    ['argmin', 'arg min'],
  ] as const),
]);

/** The accents and braces over or under a term. */
export const ACCENTS = table(
  'hat ^ widehat ^ bar ¯ overline ¯ vec → overrightarrow → tilde ~ widetilde ~ dot ˙ ddot ¨ check ˇ breve ˘ acute ´ grave ` mathring ˚ overbrace ⏞',
);
export const UNDER = table('underline _ underbrace ⏟');

/** Widths in em. */
export const SPACES = new Map([
  [',', 0.167],
  [':', 0.222],
  [';', 0.278],
  ['!', -0.167],
  [' ', 0.25],
  ['quad', 1],
  ['qquad', 2],
  ['enspace', 0.5],
  ['thinspace', 0.167],
]);

/** The brackets around a matrix. */
export const ENVIRONMENTS = new Map<string, readonly [open: string, close: string, columns: 'center' | 'left' | 'pairs']>([
  ['matrix', ['', '', 'center']],
  ['smallmatrix', ['', '', 'center']],
  ['pmatrix', ['(', ')', 'center']],
  ['bmatrix', ['[', ']', 'center']],
  ['Bmatrix', ['{', '}', 'center']],
  ['vmatrix', ['|', '|', 'center']],
  ['Vmatrix', ['‖', '‖', 'center']],
  ['array', ['', '', 'center']],
  ['cases', ['{', '', 'left']],
  ['rcases', ['', '}', 'left']],
  ...['aligned', 'align', 'align*', 'split', 'alignedat', 'eqnarray', 'eqnarray*'].map((name) => [name, ['', '', 'pairs']] as const),
  ...['gathered', 'gather', 'gather*', 'equation', 'equation*'].map((name) => [name, ['', '', 'center']] as const),
]);

/** The first code points of the capitals, small letters and digits of each alphabet. */
const ALPHABETS = new Map<string, readonly [capitals: number, small: number, digits: number]>([
  ['mathbf', [0x1d400, 0x1d41a, 0x1d7ce]],
  ['boldsymbol', [0x1d468, 0x1d482, 0x1d7ce]],
  ['bm', [0x1d468, 0x1d482, 0x1d7ce]],
  ['mathcal', [0x1d49c, 0x1d4b6, 0]],
  ['mathscr', [0x1d49c, 0x1d4b6, 0]],
  ['mathfrak', [0x1d504, 0x1d51e, 0]],
  ['mathbb', [0x1d538, 0x1d552, 0x1d7d8]],
  ['mathsf', [0x1d5a0, 0x1d5ba, 0x1d7e2]],
  ['mathtt', [0x1d670, 0x1d68a, 0x1d7f6]],
  ['mathrm', [0, 0, 0]],
  ['mathit', [0, 0, 0]],
  ['mathnormal', [0, 0, 0]],
]);
/** Characters that Unicode had before the alphabets they belong to. */
const EARLIER = table('𝒝 ℬ 𝒠 ℰ 𝒡 ℱ 𝒣 ℋ 𝒤 ℐ 𝒧 ℒ 𝒨 ℳ 𝒭 ℛ 𝒺 ℯ 𝒼 ℊ 𝓄 ℴ 𝔆 ℭ 𝔋 ℌ 𝔌 ℑ 𝔕 ℜ 𝔝 ℨ 𝔺 ℂ 𝔿 ℍ 𝕅 ℕ 𝕇 ℙ 𝕈 ℚ 𝕉 ℝ 𝕑 ℤ');

export const isAlphabet = (name: string): boolean => ALPHABETS.has(name);

/** Returns the character in another alphabet, or itself if that has none. */
export function inAlphabet(name: string, character: string): string {
  const [capitals, small, digits] = ALPHABETS.get(name) ?? [0, 0, 0];
  const code = character.charCodeAt(0);
  const base =
    code >= 65 && code <= 90 ? [capitals, 65] : code >= 97 && code <= 122 ? [small, 97] : code >= 48 && code <= 57 ? [digits, 48] : [0, 0];
  if (base[0] === 0 || character.length > 1) return character;
  const found = String.fromCodePoint(base[0]! + code - base[1]!);
  return EARLIER.get(found) ?? found;
}
