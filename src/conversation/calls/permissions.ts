/** Holds the permissions that the user grants beyond one call. Their rules are loaded with the first grant. */
import { load } from '../../base/load.js';
import { labelWithHost } from '../../model/label-with-host.js';
import type { Grants, NewGrant } from '../../tools/grant-rules.js';
import { grantSentence } from '../../tools/suggest-grants.js';
import { hostOf } from '../../tools/tool-source.js';
import { userOf } from '../options/read-settings.js';
import type { ConversationServices } from '../chart/services.js';

export interface Permissions {
  now(): Grants | undefined;
  open(): Promise<Grants>;
  /** Adds a grant. If it cannot be kept, the current call still runs, and the next one asks. */
  add(grant: NewGrant): Promise<void>;
}

export function createPermissions({ registry, log, texts, emit, settings }: ConversationServices): Permissions {
  let grants: Grants | undefined;
  let owner = '';
  /** True if a permission was given on this page. Saved ones count although the page names its user later. */
  let isGiven = false;
  /** A permission counts only for the user who gave it. */
  const now = () => {
    const user = userOf(settings());
    if ((owner || isGiven) && owner !== user) {
      grants?.load([]);
      isGiven = false;
    }
    owner = user;
    return grants;
  };
  const open = async () => {
    const { createGrants } = await load(() => import('../../tools/grant-rules.js'));
    if (now()) return grants!;
    grants = createGrants({
      log,
      // Write the sentence in the current language: a stored one could lie, and the number of uses left changes.
      say(grant) {
        const tool = registry.get(grant.toolName);
        const { toolName, toolHost = '' } = grant;
        // Another tool may have the name by now.
        const label = tool && hostOf(tool) === toolHost ? registry.labelOf(tool) : toolName;
        return grantSentence(grant, labelWithHost({ label, toolHost }, texts()), texts());
      },
    });
    emit('grants', grants);
    return grants;
  };
  return {
    now,
    open,
    async add(grant) {
      const { toolName } = grant;
      const user = userOf(settings());
      const desk = await open().catch((error: unknown) => {
        log.warn('grants.lost', 'What was granted beyond this call could not be kept', { toolName }, { error });
      });
      if (!desk || user !== owner) return;
      isGiven = true;
      desk.add(grant);
    },
  };
}
