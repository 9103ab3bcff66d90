/**
 * The design tokens: each `--tool-chat-…` property that a page can set, with its default. Parts read the short names. Accent, background,
 * text, radius, font and density are the roots: properties that the page does not set are derived from them, so that a few are enough for a
 * custom theme. `light-dark()` follows `color-scheme`, which the panel sets from its `theme`.
 */
import { css } from 'lit';

export const tokens = css`
  :host {
    --_font: var(--tool-chat-font, system-ui, 'Segoe UI', Roboto, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif);
    --_mono: var(--tool-chat-font-mono, ui-monospace, 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace);
    --_size: var(--tool-chat-font-size, 15px);
    --_small: calc(var(--_size) * 0.87);
    --_tiny: calc(var(--_size) * 0.8);

    --_bg: var(--tool-chat-background, light-dark(#ffffff, #151619));
    --_raised: var(--tool-chat-background-raised, light-dark(var(--_bg), color-mix(in oklab, var(--_bg), var(--_text) 4%)));
    --_subtle: var(--tool-chat-background-subtle, color-mix(in oklab, var(--_bg), var(--_text) 5%));
    --_hover: var(--tool-chat-background-hover, color-mix(in oklab, var(--_bg), var(--_text) 8%));
    --_bubble: var(--tool-chat-user-background, var(--_hover));
    --_text: var(--tool-chat-color, light-dark(#1c1d21, #ededf0));
    --_muted: var(--tool-chat-color-muted, color-mix(in oklab, var(--_bg), var(--_text) 68%));
    --_line: var(--tool-chat-border-color, color-mix(in oklab, var(--_bg), var(--_text) 10%));
    --_line-strong: var(--tool-chat-border-color-strong, color-mix(in oklab, var(--_bg), var(--_text) 18%));

    /* Border of fields and selected items: 3:1 against every background. */
    --_edge: var(--tool-chat-field-border-color, color-mix(in oklab, var(--_bg), var(--_text) 52%));

    --_accent: var(--tool-chat-accent, light-dark(#4b4fd1, #989cff));
    --_on-accent: var(--tool-chat-on-accent, lab(from var(--_accent) clamp(0, (49.4 - l) * 1000, 100) 0 0));
    --_accent-soft: var(--tool-chat-accent-soft, color-mix(in oklab, var(--_bg), var(--_accent) 11%));
    --_ok: var(--tool-chat-success, light-dark(#17734a, #62d29b));
    --_ok-soft: var(--tool-chat-success-soft, color-mix(in oklab, var(--_bg), var(--_ok) 8%));
    --_bad: var(--tool-chat-danger, light-dark(#bf2c2c, #ff8f88));
    --_bad-soft: var(--tool-chat-danger-soft, color-mix(in oklab, var(--_bg), var(--_bad) 8%));
    --_on-bad: var(--tool-chat-on-danger, lab(from var(--_bad) clamp(0, (49.4 - l) * 1000, 100) 0 0));
    --_warn: var(--tool-chat-warning, light-dark(#8a5300, #eebb62));
    --_warn-soft: var(--tool-chat-warning-soft, color-mix(in oklab, var(--_bg), var(--_warn) 8%));

    --_radius: var(--tool-chat-radius, 12px);
    --_radius-small: calc(var(--_radius) * 0.67);
    --_shadow: var(
      --tool-chat-shadow,
      0 0 0 1px light-dark(#14162812, #fff1),
      0 2px 6px light-dark(#1416280d, #0004),
      0 18px 48px -8px light-dark(#1416282e, #0009)
    );
    --_density: var(--tool-chat-density, 1);
    --_gutter: var(--tool-chat-gutter, calc(20px * var(--_density)));
    --_ease: cubic-bezier(0.2, 0.7, 0.2, 1);
  }
`;
