/**
 * The numbered fault cases of areas B, C, D, E, G, H and J, and where each is proved: a file below `test/` and the title of a test in it.
 * A title that ends in `…` is matched by its beginning: for titles made by templates, and for cases with several tests.
 */
export type Area = 'B' | 'C' | 'D' | 'E' | 'G' | 'H' | 'J';
type Priority = 'P0' | 'P1' | 'P2';

export interface FaultCase {
  number: number;
  area: Area;
  priority: Priority;
  what: string;
  /** File and title; or, for what is not proved, a sentence why. */
  proofs: readonly (readonly [file: string, title: string])[] | string;
}

/** What one proved case counts. */
export const WEIGHT: Readonly<Record<Priority, number>> = { P0: 5, P1: 2, P2: 1 };

const FAILURES = 'conversation/failures.node.test.ts';
const STATUSES = 'transports/faults.node.test.ts';
const CANCEL = 'conversation/cancel.node.test.ts';
const TOOLS = 'conversation/tools.node.test.ts';
const TURN = 'conversation/turn.node.test.ts';
const ASKING = 'conversation/approval.node.test.ts';
const KEEPING = 'conversation/keeping.browser.test.ts';
const CARD = 'elements/approval.browser.test.ts';
const WIDGET = 'elements/tool-chat-approval.browser.test.ts';
const ELEMENT = 'elements/tool-chat.browser.test.ts';
const EMBED = 'e2e/embed.e2e.ts';
const KEPT = 'e2e/kept.e2e.ts';
const BROWSER = 'e2e/faults.e2e.ts';
const RELAY = 'faults/relay.node.test.ts';
const CONNECTION = 'faults/connection.node.test.ts';
const CALLS = 'faults/tools.node.test.ts';
const LIFE = 'faults/lifecycle.node.test.ts';
const PAGE = 'faults/lifecycle.browser.test.ts';
const TEXT = 'faults/spoofing.node.test.ts';
const SHOWN = 'faults/approval.node.test.ts';

const one = (area: Area, number: number, priority: Priority, what: string, ...proofs: [string, string][]): FaultCase => ({
  ...{ number, area, priority, what, proofs },
});

