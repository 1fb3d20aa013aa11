/** What the vendor's model does: it reads the file that it was asked to fix, corrects what it found there, and says so. */
import { basename } from 'node:path';
import type * as z from 'zod';
import type { JsonObject } from '../../../src/domain/json/json-object.ts';

/** A request of any form, as far as the model looks at it. */
export interface Conversation {
  model: string;
  stream: boolean;
  /** Whether the caller is shown what the model thinks. */
  thinks: boolean;
  /** All that is said to it, instructions too. */
  texts: readonly string[];
  tools: readonly VendorTool[];
  calls: readonly VendorCall[];
  results: readonly { id: string; text: string }[];
  /** Thoughts that came back signed. */
  thoughts: readonly { text: string; signature: string }[];
}

export interface VendorTool {
  name: string;
  /** The names in its schema. */
  properties: readonly string[];
}

export interface VendorCall {
  id: string;
  name: string;
  input: JsonObject;
}

export interface Turn {
  text: string;
  thought: string;
  calls: readonly Omit<VendorCall, 'id'>[];
}

/** Disjoint, as a bill has them. */
export interface VendorTokens {
  fresh: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

/** A turn that has been written down, and counted. */
export interface Spoken {
  id: string;
  model: string;
  text: string;
  thinking: string;
  signature: string;
  calls: readonly VendorCall[];
  tokens: VendorTokens;
}

/** A wire format: how requests are read and answers written. */
export interface VendorForm {
  read(body: JsonObject): z.ZodSafeParseResult<Conversation>;
  whole(spoken: Spoken): unknown;
  /** The events of a stream; arguments of tools come in halves. */
  events(spoken: Spoken): string[];
}

/** What an agent has to be asked for. */
export const fixRequest = (path: string): string => `Fix the greeting in the file ${path} please`;

/** Returns what the model says or does next. */
export function nextTurn({ texts, tools, calls, results }: Conversation): Turn {
  const [, path] = /Fix the greeting in the file (\S+) please/.exec(texts.join('\n')) ?? [];
  if (path === undefined) return say('Hello.');
  const found = results.at(-1)?.text ?? '';
  if (calls.length === 0) {
    const read = readCall(tools, path);
    return read ? { text: '', thought: 'The file has to be read first.', calls: [read] } : say(editInText(texts, path));
  }
  const edit = calls.length === 1 && found.includes('Helo') ? editCall(tools, path) : undefined;
  return edit ? { text: 'I see.', thought: 'It says Helo.', calls: [edit] } : say('All fixed.');
}

const say = (text: string): Turn => ({ text, thought: 'That is all.', calls: [] });

function readCall(tools: readonly VendorTool[], path: string): Turn['calls'][number] | undefined {
  const tool = tools.find(({ name }) => /^read(_file)?$/i.test(name));
  return tool ? callOf(tool, [[/^file_?path$/i, path]]) : commandCall(tools, `cat ${path}`);
}

function editCall(tools: readonly VendorTool[], path: string): Turn['calls'][number] | undefined {
  const tool = tools.find(({ name }) => /^edit$/i.test(name));
  if (!tool) return commandCall(tools, `sed -i s/Helo/Hello/ ${path}`);
  return callOf(tool, [
    [/^file_?path$/i, path],
    [/^old_?string$/i, 'Helo'],
    [/^new_?string$/i, 'Hello'],
  ]);
}

function commandCall(tools: readonly VendorTool[], command: string): Turn['calls'][number] | undefined {
  const tool = tools.find(({ properties }) => properties.includes('cmd'));
  return tool && callOf(tool, [[/^cmd$/, command]]);
}

/** A call whose arguments have the names that the tool's schema gives them. */
function callOf({ name, properties }: VendorTool, values: [RegExp, string][]): Turn['calls'][number] {
  const named = values.map(([pattern, value]) => [properties.find((each) => pattern.test(each)) ?? '?', value]);
  return { name, input: Object.fromEntries(named) };
}

/** For agents without tools that ask for edits in the text, in the form of a merge conflict. */
const editInText = (texts: readonly string[], path: string): string =>
  texts.some((text) => text.includes('SEARCH/REPLACE'))
    ? `${basename(path)}\n\`\`\`\n<<<<<<< SEARCH\nHelo, world\n=======\nHello, world\n>>>>>>> REPLACE\n\`\`\`\n\nAll fixed.`
    : 'A greeting';
