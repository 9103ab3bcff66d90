/**
 * The extras of the composer: choose a tool, a template or a ready message, attach images, dictate, recall the last message. Loaded when
 * the first of them is used.
 */
import { addSheet } from '../../base/style-sheets.js';
import { html, nothing, type ReactiveController, type TemplateResult } from 'lit';
import type { Attachment } from '../../model/messages.js';
import type { ComposerTemplate } from '../../conversation/options/option-shapes.js';
import type { ToolChoice, ViewSnapshot } from '../../model/snapshot.js';
import type { PanelServices } from '../context.js';
import { fullEnglish, type Texts } from '../../i18n/en.js';
import { isolateText } from '../isolate-text.js';
import { icons } from '../icons.js';
import { trimMessage } from '../keys.js';
import '../tool-chat-picker/tool-chat-picker.js';
import type { Choice, PickedEvent } from '../tool-chat-picker/tool-chat-picker.js';
import { styles } from './composer-tools.styles.js';
import { MAX_IMAGES, readImages } from './attachments.js';
import { insertTemplate, nextSlot } from './slots.js';
import { startDictation, type Dictation } from './dictation.js';

fullEnglish();

/** `last`: the user's last message. */
type ComposerTool = 'tools' | 'templates' | 'commands' | 'attach' | 'voice' | 'last';

interface OpenPicker {
  /** See `ToolChatPicker.typed`. */
  typed: string | undefined;
  what: 'tools' | 'templates' | 'commands';
  choices: readonly Choice[];
  tools: readonly ToolChoice[];
}

/** The part of the composer that this class needs. */
export interface ComposerHost {
  readonly field: HTMLTextAreaElement | null;
  readonly services: PanelServices | undefined;
  readonly snapshot: ViewSnapshot | undefined;
  readonly empty: boolean;
  readonly commands: readonly string[];
  readonly templates: readonly ComposerTemplate[];
  readonly lang: string;
  readonly renderRoot: HTMLElement | DocumentFragment;
  draft: string;
  requestUpdate(): void;
  addController(controller: ReactiveController): void;
  showProblem(problem: string): void;
}

export class ComposerTools {
  readonly #composer: ComposerHost;
  #picker: OpenPicker | undefined;
  /** The tool that the user chose for the next message. */
  #chosenTool: ToolChoice | undefined;
  #images: readonly Attachment[] = [];
  #dictation: Dictation | undefined;