export const cases: readonly FaultCase[] = [
  // B: the connection
  one('B', 26, 'P1', 'No headers ever: given up, closed, usable again', [FAILURES, 'gives up on headers that never come, and closes']),
  one(
    'B',
    27,
    'P1',
    'Silence after the headers or after some events',
    [FAILURES, 'gives up on a connection without a byte, before the first event with a retry'],
    [FAILURES, 'keeps the text of a reply that stalls, and says so'],
  ),
  one(
    'B',
    29,
    'P0',
    'The connection breaks inside a call',
    [CONNECTION, 'B29 drop mid-call: …'],
    [CONNECTION, 'B29 would notice a parser that executes on truncation'],
    [TURN, 'never executes anything, wherever the stream breaks (…'],
    [TURN, 'would notice a parser that executes on truncation'],
    ['conversation/walks.node.test.ts', 'find …'],
  ),
  one(
    'B',
    31,
    'P1',
    'The connection is reset',
    [FAILURES, 'asks three times more after …'],
    [STATUSES, 'by a reset is a cut'],
    [CONNECTION, 'B29 drop mid-call: …'],
  ),
  one(
    'B',
    32,
    'P1',
    'Refusals that waiting does not help',
    [FAILURES, 'asks once and no more after …'],
    [FAILURES, 'tells apart who must sign in, where the address is wrong, and what is too long'],
  ),
  one('B', 33, 'P1', 'Not signed in: the host signs in and tries again', [CONNECTION, 'B33 401: …']),
  one(
    'B',
    34,
    'P1',
    'Too many requests, with a time to wait',
    [STATUSES, '429 waits as long as it is told to'],
    [FAILURES, 'waits as long as the server asks, to the millisecond'],
    [FAILURES, 'stops at once while it waits to ask again'],
    ['elements/panel.browser.test.ts', 'counts down to the next attempt, and cancels'],
  ),
  one(
    'B',
    37,
    'P1',
    'Server errors that may pass: few retries, growing and varied waits',
    [FAILURES, 'asks twice more after …'],
    [FAILURES, 'varies the waits, so that many pages do not come back at once'],
    [FAILURES, 'answers after one failure as if there had been none'],
  ),
  one('B', 38, 'P1', 'The server forbids a retry', [FAILURES, 'does what x-should-retry says']),
  one(
    'B',
    39,
    'P2',
    'Error bodies of any kind',
    [CONNECTION, 'B39 error body …'],
    ['transports/failure.node.test.ts', 'is shown without markup, keys and control characters'],
  ),
  one('B', 41, 'P1', 'Redirects', [STATUSES, 'are not redirected (…']),
  one('B', 42, 'P1', 'A server that does not let this site read', ['faults/connection.browser.test.ts', 'B42 CORS …']),
  one(
    'B',
    43,
    'P1',
    'Offline, then online',
    [BROWSER, 'B43 offline and back: …'],
    [BROWSER, 'B43 offline before anything was loaded: …'],
    ['elements/troubles.browser.test.ts', 'says that it is offline, loses nothing, and sends once when the network is back'],
  ),
  one('B', 44, 'P1', 'The network comes and goes', [
    'conversation/offline.node.test.ts',
    'never has two requests at once, however often the network comes and goes',
  ]),
  one('B', 45, 'P1', 'Lengths and compressions that lie', [CONNECTION, 'B45 …']),
  one(
    'B',
    46,
    'P1',
    'The endpoint fails after a tool has run',
    [CONNECTION, 'B46 upstream fails after a tool round, …'],
    [FAILURES, 'keeps the result of a tool once, and does not run it again'],
  ),
  one(
    'B',
    47,
    'P2',
    'Resuming a cut stream',
    [RELAY, 'goes on without gap or repeat, and adds nothing where the server tells all again …'],
    [RELAY, 'whose rest is …'],
  ),

  // C: tools and results
  one('C', 49, 'P0', 'Whatever a tool throws', [TOOLS, 'ends in one result when a tool throws …']),
  one('C', 50, 'P1', 'A tool that never settles', [
    TOOLS,
    'waits for a tool that never settles no longer than its limit, and ignores it afterwards',
  ]),
  one(
    'C',
    52,
    'P1',
    'Whatever a tool returns',
    [TOOLS, 'ends in one bounded result when a tool returns …'],
    ['tools/result.node.test.ts', 'never throws, whatever it is'],
    ['faults/approval.browser.test.ts', 'C52 a tool returns …'],
  ),
  one('C', 54, 'P0', 'Calls of tools that there are not', [TOOLS, 'executes nothing for …'], [CALLS, 'C54 a tool that there is not (…']),
  one(
    'C',
    56,
    'P0',
    'Arguments that do not fit',
    [TOOLS, 'executes nothing that its schema refuses, and lets the model correct itself'],
    [CALLS, 'C56 arguments that never fit (…'],
  ),
  one('C', 57, 'P1', 'Arguments that somebody changes afterwards', [
    TOOLS,
    'shows and tells the original arguments, whatever a tool or a listener does to its own',
  ]),
  one(
    'C',
    58,
    'P1',
    'A tool that goes, or is replaced, while its call waits',
    [ASKING, 'does not run a tool that was taken away or replaced meanwhile'],
    [WIDGET, 'does not run a tool that was replaced while its card waited'],
  ),
  one('C', 60, 'P1', 'Two calls of a reply, the first denied', [ASKING, 'feeds a refusal back, in the order of the calls']),
  one(
    'C',
    61,
    'P1',
    'Calls without end',
    [TURN, 'stops a model that never stops calling'],
    [TURN, 'stops a model that asks for the same thing again and again'],
    [CALLS, 'C61 two calls by turns for ever: …'],
  ),
  one(
    'C',
    63,
    'P2',
    'A tool that turns on its own widget or page',
    [PAGE, 'C63 a tool takes its own element off the page: …'],
    [BROWSER, 'C63 a tool opens an alert: …'],
    [BROWSER, 'C63 a tool leaves the page: …'],
    [TOOLS, 'is not held up by a tool that sends, stops or registers while it runs'],
  ),
  one('C', 64, 'P1', 'A tool that blocks the thread', [CALLS, 'C64 a tool that keeps the page busy for two seconds: …']),
  one('C', 65, 'P1', 'A message while a tool runs', [CALLS, 'C65 a message while a tool runs: …']),

  // D: stops and lifecycle
  one('D', 66, 'P0', 'A stop in every state', [CANCEL, 'ends everything while …'], [LIFE, 'D66 a stop at any moment: …']),
  one('D', 67, 'P1', 'A stop as the tool ends', [CANCEL, 'gives a call one end when tool and stop come together, in both orders']),
  one(
    'D',
    68,
    'P1',
    'Double clicks and held keys',
    [PAGE, 'D68 send and stop are clicked twice: …'],
    [PAGE, 'D68 Enter is held while it sends: …'],
    [WIDGET, 'runs it once for a double click, too'],
  ),
  one(
    'D',
    70,
    'P1',
    'Taken off the page, and moved on it',
    [ELEMENT, 'closes its request when it is taken away, and goes on when it comes back (X-13)'],
    [ELEMENT, 'keeps its request when it is only moved (X-13)'],
    [PAGE, 'D70 taken away while it streams: …'],
  ),
  one('D', 72, 'P1', 'Moved into another document', [PAGE, 'D72 moved into a frame …']),
  one('D', 73, 'P1', 'Reload while a reply streams', [KEEPING, 'shows what had arrived of a reply as cut, and asks for nothing by itself']),
  one(
    'D',
    74,
    'P0',
    'Reload while a tool works',
    [KEEPING, 'shows an effect that was under way as interrupted, once, tells the model, and does not run it again'],
    ['elements/keeping.browser.test.ts', 'does not do twice what was under way, and tells the model'],
  ),
  one(
    'D',
    76,
    'P1',
    'Reload while a card waits',
    [KEEPING, 'shows a card that waited as waiting, runs nothing by itself, and goes on after the click'],
    [
      'elements/keeping.browser.test.ts',
      'shows after a reload the card that waited and the sentence that was being written, and does nothing by itself',
    ],
  ),
  one(
    'D',
    78,
    'P1',
    'A frozen tab, and a clock that jumps',
    [BROWSER, 'D78 the tab is frozen while bytes arrive: …'],
    [BROWSER, 'D78 the clock jumps by …'],
    [LIFE, 'D78 nothing was looked at for longer than the limit on silence, and bytes wait: no stall'],
    [LIFE, 'D78 nothing was looked at, and nothing waits: still a stall'],
    ['tools/grants.node.test.ts', 'do not come back when the clock is set back'],
  ),
  one('D', 79, 'P1', 'A tab in the background', [BROWSER, 'D79 the tab lies in the background while a slow answer arrives: …']),
  one(
    'D',
    80,
    'P1',
    'Two widgets on a page',
    [EMBED, 'keeps two widgets apart'],
    ['conversation/host.node.test.ts', 'shares nothing between two conversations'],
    [PAGE, 'D80 two widgets ask at once: …'],
  ),
  one('D', 81, 'P2', 'The script is loaded twice', [EMBED, 'loads the script twice and from two places: the first one counts']),
  one('D', 82, 'P2', 'Options change within a turn', [ELEMENT, 'sets a change in force from the next turn (X-02)']),
  one('D', 83, 'P2', 'Properties before the tag is known', [ELEMENT, 'honours properties that were set before the tag was known']),

  // E: several tabs, and storage
  one(
    'E',
    84,
    'P0',
    'Two tabs allow the same call at once',
    [KEEPING, 'runs a call once when both allow it at the same moment'],
    [KEPT, 'E84 runs a call once …'],
  ),
  one(
    'E',
    86,
    'P1',
    'Two tabs send at once',
    [KEEPING, 'loses no message when both send at once, and shows both in the same order'],
    [KEPT, 'E86 …'],
  ),
  one(
    'E',
    87,
    'P1',
    'Storage that is missing, full or broken',
    [KEEPING, 'goes on in memory, with one notice; what only reads runs, all else is refused with a sentence'],
    [KEEPING, 'goes on in memory where there is none'],
    ['storage/conversation-store.browser.test.ts', 'goes on when the quota is used up, says so once, and again after it worked'],
    [KEPT, 'E87 …'],
  ),
  one(
    'E',
    90,
    'P1',
    'A newer version while an old tab is open',
    ['storage/lasting-journal.browser.test.ts', 'makes way for a newer version, and says so when it is too old itself'],
    ['storage/lasting-journal.browser.test.ts', 'waits a bounded time for a tab that holds an old version'],
    [KEPT, 'E90 …'],
  ),
  one('E', 91, 'P1', 'All data is cleared while it runs', [KEEPING, 'survives that all data is cleared while it runs'], [KEPT, 'E91 …']),
  one(
    'E',
    92,
    'P2',
    'A very long history',
    ['storage/conversation-store.browser.test.ts', 'reads 10,000 messages in less than a second and saves one more in a few milliseconds'],
    [KEPT, 'E92 …'],
  ),

  // G: spoofing and injection through text
  one(
    'G',
    104,
    'P0',
    'Calls that a person wrote, and that are only spoken about',
    [TEXT, 'G104 a person writes a call, and the model repeats it (…'],
    [TEXT, 'G104 the model repeats a call …'],
    [TEXT, 'G104 would notice a reader that runs whatever looks like a call'],
    [TURN, 'never runs what stands in reasoning, in code, or in a quoted example'],
  ),
  one('G', 106, 'P0', 'Arguments that hold the end of a call', [TEXT, 'G106 an argument holds the end of a call and another one, …']),
  one(
    'G',
    108,
    'P0',
    'A result that asks for another tool',
    [TEXT, 'G108 a result tells the model to call another tool: …'],
    [ASKING, 'makes later calls of the turn ask, after …'],
    ['conversation/grants.node.test.ts', 'are neither offered nor used for a danger call behind outside content'],
    ['tools/gate.node.test.ts', 'asks for all but queries in a tainted turn, in spite of grants'],
  ),
  one(
    'G',
    109,
    'P1',
    'Descriptions of tools that hold syntax',
    ['prompts/system-prompt.node.test.ts', 'stays well-formed whatever a description holds (faults 109)'],
    ['protocols/prompt.node.test.ts', 'does not let a description end the prompt or speak as a call (faults 109)'],
  ),
  one(
    'G',
    110,
    'P1',
    'Forged roles and results in what a person writes',
    [TEXT, 'G110 …'],
    [TURN, 'keeps what people write inside one user message, whatever it looks like'],
  ),
  one(
    'G',
    112,
    'P0',
    'Text that makes a parser or a renderer slow',
    [TEXT, 'G112 is read in linear time (…'],
    [TEXT, 'G112 would notice a parser that looks at all it has for every piece'],
    ['markdown/streaming.browser.test.ts', 'doubles when the text doubles: …'],
    [STATUSES, 'keeps the host responsive under …'],
  ),
  one('G', 113, 'P1', 'Arguments that are nested too deep', [TEXT, 'G113 a hundred thousand lists in each other as arguments (…']),

  // H: approval
  one(
    'H',
    114,
    'P0',
    'Something else runs than was shown',
    [SHOWN, 'H114 A shown, B run: …'],
    [SHOWN, 'H114 would notice an executor that skips approval'],
    [WIDGET, 'runs what was shown, whatever a listener does to it (fault 114)'],
    ['conversation/walks.node.test.ts', 'find …'],
  ),
  one(
    'H',
    115,
    'P0',
    'Arguments that hide something',
    [CARD, 'marks characters that nobody would see'],
    [CARD, 'keeps "allow" shut until a long value has been read to its end'],
    [CARD, 'counts blanks that would push something out of sight'],
    [CARD, 'shows what markup there is as text'],
  ),
  one(
    'H',
    117,
    'P0',
    'A card that appears under a click',
    [CARD, 'ignores clicks in the first half second, and does not keep them'],
    [CARD, 'ignores a press that began before the buttons were ready'],
    [CARD, 'waits again after the card has moved'],
  ),
  one(
    'H',
    119,
    'P1',
    'An approval is for one call, once',
    [SHOWN, 'H119 …'],
    [ASKING, 'ignores a decision about something else than was shown, and a second one'],
    [CARD, 'drops its readiness when another call takes the place of the shown one'],
  ),
  one('H', 121, 'P1', 'A refusal', [SHOWN, 'H121 …'], [WIDGET, 'ends the turn when the same call is denied twice (fault 121)']),
  one(
    'H',
    122,
    'P1',
    'Many questions in a row',
    [SHOWN, 'H122 asked again and again, …'],
    ['faults/approval.browser.test.ts', 'H122 asked ten times in a turn: …'],
    [CARD, 'offers a bar from the fourth on'],
    [CARD, 'leads to "deny" first, and to neither by itself'],
    [CARD, 'ignores a key that has been held since before'],
  ),
  one(
    'H',
    123,
    'P2',
    'Questions by keyboard and for a screen reader',
    [CARD, 'moves the focus to its heading when the person is here and writes nothing'],
    ['elements/dialog.browser.test.ts', 'are put off by Escape: nothing is decided, the card asks, and opens the dialog again'],
    ['elements/dialog.browser.test.ts', 'are dialogs for a screen reader where they could do harm, named by their heading'],
  ),

  // J: the relay
  one('J', 133, 'P0', 'The key leaks', [RELAY, 'lets the key out on no way that an answer can fail']),
  one('J', 135, 'P0', 'An open proxy', [RELAY, 'is no open proxy: one address, one shape, whatever is asked']),
  one('J', 137, 'P1', 'Foreign origins', [RELAY, 'answers the origins on its list and no others']),
  one(
    'J',
    138,
    'P1',
    'More requests than are allowed',
    [RELAY, 'lets through what the limit allows, over many sockets and forged addresses'],
    [RELAY, 'J138 …'],
  ),
  one('J', 140, 'P1', 'A client that does not read', [RELAY, 'J140 …']),
  one('J', 142, 'P1', 'A model server that fails', [RELAY, 'ends every broken answer with an error, and none of them cleanly']),
  one('J', 143, 'P1', 'Forged headers', [RELAY, 'forwards nothing of a request but what it names']),
  one('J', 144, 'P1', 'Pieces that are held back', [RELAY, 'J144 …']),
  one('J', 145, 'P2', 'Many streams, a crash, and a graceful end', [RELAY, 'J145 …']),
];
