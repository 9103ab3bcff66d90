import type { GrantSuggestion } from '../../model/grants.js';
import type { CheckedCall } from '../../tools/prepare.js';
import type { Turn } from '../chart/chart-context.js';

/** The data that the check of a call passes to the later steps: exactly what was shown, with the settings of that time. */
export interface AuthorizedCall {
  /** Absent if a provider only waits for approval. */
  prepared?: CheckedCall;
  turn: Turn;
  /** The permissions that the user can grant beyond this call, chosen by index. */
  offers?: readonly GrantSuggestion[];
  /** The fingerprint of the tool. A grant holds for exactly this tool. */
  fingerprint?: string;
  /** Returns true if the call may still run without approval, given its grant and what became of the same call meanwhile. */
  isAllowed?(): boolean;
  /** Set if a page that is gone has started the call before; see `JournalIntent`. */
  again?: number;
  /** True if the call replaces one of another tool that failed. If it fails too, no third tool is called. */
  isFallback?: true;
}
