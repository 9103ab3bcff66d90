/** Dictation by the browser's own speech recognition. It never sends. */

export interface Listening {
  /** Ends dictation and writes the remaining text. */
  stop(): void;
  /** Ends dictation immediately and discards the remaining text. */
  abandon(): void;
}

/** Keys of the catalog. */
export type VoiceProblem = 'voiceNotAllowed' | 'voiceFailed';

interface Hears {
  /** Called with all the text recognized so far. */
  heard(text: string): void;
  /** Called once at the end. */
  ended(problem?: VoiceProblem): void;
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
export function listenToVoice(lang: string, { heard, ended }: Hears): Listening {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as unknown as Record<string, (new () => Recognition) | undefined>;
  const Recogniser = SpeechRecognition ?? webkitSpeechRecognition;
  let problem: VoiceProblem | undefined;
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    ended(problem);
  };
  if (!Recogniser) {
    queueMicrotask(() => {
      problem = 'voiceFailed';
      end();
    });
    return { stop: end, abandon: end };
  }
  const recogniser = Object.assign(new Recogniser(), { lang, interimResults: true, continuous: true });
  recogniser.addEventListener('result', (event) => {
    if (over) return;
    const { results } = event as Result;
    heard(
      Array.from(results, (one) => one[0]?.transcript ?? '')
        .join('')
        .trimStart(),
    );
  });
  recogniser.addEventListener('error', (event) => {
    const { error } = event as Event & { error?: string };
    if (error === 'no-speech' || error === 'aborted') return;
    problem = error === 'not-allowed' || error === 'service-not-allowed' ? 'voiceNotAllowed' : 'voiceFailed';
  });
  recogniser.addEventListener('end', end);
  try {
    recogniser.start();
  } catch {
    problem = 'voiceFailed';
    queueMicrotask(end);
  }
  return {
    stop: () => {
      recogniser.stop();
    },
    abandon: () => {
      problem = undefined;
      end();
      recogniser.stop();
    },
  };
}
