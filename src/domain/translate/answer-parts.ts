/**
 * The parts of a chat answer one after the other. Chat mixes texts, thoughts and tool calls freely; Anthropic's blocks and
 * OpenAI's items are whole before the next begins. So the first part is passed on as it comes, and those behind it wait
 * until it is known to be whole: a text when another part begins, a tool call when its arguments are a whole object.
 */
import type { MemoryRoom } from '../chat/byte-collector.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { GatewayError } from '../errors.ts';

export interface AnswerPart {
  kind: 'reasoning' | 'text' | 'refusal' | 'tool';
  /** Its place among the parts, from 0. */
  index: number;
  /** Of a tool call; else empty. */
  callId: string;
  name: string;
}

/** Takes parts in order: each is begun, appended to, and ended before the next begins. */
export interface PartSink {
  begin(part: AnswerPart): void;
  append(part: AnswerPart, text: string): void;
  /** `isLast`: the answer is over with it. */
  end(part: AnswerPart, isLast: boolean): void;
}

interface Waiting extends AnswerPart {
  /** What has come and was not passed on, because the part waits. */
  unsent: string;
  isBegun: boolean;
  isEnded: boolean;
  /** How far the arguments of a tool call have come. */
  scan: ObjectScan;
}

/** One answer's parts, taken delta by delta; a whole message is one delta. */
export class AnswerParts {
  readonly #sink: PartSink;
  readonly #answerId: string;
  readonly #room: MemoryRoom | undefined;
  /** The first is passed on as it comes. */
  #queue: Waiting[] = [];
  readonly #calls: { number: number | undefined; part: Waiting }[] = [];
  #begun = 0;
  #hasRefusal = false;

  /** Calls that have no id get one that is made of the answer's. What waits is kept in `room`. */
  constructor(sink: PartSink, answerId: string, room?: MemoryRoom) {
    this.#sink = sink;
    this.#answerId = answerId;
    this.#room = room;
  }

  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  get hasRefusal(): boolean {
    return this.#hasRefusal;
  }

  /** Takes the `delta` of a chunk. Throws GatewayError for what has no place in any answer. */
  take(delta: JsonObject): void {
    const { content, refusal, tool_calls: calls, reasoning, reasoning_content: thoughts } = delta as Delta;
    // Vendors have one of two names for it, and some send both.
    this.#say('reasoning', typeof thoughts === 'string' && thoughts !== '' ? thoughts : reasoning);
    if (Array.isArray(content)) for (const part of content as readonly unknown[]) this.#takePart(part);
    else this.#say('text', content);
    this.#say('refusal', refusal);
    if (Array.isArray(calls)) for (const call of calls as readonly unknown[]) if (isObject(call)) this.#takeCall(call);
  }

  /** The answer is over: every part that waits is passed on. Further parts may follow all the same. */
  finish(): void {
    const parts = this.#queue;
    this.#queue = [];
    for (const [at, part] of parts.entries()) this.#end(part, at === parts.length - 1);
  }

