/** A page that records what happens, saves the session as a file, and replays such a file step by step in a separate conversation. */
import { html, nothing, type PropertyDeclarations, css } from 'lit';
import { load } from '../base/load.js';
import { shared } from '../elements/shared.styles.js';
import { loadTexts } from '../i18n/localize.js';
import type { SessionFile } from '../storage/session-format.js';
import { toolsOf, InspectorPart } from './inspected.js';
import { inspectorShared } from './inspector.styles.js';
import type { TraceRow } from './trace-rows.js';
import type { Player } from './player.js';
import { isObject } from '../base/objects.js';

const sessionStyles = css`
  .dot {
    width: 9px;
    height: 9px;
    border-radius: 50%;
    background: var(--_bad);
  }

  .record[aria-pressed='true'] {
    border-color: var(--_bad);
    background: var(--_bad-soft);
  }

  .problem {
    color: var(--_bad);
  }

  input[type='range'] {
    flex: 1 1 140px;
  }

  .step {
    min-width: 4.5em;
    font-variant-numeric: tabular-nums;
    text-align: end;
  }

  .stage {
    display: grid;
    flex: 1;
    min-height: 320px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: hidden;
  }
`;

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

/** The file of a session together with its trace. */
interface Recording {
  format: 'tool-chat-recording';
  version: 1;
  session: SessionFile;
  rows: readonly TraceRow[];
}

const recordingOf = (session: SessionFile, rows: readonly TraceRow[]): Recording => ({
  ...({ format: 'tool-chat-recording', version: 1 } as const),
  session,
  rows,
});

/** Returns the session of a chosen file: a recording, a session, or an older history. It is validated only when it is opened. */
function parseSession(json: string): SessionFile {
  const file = JSON.parse(json) as unknown;
  return (isObject(file) && file['format'] === 'tool-chat-recording' ? file['session'] : file) as SessionFile;
}

/** Returns the number of steps of a session: one per message. */
const stepsOf = (session: SessionFile): number => (Array.isArray(session) ? session : (session.messages ?? [])).length;

/** Returns the session after its first `steps` messages, without data about later ones. */
function truncateSession(session: SessionFile, steps: number): SessionFile {
  if (Array.isArray(session)) return session.slice(0, steps) as unknown as SessionFile;
  if (steps >= session.messages.length) return session;
  // The state at the end and other versions belong to later messages.
  const { turn: _, failure: _failure, branches: _branches, order: _order, ...rest } = session;
  const messages = session.messages.slice(0, steps);
  const messageIds = new Set(messages.map(({ id }) => id));
  const calls = session.calls?.filter(({ messageId }) => messageIds.has(messageId));
  const requestIds = new Set(calls?.map(({ requestId }) => requestId));
  return {
    ...{ ...rest, messages },
    ...(calls && { calls }),
    ...(rest.results && { results: rest.results.filter(({ requestId }) => requestIds.has(requestId)) }),
    ...(rest.parts && { parts: Object.fromEntries(Object.entries(rest.parts).filter(([id]) => messageIds.has(id))) }),
  };
}

/** Downloads a text as a file. */
function saveFile(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

declare global {
  interface HTMLElementTagNameMap {
    'tool-chat-inspector-session': ToolChatInspectorSession;
  }
}
