/** Where the panel stands in each layout; loaded with the panel. */
export const layoutCss = `
:host{color-scheme:inherit}
:host([theme=light]){color-scheme:light}
:host([theme=dark]){color-scheme:dark}
:host([layout=fullscreen]),:host([layout=sidebar]){position:fixed;inset:0;block-size:auto;z-index:var(--tool-chat-z-index,2147483000)}
:host([layout=sidebar]){inset-inline-start:auto;inline-size:min(100vw,var(--tool-chat-width,max(26rem,416px)))}
:host(:not([layout=floating],[hidden])){display:grid;grid:minmax(0,1fr)/minmax(0,1fr);min-block-size:min(20rem,100dvh);max-block-size:100dvh}
:host([layout=floating]) tool-chat-panel{position:absolute;inset-block-end:4.5rem;inset-inline-end:0;inline-size:min(calc(100vw - 2rem),var(--tool-chat-width,max(25rem,400px)));block-size:min(calc(100dvh - 7rem),var(--tool-chat-height,max(40rem,640px)))}
:host([layout=floating]) tool-chat-panel[data-from-left]{inset-inline:auto;left:0}
:host([layout=floating]) tool-chat-panel[data-from-top]{inset-block:4.5rem auto}
:host([layout=floating]:not([open])) tool-chat-panel{display:none}
@media (max-width:480px),(max-height:480px){
  :host([layout=floating][open]) tool-chat-panel{position:fixed;inset:0!important;translate:none!important;inline-size:auto;block-size:auto}
  :host([layout=floating][open]) [part=launcher]{visibility:hidden}
}
`;
