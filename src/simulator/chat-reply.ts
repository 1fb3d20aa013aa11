/** What the simulator says: a pure function of the prompt, the choice's number and the seed, and honest about itself. */
import { createHash } from 'node:crypto';
import { jsonSample } from './chat-json.ts';
import type { ScriptedTurn } from './chat-knobs.ts';
import type { ChatPrompt, SimulatedTool } from './chat-prompt.ts';
import { jsonTokensOf, tokensOf } from './chat-tokens.ts';

export interface ChatReply {
  /** The tokens that it thought before it spoke; none where it wasn't asked to. */
  thinking: readonly string[];
  /** A text, tool calls, or a text and the calls after it. */
  parts: readonly ReplyPart[];
  /** `cut` at the limit of tokens; `stopped` by a stop sequence. */
  end: 'whole' | 'cut' | 'stopped';
  /** Which one stopped it. */
  stopSequence: string | undefined;
}

export type ReplyPart = {
  /** In the simulator's tokens, which are also the chunks of a stream. */
  tokens: readonly string[];
} & ({ kind: 'text' } | { kind: 'tool'; tool: SimulatedTool });

const quotedCharactersMax = 400;

const openings = [
  'I am the Tollgate simulator, not a language model.',
  'This answer comes from the Tollgate simulator; no language model wrote it.',
  'No model here: the Tollgate simulator is answering.',
  'The Tollgate simulator has read your message, and understands none of it.',
] as const;

/** The reply of one choice. */
export function replyOf(prompt: ChatPrompt, choice: number, seed: number): ChatReply {
  const thinking = prompt.thinks ? tokensOf(thoughtOn(prompt)) : [];
  const turn = scriptedTurn(prompt);
  const scripted = turn === undefined ? [] : callsOf(turn, prompt);
  const isForced = 'name' in prompt.toolChoice || prompt.toolChoice.mode === 'required';
  const calls = scripted.length === 0 && (turn === undefined || isForced) ? unscriptedCalls(prompt) : scripted;
  if (calls.length > 0) {
    const said = turn?.text === undefined ? [] : [textPart(turn.text)];
    return cut({ thinking, parts: [...said, ...calls], end: 'whole', stopSequence: undefined }, prompt.maxTokens);
  }
  const text = turn?.text ?? (prompt.schema === undefined ? textFor(prompt, choice, seed) : jsonFor(prompt));
  const stopSequence = firstIn(text, prompt.stop);
  const spoken = stopSequence === undefined ? text : text.slice(0, text.indexOf(stopSequence));
  const end = stopSequence === undefined ? 'whole' : 'stopped';
  return cut({ thinking, parts: [textPart(spoken)], end, stopSequence }, prompt.maxTokens);
}

/** How many tokens the reply has, with those that it thought. */
export const tokenCountOf = ({ thinking, parts }: ChatReply): number =>
  parts.reduce((sum, { tokens }) => sum + tokens.length, thinking.length);

/** Whether a tool is called. */
export const callsTools = ({ parts }: ChatReply): boolean => parts.some(({ kind }) => kind === 'tool');

/**
 * The turn of the script that is due: its calls without those that were made in this round. Calls of tools that the
 * request doesn't offer are left out, so that an agent's side calls, which offer none, get a text.
 */
function scriptedTurn({ knobs, tools, toolChoice, callsMade, isParallel }: ChatPrompt): ScriptedTurn | undefined {
  if (knobs.script.length === 0) return undefined;
  const mayCall = (name: string) =>
    'name' in toolChoice
      ? name === toolChoice.name
      : toolChoice.mode !== 'none' && tools.some((tool) => tool.name === name);
  let made = callsMade;
  for (const { text, calls } of knobs.script) {
    const offered = calls.filter(({ name }) => mayCall(name));
    if (offered.length === 0 && text === undefined) continue;
    const due = offered.slice(made);
    if (due.length > 0 || offered.length === 0) {
      return { text: made > 0 && offered.length > 0 ? undefined : text, calls: isParallel ? due : due.slice(0, 1) };
    }
    made -= offered.length;
  }
  return { text: undefined, calls: [] };
}

