/** How the element itself stands in a page. What is inside is the panel's matter. */

const css = `
:host{all:initial;display:block;position:relative;contain:layout style;block-size:100%;min-block-size:20rem;color-scheme:light dark}
:host([theme=light]){color-scheme:light}
:host([theme=dark]){color-scheme:dark}
:host([hidden]){display:none}
:host([layout=floating]){position:fixed;inset:auto;inset-block-end:max(1rem,env(safe-area-inset-bottom));inset-inline-end:1rem;z-index:var(--tool-chat-z-index,2147483000);block-size:auto;min-block-size:0;contain:none}
:host([layout=fullscreen]){position:fixed;inset:0;block-size:auto;z-index:var(--tool-chat-z-index,2147483000)}
:host([layout=sidebar]){position:fixed;inset-block:0;inset-inline-end:0;inline-size:min(100vw,var(--tool-chat-width,26rem));block-size:auto;z-index:var(--tool-chat-z-index,2147483000)}
tool-chat-panel{block-size:100%}
:host([layout=floating]) tool-chat-panel{position:absolute;inset-block-end:4.5rem;inset-inline-end:0;inline-size:min(calc(100vw - 2rem),var(--tool-chat-width,25rem));block-size:min(calc(100dvh - 7rem),var(--tool-chat-height,40rem))}
:host([layout=floating]:not([open])) tool-chat-panel{display:none}
[part=launcher]{all:unset;box-sizing:border-box;display:grid;place-items:center;inline-size:3.5rem;block-size:3.5rem;margin-inline-start:auto;border-radius:50%;cursor:pointer;color:var(--tool-chat-accent-text,#fff);background:var(--tool-chat-accent,#4f46e5);box-shadow:0 6px 20px #0003}
[part=launcher]:focus-visible{outline:3px solid var(--tool-chat-accent,#4f46e5);outline-offset:3px}
.failure{font:14px/1.5 system-ui,sans-serif;padding:1rem;color:CanvasText;background:Canvas;border:1px solid #8888;border-radius:12px}
.failure button{margin-inline-start:.75rem;font:inherit}
@media (max-width:480px){:host([layout=floating][open]) tool-chat-panel{position:fixed;inset:0;inline-size:auto;block-size:auto}:host([layout=floating][open]) [part=launcher]{visibility:hidden}}
@media (forced-colors:active){[part=launcher]{border:2px solid ButtonText;background:ButtonFace;color:ButtonText}}
`;

let made: CSSStyleSheet | undefined;

/** One sheet for all elements of a document; constructed sheets work under a strict policy. */
export function sheet(): CSSStyleSheet {
  if (!made) {
    made = new CSSStyleSheet();
    made.replaceSync(css);
  }
  return made;
}

const svg = 'http://www.w3.org/2000/svg';

export function launcherIcon(): SVGElement {
  const icon = document.createElementNS(svg, 'svg');
  const shape = { viewBox: '0 0 24 24', width: '26', height: '26', fill: 'none', stroke: 'currentColor', 'stroke-width': '1.8', 'aria-hidden': 'true' };
  for (const [name, value] of Object.entries(shape)) icon.setAttribute(name, value);
  const path = document.createElementNS(svg, 'path');
  path.setAttribute('d', 'M20 11.5a7.5 7.5 0 0 1-7.5 7.5H5l1.6-2.7A7.5 7.5 0 1 1 20 11.5ZM9 10h7M9 13h4');
  path.setAttribute('stroke-linecap', 'round');
  path.setAttribute('stroke-linejoin', 'round');
  icon.append(path);
  return icon;
}
