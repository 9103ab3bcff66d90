/** Converts the label of an operation to the imperative for buttons: "Deletes a pet" becomes "Delete a pet". */

const VERBS = new Set(
  (
    'accept activate add allow append apply approve archive assign attach authenticate authorize block build calculate cancel change check clear clone ' +
    'close compare complete compute confirm connect convert copy count create deactivate delete deploy describe detach disable disconnect download edit ' +
    'enable enroll execute export extract fetch fill filter find flush generate get give grant handle identify import index initiate insert install ' +
    'invite invoke join leave link list load lock log look make mark merge modify move mute notify open order overwrite patch pause perform pin place post ' +
    'prepare preview process provide provision publish purchase purge push put query read rebuild receive refresh refund register reject reload ' +
    'remove rename render renew reopen replace report request reschedule reset resolve restart restore resume retrieve retry return revert review revoke ' +
    'rotate run save schedule search select send set share show sign simulate split star start stop store stream submit subscribe suspend switch sync ' +
    'synchronize tag terminate test track transfer translate trigger turn unarchive unassign unblock unfollow uninstall unlink unlock unmute unpin unpublish ' +
    'unstar unsubscribe update upgrade upload upsert use validate verify view void watch withdraw write'
  ).split(' '),
);
/** Words after which the first word is a noun: "Lists of users", "Reports by day". */
const AFTER_NOUNS = /^(?:of|for|by|in|on|with|and|or|per|to|from|at|api|apis|overview|list|count|page|endpoints?)$/i;
/** Words after which "log" is a verb nevertheless: "Logs in the user". */
const AFTER_VERBS = /^(?:in|out|on|off|up)$/i;

export function imperativeOf(label: string): string {
  const [, word = '', next = ''] = /^([A-Z][a-z]{2,20}s)(?: +([\p{L}\p{N}'’]+)|$)/u.exec(label) ?? [];
  const third = word.toLowerCase();
  const verb = [third.slice(0, -1), third.slice(0, -2), `${third.slice(0, -3)}y`].find(
    (form) => VERBS.has(form) && thirdPerson(form) === third,
  );
  const isVerb = next !== '' && (!AFTER_NOUNS.test(next) || (verb === 'log' && AFTER_VERBS.test(next)));
  if (verb === undefined || !isVerb) return label;
  return verb[0]!.toUpperCase() + verb.slice(1) + label.slice(word.length);
}

function thirdPerson(verb: string): string {
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}