  #say(kind: 'reasoning' | 'text' | 'refusal', text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    if (kind === 'refusal') this.#hasRefusal = true;
    const last = this.#queue.at(-1);
    this.#add(last?.kind === kind ? last : this.#push({ kind, callId: '', name: '' }), text);
  }

  /** Mistral's answers have lists of texts and thoughts. */
  #takePart(part: unknown): void {
    const { type, text, thinking } = (isObject(part) ? part : {}) as {
      type?: unknown;
      text?: unknown;
      thinking?: unknown;
    };
    if (type === 'text') this.#say('text', text);
    else if (type === 'thinking') {
      const thoughts = Array.isArray(thinking) ? (thinking as readonly unknown[]) : [{ text: thinking }];
      for (const thought of thoughts) if (isObject(thought)) this.#say('reasoning', thought['text']);
    } else throw unexpected("has content that can't be translated");
  }

  #takeCall(call: JsonObject): void {
    const { id, index, function: called } = call as { id?: unknown; index?: unknown; function?: unknown };
    const { name, arguments: args } = (isObject(called) ? called : {}) as { name?: unknown; arguments?: unknown };
    const [callId, toolName] = [textOr(id), textOr(name)];
    const number = typeof index === 'number' ? index : undefined;
    const part = this.#callOf(number, callId, toolName) ?? this.#newCall(number, callId, toolName);
    if (part.name === '') part.name = toolName;
    // Ollama's arguments came as an object once.
    this.#add(part, isObject(args) ? JSON.stringify(args) : textOr(args));
  }

  /** The call that a delta goes on with: by its number, else its id, else the last; a new id with a name is a new call. */
  #callOf(number: number | undefined, id: string, name: string): Waiting | undefined {
    const found = this.#calls.findLast((call) =>
      number !== undefined ? call.number === number : id === '' || call.part.callId === id,
    )?.part;
    const isNew = name !== '' && (id === '' ? number === undefined : found?.callId !== id);
    return isNew ? undefined : found;
  }

  #newCall(number: number | undefined, id: string, name: string): Waiting {
    const callId = id === '' ? `call_${this.#answerId}_${this.#calls.length}` : id;
    const part = this.#push({ kind: 'tool', callId, name });
    this.#calls.push({ number, part });
    return part;
  }

  #push(part: Omit<AnswerPart, 'index'>): Waiting {
    const waiting = { ...part, index: -1, unsent: '', isBegun: false, isEnded: false, scan: new ObjectScan() };
    this.#queue.push(waiting);
    return waiting;
  }

  #add(part: Waiting, text: string): void {
    if (part.isEnded) {
      if (text.trim() === '') return;
      throw unexpected('goes on with a tool call that was whole');
    }
    keep(this.#room, text);
    part.unsent += text;
    if (part.kind === 'tool') part.scan.take(text);
    while (this.#queue.length > 1 && this.#isFirstWhole()) this.#end(this.#queue.shift(), false);
    this.#send(this.#queue[0]);
  }

  #isFirstWhole(): boolean {
    const [first] = this.#queue;
    return first !== undefined && (first.kind !== 'tool' || (first.name !== '' && first.scan.isWhole));
  }

  /** A call waits for its name. */
  #send(part: Waiting | undefined): void {
    if (part === undefined || (part.kind === 'tool' && part.name === '')) return;
    if (!part.isBegun) {
      part.isBegun = true;
      part.index = this.#begun++;
      this.#sink.begin(part);
    }
    if (part.unsent === '') return;
    const text = part.unsent;
    part.unsent = '';
    this.#room?.give(bytesOfText(text));
    this.#sink.append(part, text);
  }

  #end(part: Waiting | undefined, isLast: boolean): void {
    if (part === undefined) return;
    if (part.kind === 'tool' && part.name === '') throw unexpected('calls a tool without a name');
    this.#send(part);
    part.isEnded = true;
    this.#sink.end(part, isLast);
  }
}

interface Delta {
  content?: unknown;
  refusal?: unknown;
  tool_calls?: unknown;
  reasoning?: unknown;
  reasoning_content?: unknown;
}

/** Finds the end of a JSON object whose text comes in pieces, in one pass. */
class ObjectScan {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  isWhole = false;

  take(text: string): void {
    for (let at = 0; at < text.length && !this.isWhole; at++) {
      const code = text.charCodeAt(at);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInText) {
        if (code === 0x5c) this.#isEscaped = true;
        else if (code === 0x22) this.#isInText = false;
      } else if (code === 0x22) this.#isInText = true;
      else if (code === 0x7b || code === 0x5b) this.#depth++;
      else if ((code === 0x7d || code === 0x5d) && --this.#depth === 0) this.isWhole = true;
    }
  }
}

/** A character may take two bytes of the heap. */
const bytesOfText = (text: string): number => 2 * text.length;

/** Takes room for a text that is kept. Throws GatewayError where there is none. */
export function keep(room: MemoryRoom | undefined, text: string): void {
  if (room?.take(bytesOfText(text)) === false) throw unexpected('is too large to be translated');
}

const textOr = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An answer that no form has a place for; `what` follows "The provider's answer". */
export const unexpected = (what: string): GatewayError =>
  new GatewayError('upstream_error', `The provider's answer ${what}.`);
