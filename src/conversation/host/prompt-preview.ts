/** Returns the prompt as the model would get it, and clears the caches of prompts and answers. */
import { load } from '../../base/load.js';
import type { Conversation } from './api.js';
import type { ConversationServices } from '../chart/services.js';
import { settingsOf } from '../options/tool-call-config.js';
import type { PromptContext } from '../request/prompt-input.js';

export interface Previews extends Pick<Conversation, 'generatePrompt' | 'getToolDescriptions' | 'clearCache'> {
  /** Returns the edition of cached answers that may be used; `clearCache` starts a new one. */
  edition(): number;
}

export function createPreviews({ settings, privacy }: ConversationServices, speaker: PromptContext): Previews {
  let edition = 0;
  return {
    edition: () => edition,
    generatePrompt({ protocol, config } = {}) {
      const now = settings({ ...config, ...settingsOf(config ?? {}), ...(protocol !== undefined && { protocol }) });
      return load(() => import('../request/prompt-context.js'))
        .then(({ previewSystem }) => previewSystem(now.protocol, now, speaker))
        .then(privacy.tokenize);
    },
    getToolDescriptions() {
      const now = settings({ tools: 'on' });
      return load(() => import('../request/prompt-context.js')).then(({ listTools }) => listTools(now, speaker));
    },
    async clearCache() {
      const answers = settings().answerCache;
      if (answers?.clear) await answers.clear();
      else edition += 1;
      (await load(() => import('../../prompts/index.js'))).clearPromptCache();
    },
  };
}
