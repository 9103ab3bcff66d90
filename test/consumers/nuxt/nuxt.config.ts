export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  devtools: { enabled: true },
  vue: { compilerOptions: { isCustomElement: (tag: string) => tag === 'tool-chat' } },
});
