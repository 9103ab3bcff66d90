/**
 * The reply that is streaming. Tokens go here instead of into the chart: the parser writes, the screen follows, and when the reply is over,
 * the chart gets it as one piece.
 */
import type { MessagePart } from '../../model/messages.js';
import type { ReplyPlace } from '../../storage/stored-conversation.js';
import type { FinishedReply, Proof } from '../chart/chart-context.js';
import type { ReplyListener } from '../../model/snapshot.js';

export interface StreamingReply {
  readonly messageId: string;
  /** The call whose arguments are streaming. */
  readonly openCall: { readonly requestId: string; readonly name: string; readonly params: Readonly<Record<string, string>> } | null;
  readonly text: string;
  /** The reply as the model wrote it, including markup. */
  readonly raw: string;
  readonly reasoning: string;
  readonly parts: readonly MessagePart[];
  addText(text: string): void;
  addReasoning(text: string): void;
  addRaw(text: string): void;
  /**
   * Removes the last `length` characters of the text, because they turned out to be markup. They stay in `raw`. Text that the host has
   * received is not removed.
   */
  removeTail(length: number): void;
  /** Text that was read but is not shown yet. A reply that ends now contains it all the same. */
  heldText: string;
  /** True if the model is shown its reply as rebuilt from the parts instead of `raw`, for example because we cut off the rest. */
  rebuildFromParts: boolean;
  /** True if a piece of the reply could not be read. */
  incomplete: boolean;
  /** True if the model is known to write its reasoning as an answer, and this reply does not show yet where that ends. */
  mayBeDraft: boolean;
  /** Length of the text that the host has received, in UTF-16 units. It is not taken back. */
  deliveredLength: number;
  /** The position from which another page could resume reading. */
  resumePosition: ReplyPlace | undefined;
  /** Turns all text so far into reasoning, and each call for which `sourceOf` returns its source. The other parts stay. */
  takeAsReasoning(sourceOf: (requestId: string) => string | undefined): void;
  openCallAt(requestId: string, name: string): void;
  growCall(key: string | undefined, text: string): void;
  closeCall(): void;
  /** Removes the call that was opened last, because it is not one. */
  dropCall(): void;
  /** Adds the card of a call. A call that could not be parsed gets it without being opened. */
  placeCall(requestId: string): void;
  /** Adds a plan or questions in their place. */
  addBlock(part: Extract<MessagePart, { type: 'plan' | 'clarify' }>): void;
  follow(listener: ReplyListener): () => void;
  finish(how: {
    finish: string;
    proof: Proof;
    usage?: FinishedReply['usage'];
    model?: string | undefined;
    cached?: boolean;
  }): FinishedReply;
  end(): void;
}

/** Creates a live reply. `onGrow` is called when something was added, possibly for every token. */
export function createStreamingReply(messageId: string, onGrow: (what: 'text' | 'call') => void): StreamingReply {
  const listeners = new Set<ReplyListener>();
  const parts: MessagePart[] = [];
  let text = '';
  let raw = '';
  let reasoning = '';
  /** True if text was added since the last reasoning: the next reasoning is a new paragraph. */
  let paused = false;
  let open: { requestId: string; name: string; params: Record<string, string> } | null = null;

  function tellAll(listener: ReplyListener) {
    if (reasoning) listener.reasoning(reasoning);
    for (const part of parts) {
      if (part.type === 'text') listener.text(part.text);
      else if (part.type === 'call') listener.call(part.requestId);
      else listener.block?.(part);
    }
  }

  return {
    messageId,
    heldText: '',
    rebuildFromParts: false,
    incomplete: false,
    mayBeDraft: false,
    deliveredLength: 0,
    resumePosition: undefined,
    get openCall() {
      return open;
    },
    get text() {
      return text;
    },
    get raw() {
      return raw;
    },
    get reasoning() {
      return reasoning;
    },
    get parts() {
      return parts;
    },

    addText(addition) {
      paused = reasoning !== '';
      text += addition;
      const last = parts.at(-1);
      // Appending to a string is cheap as long as its content is not read. The parts are read when the reply is over.
      if (last?.type === 'text') last.text += addition;
      else parts.push({ type: 'text', text: addition });
      for (const listener of listeners) listener.text(addition);
      onGrow('text');
    },
    addReasoning(thought) {
      const addition = paused ? `\n\n${thought}` : thought;
      paused = false;
      reasoning += addition;
      for (const listener of listeners) listener.reasoning(addition);
      onGrow('text');
    },
    addRaw(addition) {
      raw += addition;
    },
    removeTail(length) {
      const last = parts.at(-1);
      if (last?.type !== 'text' || length < 1 || length > last.text.length || text.length - length < this.deliveredLength) return;
      last.text = last.text.slice(0, -length);
      text = text.slice(0, -length);
      if (last.text.trim() === '') parts.pop();
    },
    takeAsReasoning(sourceOf) {
      let source = '';
      const thought = parts.map((part) => {
        if (part.type === 'text') return part.text;
        const draft = part.type === 'call' ? (sourceOf(part.requestId) ?? '') : '';
        // Several calls of one block may each have the whole block as their source.
        const isSame = draft === source;
        source = draft || source;
        return isSame ? '' : draft;
      });
      const rest = parts.filter((part) => part.type !== 'text' && !(part.type === 'call' && sourceOf(part.requestId) !== undefined));
      parts.splice(0, parts.length, ...rest);
      text = '';
      this.deliveredLength = 0;
      reasoning = [reasoning, thought.join('')].filter((one) => one !== '').join('\n\n');
      paused = reasoning !== '';
      // The model is shown its answer again, and not its drafts.
      this.rebuildFromParts = true;
      for (const listener of listeners) {
        listener.restart?.();
        tellAll(listener);
      }
      onGrow('call');
    },
    openCallAt(requestId, name) {
      open = { requestId, name, params: Object.create(null) as Record<string, string> };
      this.placeCall(requestId);
    },
    growCall(key, addition) {
      if (!open) return;
      const name = key ?? '';
      open.params[name] = (open.params[name] ?? '') + addition;
      onGrow('call');
    },
    closeCall() {
      open = null;
      onGrow('call');
    },
    dropCall() {
      const at = open ? parts.findLastIndex((part) => part.type === 'call' && part.requestId === open?.requestId) : -1;
      if (at >= 0) parts.splice(at, 1);
      this.closeCall();
    },
    placeCall(requestId) {
      parts.push({ type: 'call', requestId });
      for (const listener of listeners) listener.call(requestId);
      onGrow('call');
    },

    addBlock(part) {
      parts.push(part);
      for (const listener of listeners) listener.block?.(part);
      onGrow('call');
    },

    follow(listener) {
      tellAll(listener);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    finish({ finish, proof, usage, model, cached }) {
      if (this.heldText) this.addText(this.heldText);
      this.heldText = '';
      return {
        messageId,
        text,
        ...(!this.rebuildFromParts && { raw }),
        reasoning,
        parts: parts.map((part) => ({ ...part })),
        finish,
        proof,
        ...(usage && { usage }),
        ...(model && { model }),
        ...(cached && { cached: true }),
        ...(this.incomplete && { incomplete: true }),
      };
    },
    end() {
      open = null;
      for (const listener of listeners) listener.end();
      listeners.clear();
    },
  };
}