function callsOf(turn: ScriptedTurn, { tools }: ChatPrompt): ReplyPart[] {
  return turn.calls.flatMap(({ name, input }) => {
    const tool = tools.find((each) => each.name === name);
    return tool === undefined ? [] : [toolPart(tool, typeof input === 'string' ? input : JSON.stringify(input))];
  });
}

/** A tool is called when it has to be, or when the prompt names it and no tool has answered yet. */
function unscriptedCalls({ tools, toolChoice, text, toolAnswers }: ChatPrompt): ReplyPart[] {
  const named = tools.find(({ name }) => text.includes(name));
  const called =
    'name' in toolChoice
      ? tools.find(({ name }) => name === toolChoice.name)
      : toolChoice.mode === 'required'
        ? (named ?? tools[0])
        : toolChoice.mode === 'auto' && toolAnswers.length === 0
          ? named
          : undefined;
  if (called === undefined) return [];
  return [toolPart(called, called.kind === 'custom' ? 'simulated input' : JSON.stringify(argumentsFor(called)))];
}

const textPart = (text: string): ReplyPart => ({ kind: 'text', tokens: tokensOf(text) });

const toolPart = (tool: SimulatedTool, input: string): ReplyPart => ({
  ...{ kind: 'tool', tool },
  tokens: tool.kind === 'custom' ? tokensOf(input) : jsonTokensOf(input),
});

function argumentsFor(tool: SimulatedTool): unknown {
  const value = jsonSample(tool.parameters);
  return typeof value === 'object' && value !== null ? value : {};
}

const thoughtOn = ({ text }: ChatPrompt): string =>
  `A simulator has no thoughts. These stand in for some, on a message of ${tokensOf(text).length} tokens.`;

function textFor({ text, images, toolAnswers, seed }: ChatPrompt, choice: number, ownSeed: number): string {
  const drawn = createHash('sha256').update(`${ownSeed}/${seed}/${choice}/${text}`).digest().readUInt32BE(0);
  const sentences: string[] = [openings[drawn % openings.length] ?? openings[0]];
  if (toolAnswers.length > 0) {
    sentences.push(`The tool${toolAnswers.length > 1 ? 's' : ''} answered: ${toolAnswers.map(quoted).join(', ')}.`);
  } else sentences.push(text.trim() === '' ? 'You wrote nothing.' : `You wrote: ${quoted(text)}.`);
  if (images > 0) sentences.push(images === 1 ? 'You sent one image.' : `You sent ${images} images.`);
  if (choice > 0) sentences.push(`This is choice ${choice + 1}.`);
  return sentences.join(' ');
}

function jsonFor({ schema, text, images }: ChatPrompt): string {
  if (schema !== null) return JSON.stringify(jsonSample(schema));
  const note = { simulator: true, you_wrote: text.trim().slice(0, quotedCharactersMax) };
  return JSON.stringify(images > 0 ? { ...note, images } : note);
}

function quoted(text: string): string {
  const trimmed = text.trim();
  return `"${trimmed.length > quotedCharactersMax ? `${trimmed.slice(0, quotedCharactersMax)}…` : trimmed}"`;
}

/** The sequence that comes first in the text. */
function firstIn(text: string, sequences: readonly string[]): string | undefined {
  const places = sequences.map((sequence) => ({ sequence, place: text.indexOf(sequence) }));
  const found = places.filter(({ place }) => place !== -1).sort((one, other) => one.place - other.place);
  return found[0]?.sequence;
}

/** Thoughts count against the limit; a part of which nothing is left is not there. */
function cut(reply: ChatReply, maxTokens: number): ChatReply {
  if (tokenCountOf(reply) <= maxTokens) return reply;
  let left = maxTokens - reply.thinking.length;
  const parts: ReplyPart[] = [];
  for (const part of reply.parts) {
    if (left <= 0) break;
    parts.push({ ...part, tokens: part.tokens.slice(0, left) });
    left -= part.tokens.length;
  }
  return { thinking: reply.thinking.slice(0, maxTokens), parts, end: 'cut', stopSequence: undefined };
}
