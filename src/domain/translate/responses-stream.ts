/**
 * A stream of chat chunks as one of OpenAI's Responses API. Events are written as texts: of each only the caller's part is
 * quoted, and what every response repeats of its request is made a text once.
 */
import type { TokenCounts } from '../billing/token-counts.ts';
import type { MemoryRoom } from '../chat/byte-collector.ts';
import type { ErrorCode } from '../errors.ts';
import { type AnswerPart, keep, type PartSink } from './answer-parts.ts';
import { ChatAnswer } from './chat-answer.ts';
import type { AnswerEnd } from './finish-reasons.ts';
import { contentPart, itemStatus, responseEnd, ResponseForm, type ResponseTerms } from './responses-answer.ts';
import { chatCounts, responsesUsageOf } from './translated-usage.ts';

/** One stream's translation. After a method threw, only `fail` is of use. */
export class ResponsesStream {
  readonly #chat: ChatAnswer;
  readonly #form: ResponseForm;
  readonly #tail: string;
  readonly #events: ItemEvents;
  #isBegun = false;

  /** What was produced, which the last event repeats, is kept in `room`. */
  constructor(terms: ResponseTerms, room?: MemoryRoom) {
    this.#form = new ResponseForm(terms);
    this.#tail = JSON.stringify(this.#form.tail).slice(1, -1);
    this.#events = new ItemEvents(this.#form, () => this.#chat.end, room);
    this.#chat = new ChatAnswer(terms, this.#events, room);
  }

  /**
   * Takes whole events as a MeteredStream gives them, the usage-only chunk among them. Returns what follows from them, if
   * anything does. Throws GatewayError for what has no form here.
   */
  push(events: Buffer): Buffer | undefined {
    this.#chat.takeEvents(events, this.#begin);
    return this.#events.takeBytes();
  }

  /** Returns what ends a stream that is whole; `counted` is its usage where the upstream said none. Throws as `push`. */
  end(counted?: TokenCounts): Buffer {
    this.#begin();
    this.#chat.finish();
    const { end, usage } = this.#chat;
    const fields = responseEnd(end);
    const counts = usage || counted ? JSON.stringify(responsesUsageOf(chatCounts(usage, counted))) : 'null';
    const items = this.#events.done.join(',');
    this.#events.write(
      `response.${String(fields['status'])}`,
      this.#response(JSON.stringify(fields).slice(1, -1), items, counts),
    );
    return this.#events.takeBytes() ?? Buffer.alloc(0);
  }

  /** Returns the event that ends a stream which broke. */
  fail(error: { code: ErrorCode; message: string; param?: string | null }): Buffer {
    this.#events.takeBytes();
    const { code, message, param = null } = error;
    this.#events.write('error', JSON.stringify({ code, message, param }).slice(1, -1));
    return this.#events.takeBytes() ?? Buffer.alloc(0);
  }

  readonly #begin = (): void => {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const response = this.#response('"status":"in_progress","incomplete_details":null', '', 'null');
    this.#events.write('response.created', response);
    this.#events.write('response.in_progress', response);
  };

  #response(end: string, items: string, usage: string): string {
    const head = JSON.stringify(this.#form.head(this.#chat.model)).slice(1, -1);
    return `"response":{${head},${end},${this.#tail},"output":[${items}],"usage":${usage}}`;
  }
}

class ItemEvents implements PartSink {
  /** The items that are done, as JSON. */
  readonly done: string[] = [];
  readonly #form: ResponseForm;
  readonly #endSoFar: () => AnswerEnd;
  readonly #room: MemoryRoom | undefined;
  #events = '';
  #number = 0;
  /** The text of the part that is open. */
  #text = '';
  /** What each event of the open part says of it. */
  #place = '';

  constructor(form: ResponseForm, endSoFar: () => AnswerEnd, room: MemoryRoom | undefined) {
    this.#room = room;
    this.#form = form;
    this.#endSoFar = endSoFar;
  }

  begin(part: AnswerPart): void {
    this.#text = '';
    const { index } = part;
    const item = JSON.stringify(this.#form.item(part, '', 'in_progress'));
    this.write('response.output_item.added', `"output_index":${index},"item":${item}`);
    this.#place = `"item_id":${JSON.stringify(this.#form.itemId(part))},"output_index":${index}${placeIn[part.kind]}`;
    const added = partEvents[part.kind];
    if (added) this.write(`${added}.added`, `${this.#place},"part":${partOf(part, '')}`);
  }

  append({ kind }: AnswerPart, text: string): void {
    keep(this.#room, text);
    this.#text += text;
    const logprobs = kind === 'text' ? ',"logprobs":[]' : '';
    this.write(`${textEvents[kind]}.delta`, `${this.#place},"delta":${JSON.stringify(text)}${logprobs}`);
  }

  end(part: AnswerPart, isLast: boolean): void {
    const { kind, index } = part;
    const text = JSON.stringify(this.#text);
    this.write(`${textEvents[kind]}.done`, `${this.#place},${this.#doneMembers(part, text)}`);
    const added = partEvents[kind];
    if (added) this.write(`${added}.done`, `${this.#place},"part":${partOf(part, this.#text)}`);
    const item = JSON.stringify(this.#form.item(part, this.#text, itemStatus(isLast, this.#endSoFar())));
    this.write('response.output_item.done', `"output_index":${index},"item":${item}`);
    this.done.push(item);
  }

  #doneMembers(part: AnswerPart, text: string): string {
    if (part.kind === 'tool') return `"name":${JSON.stringify(this.#form.toolName(part).name)},"arguments":${text}`;
    if (part.kind === 'refusal') return `"refusal":${text}`;
    return part.kind === 'text' ? `"text":${text},"logprobs":[]` : `"text":${text}`;
  }

  write(type: string, members: string): void {
    this.#events += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#number++},${members}}\n\n`;
  }

  /** What was written since the last time. */
  takeBytes(): Buffer | undefined {
    if (this.#events === '') return undefined;
    const bytes = Buffer.from(this.#events);
    this.#events = '';
    return bytes;
  }
}

const placeIn = {
  text: ',"content_index":0',
  refusal: ',"content_index":0',
  reasoning: ',"summary_index":0',
  tool: '',
} as const satisfies Record<AnswerPart['kind'], string>;

const textEvents = {
  text: 'response.output_text',
  refusal: 'response.refusal',
  reasoning: 'response.reasoning_summary_text',
  tool: 'response.function_call_arguments',
} as const satisfies Record<AnswerPart['kind'], string>;

/** A call has no parts. */
const partEvents = {
  text: 'response.content_part',
  refusal: 'response.content_part',
  reasoning: 'response.reasoning_summary_part',
  tool: undefined,
} as const satisfies Record<AnswerPart['kind'], string | undefined>;

const partOf = (part: AnswerPart, text: string): string =>
  JSON.stringify(part.kind === 'reasoning' ? { type: 'summary_text', text } : contentPart(part, text));
