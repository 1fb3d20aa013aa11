/** The words that docs/glossary.md replaces, what to say instead, and the names that are real. */

export interface ReplacedWord {
  /** Matched as whole words, in any case. */
  pattern: string;
  instead: string;
  /** It has no other meaning, so that no name in code may have it as a part either. */
  isRefusedInNames?: true;
}

export const replacedWords: readonly ReplacedWord[] = [
  { pattern: 'films?|filmed', instead: 'video', isRefusedInNames: true },
  { pattern: 'pictures?|pictured', instead: 'image (or: diagram, overview)', isRefusedInNames: true },
  { pattern: 'sounds?', instead: 'audio' },
  { pattern: '(?:talking|moving) heads?', instead: 'lip-synced video' },
  { pattern: 'whoever', instead: 'the caller, client, operator or process; anyone who', isRefusedInNames: true },
  { pattern: 'somebody', instead: 'the caller, client, operator or process; someone', isRefusedInNames: true },
  { pattern: 'nobody', instead: 'no caller, no process; a passive sentence', isRefusedInNames: true },
  { pattern: 'told', instead: 'notified, reported, returned; known (told apart: distinguished)' },
  { pattern: 'tells', instead: 'reports, returns, logs, prints; shows' },
  { pattern: 'mend(?:s|ed|ing)?', instead: 'fix', isRefusedInNames: true },
  { pattern: 'errands?', instead: 'background queue, background work', isRefusedInNames: true },
  { pattern: 'house-?keeping', instead: 'maintenance', isRefusedInNames: true },
  { pattern: 'glimpses?', instead: 'summary', isRefusedInNames: true },
  { pattern: 'farewells?', instead: 'terminator; the last message', isRefusedInNames: true },
  { pattern: 'unhurried', instead: 'long-running', isRefusedInNames: true },
  { pattern: 'troubles?', instead: 'error, failure; connection error', isRefusedInNames: true },
  { pattern: '(?:micro-?)?yuan', instead: "an amount; the gateway's currency", isRefusedInNames: true },
  { pattern: 'comes? to no good|came to no good', instead: 'fails; failed' },
  { pattern: '(?:comes?|came) to nothing', instead: 'fails; failed' },
  { pattern: 'made good', instead: 'completed' },
  { pattern: 'log of acts', instead: 'audit log' },
  { pattern: 'who leaves', instead: 'the caller that disconnects' },
  { pattern: 'what stands where', instead: 'layout; a sentence with a subject' },
];

/** Folders and files, from the root, that are read. */
export const wordedPaths: readonly string[] = [
  'src',
  'console',
  'docs',
  'ops',
  'bench',
  'scripts',
  'demo',
  'test',
  'docker-compose.yml',
  'README.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
];

/** In the code below these a name such as `FetchTrouble` is taken apart where its case changes. */
export const splitPaths: readonly string[] = ['src/', 'console/', 'bench/', 'scripts/', 'demo/'];

/** Names that are real: of a wire format, a metric's label, another program. Their exact text is left out before matching. */
export const realNames: readonly { path: string; text: string; because: string }[] = [
  { path: 'docs/metrics.md', text: '`trouble`', because: 'a value of the label outcome' },
  { path: 'docs/metrics.md', text: '`unhurried`', because: 'a value of the label pool' },
  { path: 'src/runtime/provider-calls/meter-calls.ts', text: "'trouble'", because: 'a value of the label outcome' },
  { path: 'src/runtime/scraped-gauges.ts', text: "'unhurried'", because: 'a value of the label pool' },
  { path: 'src/domain/accounts/common-passwords.ts', text: 'pictures', because: 'a password that many people choose' },
  { path: 'src/simulator/encoding/h264.ts', text: 'groupOfPictures', because: 'a term of H.264' },
  { path: 'console/src/parts/tasks/thumbnail.tsx', text: 'PictureOutlined', because: 'an icon of Ant Design' },
  { path: 'docs/internals/console.md', text: '`nobody`', because: 'a right in the source' },
  { path: 'src/embedded/unprivileged.ts', text: '`nobody`', because: 'a user of Unix' },
  { path: 'src/embedded/unprivileged.ts', text: "'nobody'", because: 'a user of Unix' },
  { path: 'src/embedded/unprivileged.ts', text: '"nobody"', because: 'a user of Unix' },
  { path: 'ops/grafana/tollgate.json', text: '|trouble', because: 'a value of the label outcome' },
];

/** Not read: the glossary, this list and its test, which have the words themselves, and what is made of the API's document. */
export const unreadPaths: readonly string[] = [
  'docs/glossary.md',
  'console/src/api/schema.ts',
  'test/house-rules.test.ts',
  'test/support/replaced-words.ts',
];

export interface WordFinding {
  line: number;
  word: string;
  instead: string;
}

/** Returns every replaced word of a text, by line, and every name with one; `path` decides which real names it may have. */
export function replacedWordsIn(path: string, text: string): WordFinding[] {
  const names = realNames.filter((name) => name.path === path);
  const isSplit = /\.(ts|tsx|mjs)$/.test(path) && splitPaths.some((folder) => path.startsWith(folder));
  return text.split('\n').flatMap((whole, at) => {
    if (!anyPattern.test(whole)) return []; // as nearly all lines
    const line = names.reduce((left, { text: name }) => left.replaceAll(name, ''), whole);
    const words = matchers.flatMap(({ matcher, instead }) =>
      [...line.matchAll(matcher)].map(([word]) => ({ line: at + 1, word, instead })),
    );
    return isSplit ? [...words, ...namesIn(line).map((found) => ({ line: at + 1, ...found }))] : words;
  });
}

/** The names of a line of code, such as `isTroubleOf`, of which a part is a replaced word. */
const namesIn = (line: string): { word: string; instead: string }[] =>
  [...line.matchAll(/\w+/g)].flatMap(([word]) => {
    const parts = word.split(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
    const found =
      parts.length > 1 &&
      matchers.find(({ part, isRefusedInNames }) => isRefusedInNames === true && parts.some((each) => part.test(each)));
    return found ? [{ word, instead: found.instead }] : [];
  });

/** A part of a name is found by this too, which knows no bounds of words. */
const anyPattern = new RegExp(replacedWords.map(({ pattern }) => pattern).join('|'), 'i');

const matchers = replacedWords.map(({ pattern, ...rest }) => ({
  ...rest,
  matcher: new RegExp(`\\b(?:${pattern})\\b`, 'gi'),
  part: new RegExp(`^(?:${pattern})$`, 'i'),
}));
