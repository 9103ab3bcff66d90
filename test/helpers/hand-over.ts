/**
 * The way of one value through src/, as V8 saw it: whose functions handed it on, from a start to where the question is asked. On the way is
 * each function that is on the stack there, and each that was on the stack when what runs there was set going: a promise that bore the value
 * came true, or was begun to be waited for; a timer was set; an event was sent to an actor. Who was called and has returned before that, who
 * only looked or loaded something, is not on it.
 */
import { createHook, executionAsyncId } from 'node:async_hooks';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Actor } from 'xstate';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));

export interface Frame {
  file: string;
  name: string;
}

/** A moment at which something was set going. */
interface Cause {
  /** Innermost first. */
  frames: readonly Frame[];
  /** What set this going, the likelier first. */
  before(): readonly (Cause | undefined)[];
}

/** As xstate has it inside: an event is put into a box, and taken out of it later, perhaps by somebody else. */
interface Boxed {
  _send(event: object): void;
  _process(event: object): void;
  getSnapshot(): { machine?: { id: string } };
}

export interface HandOvers {
  /** What `begin` sets going is on the way. */
  from<T>(begin: () => T): T;
  /**
   * @param isStart the frame at which the way begins, instead of `from`
   * @returns one frame a file, the first to hand it on first; nothing when no way leads here
   */
  way(isStart?: (frame: Frame) => boolean): Frame[];
  stop(): void;
}

/**
 * Begin before the actors are made.
 *
 * @param mark stands in the value, in whatever shape it travels
 * @param charts the files of machines by their id: a machine hands on what its states say, without a frame of its own
 */
export function recordHandOvers(mark: string, charts: Record<string, string>): HandOvers {
  const asked = new Map<number, Cause>();
  const came = new Map<number, Cause>();
  /** By the task that waits. */
  const awaited = new Map<number, number>();
  const promises = new Map<number, object>();
  const sent = new WeakMap<object, Cause>();
  /** What set going what runs now, where it is not the task: an event that an actor took out of its box, or `from`. */
  let taken: Cause | undefined;
  let start: Cause | undefined;
  let busy = false;

  const bears = (promise: object | undefined) =>
    inspect(promise, { depth: 8, maxStringLength: Infinity, maxArrayLength: 1000 }).includes(mark);

  function cause(): Cause {
    const by = taken;
    if (by) return { frames: stack(), before: () => [by] };
    const id = executionAsyncId();
    const waitedFor = awaited.get(id) ?? -1;
    const before = () => {
      const both = [came.get(waitedFor), asked.get(id)];
      return bears(promises.get(waitedFor)) ? both : both.reverse();
    };
    return { frames: stack(), before };
  }

  function note(moments: Map<number, Cause>, id: number): void {
    if (busy || moments.has(id)) return;
    busy = true;
    moments.set(id, cause());
    busy = false;
  }

  const hook = createHook({
    init(id, type, trigger, promise) {
      note(asked, id);
      if (type !== 'PROMISE') return;
      awaited.set(id, trigger);
      promises.set(id, promise);
    },
    promiseResolve(id) {
      note(came, id);
    },
  }).enable();

  const holder = {
    [BELOW]<T>(next: Cause | undefined, run: () => T): T {
      const outer = taken;
      taken = next;
      try {
        return run();
      } finally {
        taken = outer;
      }
    },
  };
  const box = Actor.prototype as unknown as Boxed;
  const { _send, _process } = box;
  box._send = function (event) {
    const own = { ...event }; // the same object may be sent twice
    const by = cause();
    const name = this.getSnapshot().machine?.id ?? '';
    const file = charts[name];
    sent.set(own, file === undefined ? by : { frames: [{ file, name }], before: () => [by] });
    _send.call(this, own);
  };
  box._process = function (event) {
    holder[BELOW](sent.get(event) ?? taken, () => {
      _process.call(this, event);
    });
  };

  return {
    from(begin) {
      start = { frames: [], before: () => [] };
      return holder[BELOW](start, begin);
    },
    way(isStart = () => false) {
      const frames: Frame[] = [];
      const seen = new Set<Cause>();
      const reaches = (now: Cause | undefined): boolean => {
        if (now === undefined || seen.has(now)) return false;
        if (now === start) return true;
        seen.add(now);
        const begun = now.frames.findIndex(isStart);
        if (begun < 0 && !now.before().some(reaches)) return false;
        frames.push(...now.frames.slice(0, begun < 0 ? undefined : begun + 1).reverse());
        return true;
      };
      reaches(cause());
      return frames.filter(({ file }, at) => frames.findIndex((one) => one.file === file) === at);
    },
    stop() {
      hook.disable();
      Object.assign(box, { _send, _process });
    },
  };
}

/** Frames below it belong to whoever empties the box. */
const BELOW = 'whatIsBelowIsAnotherWay';

/** Functions of src/ that are on the stack. */
function stack(): Frame[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = Infinity;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack as unknown as NodeJS.CallSite[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const frames: Frame[] = [];
  for (const site of sites) {
    const name = site.getFunctionName() ?? '';
    if (name === BELOW) break;
    const file = (site.getFileName() ?? '').replace('file://', '');
    // Those that wait for what runs now have handed it on already.
    if (file.startsWith(SRC) && !site.isAsync()) frames.push({ file: path.relative(SRC, file).replaceAll('\\', '/'), name });
  }
  return frames;
}
