/**
 * The numbered fault cases of areas B, C, D, E, G, H and J. What proves one is a test whose title begins with its area and number, such as
 * `G112 `, wherever it stands; a test may prove several: `B29 H114 `.
 */
export type Priority = 'P0' | 'P1' | 'P2';

/** What one proved case counts. */
export const WEIGHT: Readonly<Record<Priority, number>> = { P0: 5, P1: 2, P2: 1 };

type Case = readonly [priority: Priority, what: string];

/** Numbers that are missing are not used. */
export const AREAS: Readonly<Record<string, Readonly<Record<number, Case>>>> = {
  /** The connection. */
  B: {
    26: ['P1', 'No headers ever: given up, closed, usable again'],
    27: ['P1', 'Silence after the headers or after some events'],
    29: ['P0', 'The connection breaks inside a call'],
    31: ['P1', 'The connection is reset'],
    32: ['P1', 'Refusals that waiting does not help'],
    33: ['P1', 'Not signed in: the host signs in and tries again'],
    34: ['P1', 'Too many requests, with a time to wait'],
    37: ['P1', 'Server errors that may pass: few retries, growing and varied waits'],
    38: ['P1', 'The server forbids a retry'],
    39: ['P2', 'Error bodies of any kind'],
    41: ['P1', 'Redirects'],
    42: ['P1', 'A server that does not let this site read'],
    43: ['P1', 'Offline, then online'],
    44: ['P1', 'The network comes and goes'],
    45: ['P1', 'Lengths and compressions that lie'],
    46: ['P1', 'The endpoint fails after a tool has run'],
    47: ['P2', 'Resuming a cut stream'],
  },
  /** Tools and results. */
  C: {
    49: ['P0', 'Whatever a tool throws'],
    50: ['P1', 'A tool that never settles'],
    52: ['P1', 'Whatever a tool returns'],
    54: ['P0', 'Calls of tools that there are not'],
    56: ['P0', 'Arguments that do not fit'],
    57: ['P1', 'Arguments that somebody changes afterwards'],
    58: ['P1', 'A tool that goes, or is replaced, while its call waits'],
    60: ['P1', 'Two calls of a reply, the first denied'],
    61: ['P1', 'Calls without end'],
    63: ['P2', 'A tool that turns on its own widget or page'],
    64: ['P1', 'A tool that blocks the thread'],
    65: ['P1', 'A message while a tool runs'],
  },
  /** Stops and lifecycle. */
  D: {
    66: ['P0', 'A stop in every state'],
    67: ['P1', 'A stop as the tool ends'],
    68: ['P1', 'Double clicks and held keys'],
    70: ['P1', 'Taken off the page, and moved on it'],
    72: ['P1', 'Moved into another document'],
    73: ['P1', 'Reload while a reply streams'],
    74: ['P0', 'Reload while a tool works'],
    76: ['P1', 'Reload while a card waits'],
    78: ['P1', 'A frozen tab, and a clock that jumps'],
    79: ['P1', 'A tab in the background'],
    80: ['P1', 'Two widgets on a page'],
    81: ['P2', 'The script is loaded twice'],
    82: ['P2', 'Options change within a turn'],
    83: ['P2', 'Properties before the tag is known'],
  },
  /** Several tabs, and storage. */
  E: {
    84: ['P0', 'Two tabs allow the same call at once'],
    86: ['P1', 'Two tabs send at once'],
    87: ['P1', 'Storage that is missing, full or broken'],
    90: ['P1', 'A newer version while an old tab is open'],
    91: ['P1', 'All data is cleared while it runs'],
    92: ['P2', 'A very long history'],
  },
  /** Spoofing and injection through text. */
  G: {
    104: ['P0', 'Calls that a person wrote, and that are only spoken about'],
    106: ['P0', 'Arguments that hold the end of a call'],
    108: ['P0', 'A result that asks for another tool'],
    109: ['P1', 'Descriptions of tools that hold syntax'],
    110: ['P1', 'Forged roles and results in what a person writes'],
    112: ['P0', 'Text that makes a parser or a renderer slow'],
    113: ['P1', 'Arguments that are nested too deep'],
  },
  /** Approval. */
  H: {
    114: ['P0', 'Something else runs than was shown'],
    115: ['P0', 'Arguments that hide something'],
    117: ['P0', 'A card that appears under a click'],
    119: ['P1', 'An approval is for one call, once'],
    121: ['P1', 'A refusal'],
    122: ['P1', 'Many questions in a row'],
    123: ['P2', 'Questions by keyboard and for a screen reader'],
  },
  /** The relay. */
  J: {
    133: ['P0', 'The key leaks'],
    135: ['P0', 'An open proxy'],
    137: ['P1', 'Foreign origins'],
    138: ['P1', 'More requests than are allowed'],
    140: ['P1', 'A client that does not read'],
    142: ['P1', 'A model server that fails'],
    143: ['P1', 'Forged headers'],
    144: ['P1', 'Pieces that are held back'],
    145: ['P2', 'Many streams, a crash, and a graceful end'],
  },
};
