/** What the simulator says: a pure function of the prompt, the choice's number and the seed, and honest about itself. */
import { createHash } from 'node:crypto';
import type { ChatPrompt, SimulatedTool } from './chat-prompt.ts';
import { tokensOf } from './chat-tokens.ts';
import { jsonSample } from './chat-json.ts';

export type ChatReply = {
  /** In the simulator's tokens, which are also the chunks of a stream. */
  tokens: readonly string[];
  isCut: boolean;
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
  const tool = toolFor(prompt);
  if (tool !== undefined) {
    const input = tool.kind === 'custom' ? 'simulated input' : JSON.stringify(argumentsFor(tool));
    return { kind: 'tool', tool, ...cut(input, prompt.maxTokens) };
  }
  const text = prompt.schema === undefined ? textFor(prompt, choice, seed) : jsonFor(prompt);
  return { kind: 'text', ...cut(stopped(text, prompt.stop), prompt.maxTokens) };
}

/** A tool is called when it has to be, or when the prompt names it and no tool has answered yet. */
function toolFor({ tools, toolChoice, text, toolAnswer }: ChatPrompt): SimulatedTool | undefined {
  if ('name' in toolChoice) return tools.find(({ name }) => name === toolChoice.name);
  if (toolChoice.mode === 'none') return undefined;
  const named = tools.find(({ name }) => text.includes(name));
  if (toolChoice.mode === 'required') return named ?? tools[0];
  return toolAnswer === undefined ? named : undefined;
}

function argumentsFor(tool: SimulatedTool): unknown {
  const value = jsonSample(tool.parameters);
  return typeof value === 'object' && value !== null ? value : {};
}

function textFor({ text, images, toolAnswer, seed }: ChatPrompt, choice: number, ownSeed: number): string {
  const drawn = createHash('sha256').update(`${ownSeed}/${seed}/${choice}/${text}`).digest().readUInt32BE(0);
  const sentences: string[] = [openings[drawn % openings.length] ?? openings[0]];
  if (toolAnswer !== undefined) sentences.push(`The tool answered: ${quoted(toolAnswer)}.`);
  else sentences.push(text.trim() === '' ? 'You wrote nothing.' : `You wrote: ${quoted(text)}.`);
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

function stopped(text: string, stop: readonly string[]): string {
  const places = stop.map((sequence) => text.indexOf(sequence)).filter((place) => place !== -1);
  return places.length === 0 ? text : text.slice(0, Math.min(...places));
}

function cut(text: string, maxTokens: number): { tokens: readonly string[]; isCut: boolean } {
  const tokens = tokensOf(text);
  return tokens.length > maxTokens ? { tokens: tokens.slice(0, maxTokens), isCut: true } : { tokens, isCut: false };
}