  constructor(composer: ComposerHost) {
    this.#composer = composer;
    // Stop dictation if the user types or the composer is removed.
    composer.field?.addEventListener('input', () => this.#dictation?.abandon());
    composer.addController({ hostDisconnected: () => this.#dictation?.abandon() });
    const { renderRoot } = composer;
    if (renderRoot instanceof ShadowRoot && styles.styleSheet) addSheet(renderRoot, styles.styleSheet);
  }

  /** True if the next message has a chosen tool or images. */
  get hasContent(): boolean {
    return this.#chosenTool !== undefined || this.#images.length > 0;
  }

  get opened(): ComposerTool | undefined {
    return this.#picker?.what ?? (this.#dictation && 'voice');
  }

  /** Renders the content above the field. */
  above(texts: Texts): TemplateResult {
    return html`${this.#picker ? this.#renderPicker(this.#picker, texts) : nothing}
    ${this.#chosenTool ? this.#renderChosenTool(this.#chosenTool, texts) : nothing}
    ${this.#images.length > 0 ? html`<div class="pictures" role="list">${this.#images.map((one, at) => this.#renderImage(one, at, texts))}</div>` : nothing}`;
  }

  /** Discards prepared content, because another conversation was opened. */
  startOver(): void {
    this.#dictation?.abandon();
    this.#picker = this.#chosenTool = undefined;
    this.#images = [];
    this.#composer.requestUpdate();
  }

  async open(what: ComposerTool): Promise<void> {
    if (what === 'attach') return this.#attach();
    if (what === 'voice') return this.#dictate();
    if (what === 'last') return this.#restoreLastMessage();
    const { services, templates } = this.#composer;
    if (this.#picker?.what === what || !services) return this.#close();
    const tools = what === 'tools' ? ((await services.surface?.tools()) ?? []) : [];
    const choices =
      what === 'tools'
        ? toolChoices(tools, services.texts)
        : what === 'templates'
          ? templates.map(({ label, text }) => ({ label, detail: text }))
          : this.#promptChoices();
    // The user may have typed more while this was loading.
    const typed = what === 'commands' ? `/${this.#composer.draft}` : undefined;
    if (typed !== undefined) this.#composer.draft = '';
    this.#openPicker({ what, choices, tools, typed });
  }

  /** @returns true if the key was handled */
  key(event: KeyboardEvent): boolean {
    const { field } = this.#composer;
    // Tab moves through the open placeholders of a template; after the last one it leaves the field as usual.
    if (event.key !== 'Tab' || !field || !nextSlot(field, event.shiftKey)) return false;
    event.preventDefault();
    return true;
  }

  #restoreLastMessage(): void {
    const last = this.#composer.snapshot?.views.findLast(({ message }) => message.role === 'user')?.message.text;
    if (last !== undefined && this.#composer.empty) this.#write(last);
  }

  async send(text: string): Promise<void> {
    this.#dictation?.abandon();
    const { services } = this.#composer;
    const locked = this.#chosenTool;
    const pictures = this.#images;
    if (text.trim() === '' && pictures.length === 0) return;
    if (locked) {
      const tools = (await services?.surface?.tools()) ?? [];
      if (this.#chosenTool !== locked) return;
      this.#chosenTool = undefined;
      // The chosen tool may have been removed. In this case nothing is sent, because the message would have another meaning.
      if (!tools.some(({ name }) => name === locked.name)) {
        this.#composer.showProblem(services?.texts.lockGone(locked.label) ?? '');
        return;
      }
    }
    this.#images = [];
    if (text === this.#composer.draft) this.#composer.draft = '';
    this.#composer.requestUpdate();
    services?.send(trimMessage(text), {
      ...(locked && { tool: locked.name }),
      ...(pictures.length > 0 && { attachments: pictures }),
    });
  }

  // ---- images

  async add(files: readonly File[]): Promise<void> {
    const { texts } = this.#composer.services ?? {};
    if (!texts) return;
    const { pictures, problem } = await readImages(files, this.#images.length);
    // More images may have been added meanwhile.
    this.#images = [...this.#images, ...pictures].slice(0, MAX_IMAGES);
    this.#composer.requestUpdate();
    if (pictures.length > 0) this.#composer.services?.announce(texts.pictureAdded(this.#images.length));
    if (problem) this.#composer.showProblem(texts[problem]);
    this.#composer.field?.focus();
  }

  refuseFiles(): void {
    this.#composer.showProblem(this.#composer.services?.texts.noFiles ?? '');
  }

  #attach(): void {
    const input = Object.assign(document.createElement('input'), { type: 'file', accept: 'image/*', multiple: true });
    input.addEventListener('change', () => void this.add([...(input.files ?? [])]).then(() => this.#composer.field?.focus()));
    input.click();
  }

  #renderImage({ name, url }: Attachment, at: number, texts: Texts) {
    const remove = texts.removePicture(name);
    return html`<span part="attachment" class="picture" role="listitem"
      ><img src=${url} alt=${name} /><button type="button" aria-label=${remove} title=${remove} @click=${() => this.#removeImage(at)}>
        ${icons.close}
      </button></span
    >`;
  }

  #removeImage(at: number): void {
    this.#images = this.#images.filter((_, place) => place !== at);
    this.#composer.requestUpdate();
    this.#composer.field?.focus();
  }

  // ---- dictation

  #dictate(): void {
    const { services, lang } = this.#composer;
    if (this.#dictation) return this.#dictation.stop();
    const before = this.#composer.draft && `${this.#composer.draft.trimEnd()} `;
    // Stop dictation when the panel is closed.
    const watch = setInterval(() => {
      if (this.#composer.field?.checkVisibility() !== true) this.#dictation?.abandon();
    }, 500);
    this.#dictation = startDictation(services?.lang ?? lang, {
      onText: (text) => this.#write(before + text),
      onEnd: (problem) => {
        this.#dictation = undefined;
        clearInterval(watch);
        this.#composer.requestUpdate();
        if (problem) this.#composer.showProblem(services?.texts[problem] ?? '');
        else this.#composer.field?.focus();
      },
    });
    services?.announce(services.texts.listening);
    this.#composer.requestUpdate();
  }

  // ---- lists

  #promptChoices(): Choice[] {
    const { commands, templates } = this.#composer;
    return [...commands.map((label) => ({ label })), ...templates.map(({ label, text }) => ({ label, detail: text }))];
  }

  #renderPicker({ what, choices, typed }: OpenPicker, texts: Texts) {
    const tools = what === 'tools';
    const label = { tools: texts.chooseTool, templates: texts.templates, commands: texts.readyMessages }[what];
    return html`<tool-chat-picker
      .choices=${choices}
      .typed=${typed}
      .label=${label}
      .filterLabel=${tools ? texts.filterTools : texts.filterTemplates}
      .emptyText=${tools && choices.length === 0 ? texts.noToolToChoose : texts.nothingFits}
      @tool-chat-picked=${this.#onPicked}
    ></tool-chat-picker>`;
  }

  #renderChosenTool({ label, icon }: ToolChoice, texts: Texts) {
    const remove = texts.removeLock(label);
    return html`<div class="locks">
      <span part="locked-tool" class="locked"
        >${icon ? html`<span aria-hidden="true">${icon}</span>` : nothing}<span>${isolateText(texts.lockedTool, label)}</span
        ><button type="button" class="quiet" aria-label=${remove} title=${remove} @click=${this.#clearChosenTool}>
          ${icons.close}
        </button></span
      >
    </div>`;
  }

  readonly #onPicked = ({ at, typed }: PickedEvent) => {
    const { what, tools } = this.#picker ?? {};
    this.#close();
    if (typed !== '') return this.#write(typed);
    const { services, templates, commands } = this.#composer;
    const texts = services?.texts;
    const tool = tools?.[at];
    if (what === 'tools' && tool && texts) {
      this.#chosenTool = tool;
      services.announce(texts.lockedTool(tool.label));
      this.#composer.requestUpdate();
      return;
    }
    if (what === 'tools' || what === undefined || at < 0) return;
    const command = what === 'commands' ? commands[at] : undefined;
    const template = templates[what === 'commands' ? at - commands.length : at];
    if (command !== undefined) this.#write(command);
    else if (template) this.#insert(template.text);
  };

  #openPicker(picking: OpenPicker): void {
    this.#picker = picking;
    this.#composer.requestUpdate();
  }

  /** Closes the open list and moves the focus to the field. */
  #close(): void {
    this.#picker = undefined;
    this.#composer.requestUpdate();
    this.#composer.field?.focus();
  }

  readonly #clearChosenTool = () => {
    const { services, field } = this.#composer;
    if (services && this.#chosenTool) services.announce(services.texts.saidUnlocked(this.#chosenTool.label));
    this.#chosenTool = undefined;
    this.#composer.requestUpdate();
    field?.focus();
  };

  #insert(text: string): void {
    const { field } = this.#composer;
    if (!field) return;
    insertTemplate(field, text);
    this.#composer.draft = field.value;
  }

  #write(text: string): void {
    this.#composer.draft = text;
    const { field } = this.#composer;
    if (!field) return;
    field.value = text;
    field.setSelectionRange(text.length, text.length);
    field.focus();
  }
}

const toolChoices = (tools: readonly ToolChoice[], texts: Texts): Choice[] =>
  tools.map(({ name, label, icon, risk }) => ({
    label,
    // Also show the name that the model and the page use.
    detail: label === name ? '' : name,
    mark: texts.riskShort[risk],
    ...(risk === 'danger' && { strong: true }),
    ...(icon && { icon }),
  }));
