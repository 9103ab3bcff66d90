/** Dictation by the browser's own speech recognition. It never sends. */

export interface Dictation {
  /** Ends dictation and writes the remaining text. */
  stop(): void;
  /** Ends dictation immediately and discards the remaining text. */
  abandon(): void;
}

/** Keys of the catalog. */
export type VoiceProblem = 'voiceNotAllowed' | 'voiceFailed';

interface DictationListener {
  /** Called with all the text recognized so far. */
  onText(text: string): void;
  /** Called once at the end. */
  onEnd(problem?: VoiceProblem): void;
}

/** The part of the interface that is used. TypeScript's DOM types do not include it yet. */
interface Recognition extends EventTarget {
  lang: string;
  interimResults: boolean;
  continuous: boolean;
  start(): void;
  stop(): void;
}
type Result = Event & { results: ArrayLike<ArrayLike<{ transcript: string }>> };

/** @param lang BCP 47 language tag */
export function startDictation(lang: string, { onText, onEnd }: DictationListener): Dictation {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Record<string, (new () => Recognition) | undefined>;
  const Recognizer = SpeechRecognition ?? webkitSpeechRecognition;
  let problem: VoiceProblem | undefined;
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd(problem);
  };
  if (!Recognizer) {
    queueMicrotask(() => {
      problem = 'voiceFailed';
      end();
    });
    return { stop: end, abandon: end };
  }
  const recognizer = Object.assign(new Recognizer(), { lang, interimResults: true, continuous: true });
  recognizer.addEventListener('result', (event) => {
    if (hasEnded) return;
    const { results } = event as Result;
    onText(
      Array.from(results, (one) => one[0]?.transcript ?? '')
        .join('')
        .trimStart(),
    );
  });
  recognizer.addEventListener('error', (event) => {
    const { error } = event as Event & { error?: string };
    if (error === 'no-speech' || error === 'aborted') return;
    problem = error === 'not-allowed' || error === 'service-not-allowed' ? 'voiceNotAllowed' : 'voiceFailed';
  });
  recognizer.addEventListener('end', end);
  try {
    recognizer.start();
  } catch {
    problem = 'voiceFailed';
    queueMicrotask(end);
  }
  return {
    stop: () => {
      recognizer.stop();
    },
    abandon: () => {
      problem = undefined;
      end();
      recognizer.stop();
    },
  };
}
