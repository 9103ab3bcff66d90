/** What a check of a call hands to the steps that follow it. */
import type { GrantSuggestion } from '../../model/grants.js';
import type { CheckedCall } from '../../tools/prepare.js';
import type { Turn } from '../chart/chart-context.js';

/** What a check hands to the later steps: exactly what was shown, under the settings it was shown with. */
export interface Ticket {
  /** Absent where a service only waits for a word. */
  prepared?: CheckedCall;
  turn: Turn;
  /** What a person can allow beyond this one call; chosen by its place. */
  offers?: readonly GrantSuggestion[];
  /** Of the tool: a grant holds for exactly this one. */
  fingerprint?: string;
  /** True if what let it run without a question still does: the grant, and what became of the same call meanwhile. */
  isAllowed?(): boolean;
  /** It was started before, by a page that is gone; see `JournalIntent`. */
  again?: number;
  /** It does what another tool could not; what follows its own failure is no third tool. */
  standsIn?: true;
}
