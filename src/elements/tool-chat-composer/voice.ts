/** Writes down what a person says, by the browser's own speech recognition. It never sends. */

export interface Listening {
  /** Writes what is still to come of it. */
  stop(): void;
  /** At once, and hears nothing more. */
  abandon(): void;
}

/** Keys of the catalogue. */
export type VoiceProblem = 'voiceNotAllowed' | 'voiceFailed';

interface Hears {
  /** All that was understood so far. */
  heard(text: string): void;
  /** Once, at the end. */
  ended(problem?: VoiceProblem): void;
}

/** As much of the interface as is used: the types of browsers do not have it yet. */
interface Recognition extends EventTarget {
  lang: string;
  interimResults: boolean;
  continuous: boolean;
  start(): void;
  stop(): void;
}
type Result = Event & { results: ArrayLike<ArrayLike<{ transcript: string }>> };

/** @param lang BCP 47 */
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
