/** A page that records what happens, saves the session as a file, and replays such a file step by step in a separate conversation. */
import { html, nothing, type PropertyDeclarations } from 'lit';
import { load } from '../base/load.js';
import { shared } from '../elements/shared.styles.js';
import { loadTexts } from '../i18n/localize.js';
import type { SessionFile } from '../storage/session-format.js';
import { toolsOf } from './inspected.js';
import { InspectorPart } from './inspector-part.js';
import { inspectorShared } from './inspector.styles.js';
import { saveFile } from './save-file.js';
import { truncateSession, recordingOf, parseSession, stepsOf } from './recording.js';
import { sessionStyles } from './tool-chat-inspector-session.styles.js';
import type { TraceRow } from './trace-rows.js';
import type { Player } from './player.js';

/** Milliseconds per step. */
const STEP_DELAY = 900;

/**
 * @summary Records, saves and replays a session.
 * @tagname tool-chat-inspector-session
 */
export class ToolChatInspectorSession extends InspectorPart {
  static override styles = [shared, inspectorShared, sessionStyles];
  static override properties: PropertyDeclarations = {
    rows: { attribute: false },
    lang: {},
    since: { state: true },
    session: { state: true },
    step: { state: true },
    problem: { state: true },
    isPlaying: { state: true },
    status: { state: true },
  };

  /** Rows of the trace. */
  declare rows: readonly TraceRow[];
  /** Start of the recording; undefined if nothing is recorded. */
  declare protected since: number | undefined;
  /** The session that is replayed. */
  declare protected session: SessionFile | undefined;
  declare protected step: number;
  declare protected problem: string;
  declare protected status: string;
  declare protected isPlaying: boolean;

  #player: Player | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.rows = [];
    this.problem = this.status = '';
    this.step = 0;
    this.isPlaying = false;
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#pause();
    this.#player?.close();
    this.#player = undefined;
  }

  override render() {
    const { strings, session, since } = this;
    return html`<div class="bar">
        <button type="button" class="record" aria-pressed=${String(since !== undefined)} @click=${() => void this.#record()}>
          <span class="dot"></span>${since === undefined ? strings.record : strings.stopRecording(this.#recorded().length)}
        </button>
        <button type="button" class="export" @click=${() => void this.#export()}>${strings.exportFile}</button>
        <button type="button" class="open" @click=${() => this.#file()?.click()}>${strings.openFile}</button>
        <input
          type="file"
          accept=".json,application/json"
          aria-label=${strings.openFile}
          hidden
          @change=${(event: Event) => void this.#open(event)}
        />
      </div>
      <p class="muted">${strings.sessionHint}</p>
      <p role="status" class="muted">${this.status}</p>
      ${this.problem ? html`<p class="problem" role="alert">${this.problem}</p>` : nothing} ${session ? this.#replay(session) : nothing}`;
  }

  #replay(session: SessionFile) {
    const { strings, step } = this;
    const steps = stepsOf(session);
    return html`<div class="bar">
        <h3>${strings.replay}</h3>
        <input
          class="grow"
          type="range"
          min="0"
          max=${String(steps)}
          .value=${String(step)}
          aria-label=${strings.replay}
          aria-valuetext=${strings.stepOf(step, steps)}
          @input=${(event: Event) => {
            this.#pause();
            void this.#show(Number((event.target as HTMLInputElement).value));
          }}
        /><span class="step">${strings.stepOf(step, steps)}</span>
        <button type="button" class="play" @click=${() => (this.isPlaying ? this.#pause() : this.#play())}>
          ${this.isPlaying ? strings.pause : strings.play}
        </button>
        <button type="button" class="put" @click=${() => void this.#loadSession(session)}>${strings.putIntoChat}</button>
      </div>
      <div class="stage"></div>`;
  }

  #file() {
    return this.renderRoot.querySelector<HTMLInputElement>('input[type=file]');
  }

  #recorded(): readonly TraceRow[] {
    return this.since === undefined ? this.rows : this.rows.filter(({ at }) => at >= (this.since ?? 0));
  }

  async #record() {
    if (this.since === undefined) this.since = Date.now();
    else {
      await this.#save(true);
      this.since = undefined;
    }
  }

  #export() {
    return this.#save(false);
  }

  async #save(withRows: boolean) {
    const session = await this.chat?.exportSession();
    if (!session) return;
    const file = withRows ? recordingOf(session, this.#recorded()) : session;
    saveFile(JSON.stringify(file, null, 2), withRows ? 'recording.json' : 'session.json');
    this.status = this.strings.saved;
  }

  async #open(event: Event) {
    const field = event.target as HTMLInputElement;
    const [file] = field.files ?? [];
    if (file) await this.play(await file.text());
    field.value = '';
  }

  /** Shows a session in its final state. The user can then step through it. */
  async play(json: string): Promise<void> {
    this.#pause();
    this.problem = '';
    try {
      const session = parseSession(json);
      const { openPlayer } = await load(() => import('./player.js'));
      const player = this.#player ?? openPlayer(toolsOf(this.chat), await loadTexts(this.lang || 'en'), this.lang || 'en');
      await player.show(session);
      this.#player = player;
      this.session = session;
      this.step = stepsOf(session);
      await this.updateComplete;
      this.renderRoot.querySelector('.stage')?.replaceChildren(player.panel);
    } catch (error) {
      this.problem = this.strings.badFile(error instanceof Error ? error.message : String(error));
    }
  }

  async #show(step: number) {
    if (!this.session) return;
    this.step = step;
    try {
      await this.#player?.show(truncateSession(this.session, step));
    } catch (error) {
      this.problem = this.strings.badFile(error instanceof Error ? error.message : String(error));
    }
  }

  #play() {
    if (!this.session) return;
    this.isPlaying = true;
    const next = async (step: number) => {
      const steps = this.session ? stepsOf(this.session) : 0;
      await this.#show(step);
      if (step >= steps || !this.isPlaying) this.#pause();
      else this.#timer = setTimeout(() => void next(step + 1), STEP_DELAY);
    };
    void next(this.step >= stepsOf(this.session) ? 0 : this.step + 1);
  }

  #pause() {
    this.isPlaying = false;
    clearTimeout(this.#timer);
  }

  async #loadSession(session: SessionFile) {
    try {
      await this.chat?.importSession(session);
      this.status = this.strings.putDone;
    } catch (error) {
      this.problem = this.strings.badFile(error instanceof Error ? error.message : String(error));
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-session': ToolChatInspectorSession;
  }
}
