/**
 * The position of the panel in each layout, loaded with the panel. Declarations that general rules of a page would override are important
 * here.
 */
export const layoutCss = `
:host{color-scheme:inherit}
:host(:state(light)){color-scheme:light}
:host(:state(dark)){color-scheme:dark}
:host(:is(:state(fullscreen),:state(sidebar))){position:fixed!important;inset:0;block-size:auto!important;margin:0!important;padding:0!important;max-inline-size:none!important;pointer-events:auto!important;contain:none!important;z-index:var(--tool-chat-z-index,2147483000)}
:host(:state(sidebar)){inset-inline-start:auto;inline-size:min(100vw,var(--tool-chat-width,clamp(416px,26rem,540px)))}
:host(:state(sidebar):state(start)){inset-inline:0 auto}
:host(:not(:state(floating),[hidden])){display:grid;grid:minmax(0,1fr)/minmax(0,1fr);min-block-size:min(20rem,320px,100dvh);max-block-size:100dvh}
:host(:is(:state(fullscreen),:state(sidebar)):not(:state(open))){display:none!important}
:host(:state(floating)) tool-chat-panel{position:absolute;inset-block-end:calc(var(--_button) + 16px);inset-inline-end:0;inline-size:min(calc(100vw / var(--_zoom,1) - 32px),var(--tool-chat-width,clamp(400px,25rem,520px)));block-size:min(calc(100dvh / var(--_zoom,1) - var(--_button) - 56px),var(--tool-chat-height,clamp(640px,40rem,800px)))}
:host(:state(floating)) tool-chat-panel[data-from-left]{inset-inline:auto;left:0}
:host(:state(floating)) tool-chat-panel[data-from-top]{inset-block:calc(var(--_button) + 16px) auto}
:host(:state(floating):not(:state(open))) tool-chat-panel{display:none}
@media (max-width:480px),(max-height:480px){
  :host(:state(floating):state(open)) tool-chat-panel{position:fixed;inset:0!important;translate:none!important;inline-size:auto;block-size:auto}
  :host(:state(floating):state(open)) [part=launcher]{visibility:hidden}
}
@media print{
  :host(:is(:state(floating),:state(sidebar),:state(fullscreen))){display:none!important}
  :host(:state(inline)){display:block!important;block-size:auto!important;max-block-size:none!important;overflow:visible!important}
}
`;
