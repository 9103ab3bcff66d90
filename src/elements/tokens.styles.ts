/**
 * The design in one place: each `--tool-chat-…` property a page may set, with its default. Parts read the short names.
 * `light-dark()` follows `color-scheme`, which the panel sets from its `theme`.
 */
import { css } from 'lit';

export const tokens = css`
  :host {
    --_font: var(
      --tool-chat-font,
      -apple-system,
      'Segoe UI Variable Text',
      'Segoe UI',
      Roboto,
      'Helvetica Neue',
      'Noto Sans',
      system-ui,
      'PingFang SC',
      'Microsoft YaHei',
      'Noto Sans CJK SC',
      sans-serif
    );
    --_mono: var(--tool-chat-font-mono, ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace);
    --_size: var(--tool-chat-font-size, 15px);
    --_small: calc(var(--_size) * 0.87);
    --_tiny: calc(var(--_size) * 0.8);

    --_bg: var(--tool-chat-background, light-dark(#ffffff, #151619));
    --_raised: var(--tool-chat-background-raised, light-dark(#ffffff, #1c1d21));
    --_subtle: var(--tool-chat-background-subtle, light-dark(#f6f6f8, #212328));
    --_hover: var(--tool-chat-background-hover, light-dark(#eeeef1, #2a2c32));
    --_bubble: var(--tool-chat-user-background, light-dark(#f1f1f5, #292b32));
    --_text: var(--tool-chat-color, light-dark(#1c1d21, #ededf0));
    --_muted: var(--tool-chat-color-muted, light-dark(#61646e, #a3a6b1));
    --_line: var(--tool-chat-border-color, light-dark(#e7e7eb, #2d2f36));
    --_line-strong: var(--tool-chat-border-color-strong, light-dark(#d3d4da, #41444d));

    /* Of what is filled in or chosen: 3:1 against every background. */
    --_edge: var(--tool-chat-field-border-color, light-dark(#82858f, #7a7e8a));

    --_accent: var(--tool-chat-accent, light-dark(#4b4fd1, #989cff));
    --_on-accent: var(--tool-chat-on-accent, light-dark(#ffffff, #14151c));
    --_accent-soft: var(--tool-chat-accent-soft, light-dark(#eeeefc, #26274a));
    --_ok: var(--tool-chat-success, light-dark(#17734a, #62d29b));
    --_ok-soft: var(--tool-chat-success-soft, light-dark(#e9f6ef, #14291f));
    --_bad: var(--tool-chat-danger, light-dark(#bf2c2c, #ff8f88));
    --_bad-soft: var(--tool-chat-danger-soft, light-dark(#fdf0ef, #301c1d));
    --_on-bad: var(--tool-chat-on-danger, light-dark(#ffffff, #24100f));
    --_warn: var(--tool-chat-warning, light-dark(#8a5300, #eebb62));
    --_warn-soft: var(--tool-chat-warning-soft, light-dark(#fdf5e6, #2b2316));

    --_radius: var(--tool-chat-radius, 12px);
    --_radius-small: calc(var(--_radius) * 0.67);
    --_shadow: var(
      --tool-chat-shadow,
      0 0 0 1px light-dark(rgb(20 22 40 / 7%), rgb(255 255 255 / 7%)),
      0 2px 6px light-dark(rgb(20 22 40 / 5%), rgb(0 0 0 / 25%)),
      0 18px 48px -8px light-dark(rgb(20 22 40 / 18%), rgb(0 0 0 / 60%))
    );
    --_gutter: var(--tool-chat-gutter, 20px);
    --_ease: cubic-bezier(0.2, 0.7, 0.2, 1);
  }
`;
