/** What a prompt makes the simulator's chat say: scripted turns of text and tool calls, thoughts, a usage, failures. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';

export interface ChatKnobs {
  /** What is answered in turn: the first with no tool call made yet, each next one after the calls before it. */
  script: readonly ScriptedTurn[];
  /** Thinks before it answers. */
  thinks: boolean;
  /** Merged into the usage of the answer. */
  usage: JsonObject | undefined;
  /** Fails with this HTTP status. */
  status: number | undefined;
  /** Breaks a stream off half-way: with an error event of this message, or without one if it is empty. */
  breaksWith: string | undefined;
  /** What is wrong with a knob that can't be read. */
  mistake: string | undefined;
}

export interface ScriptedTurn {
  /** Said before the calls, word for word. */
  text: string | undefined;
  calls: readonly ScriptedCall[];
}

export interface ScriptedCall {
  name: string;
  /** An object of arguments, or the text that a custom tool takes. */
  input: unknown;
}

/** Longer payloads of one knob are a mistake, so that a prompt of many knobs is read in a time that its length bounds. */
const payloadCharactersMax = 65_536;
const knobsMax = 64;

/**
 * Reads `[sim:tool=NAME {json}]`, `[sim:say="text"]`, `[sim:then]`, `[sim:think]`, `[sim:usage={json}]`,
 * `[sim:status=529]`, `[sim:break]` and `[sim:break=message]` out of a prompt. Calls and texts up to a `[sim:then]` are
 * one turn.
 */
export function readChatKnobs(prompt: string): ChatKnobs {
  const status = /\[sim:status=([45]\d\d)\]/.exec(prompt)?.[1];
  const knobs = {
    thinks: prompt.includes('[sim:think]'),
    status: status === undefined ? undefined : Number(status),
    breaksWith: prompt.includes('[sim:break]') ? '' : /\[sim:break=([^\]]*)\]/.exec(prompt)?.[1],
  };
  const turns: { text: string | undefined; calls: ScriptedCall[] }[] = [{ text: undefined, calls: [] }];
  let usage: JsonObject | undefined;
  const mistaken = (mistake: string): ChatKnobs => ({ ...knobs, script: [], usage: undefined, mistake });
  const found = [...prompt.matchAll(/\[sim:(?:(then)\]|(say|usage)=|tool=([\w.:/-]{1,256})\s+)/g)];
  if (found.length > knobsMax) return mistaken(`A prompt has at most ${knobsMax} knobs with a payload.`);
  for (const match of found) {
    const [opening, then, plainKind, tool] = match;
    const turn = turns.at(-1);
    if (turn === undefined) break;
    if (then !== undefined) {
      turns.push({ text: undefined, calls: [] });
      continue;
    }
    const payload = payloadAt(prompt, match.index + opening.length);
    const mistake = (what: string) => mistaken(`The simulator can't read '${opening.trim()}': ${what}`);
    if (tool !== undefined) {
      const isInput = isObject(payload) || typeof payload === 'string';
      if (!isInput) return mistake('a JSON object (or a JSON string for a custom tool) and a bracket have to follow.');
      turn.calls.push({ name: tool, input: payload });
    } else if (plainKind === 'say') {
      if (typeof payload !== 'string') return mistake('a JSON string and a bracket have to follow.');
      turn.text = `${turn.text ?? ''}${payload}`;
    } else {
      if (!isObject(payload)) return mistake('a JSON object and a bracket have to follow.');
      usage = payload;
    }
  }
  const script = turns.filter(({ text, calls }) => text !== undefined || calls.length > 0);
  return { ...knobs, script, usage, mistake: undefined };
}

/** Returns the JSON object or string at this place, if the knob's bracket closes behind it. */
function payloadAt(text: string, from: number): unknown {
  const end = jsonEnd(text, from);
  if (end === undefined || !/^\s{0,20}\]/.test(text.slice(end, end + 21))) return undefined;
  try {
    return JSON.parse(text.slice(from, end));
  } catch {
    return undefined;
  }
}

/** Returns where the object, list or string that begins here ends. */
function jsonEnd(text: string, from: number): number | undefined {
  let depth = 0;
  let isInString = false;
  const last = Math.min(text.length, from + payloadCharactersMax);
  for (let at = from; at < last; at++) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth <= 0 && !isInString) return at + 1;
  }
  return undefined;
}
