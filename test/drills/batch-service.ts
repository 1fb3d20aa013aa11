/** The service behind a drill's batch: it speaks chat, knows each line by its prompt, and counts how often it was asked. */
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { processHeader } from './provider.ts';

/** What a million tokens of each cost, so that a token costs whole micro-units. */
export const linePrice = { input: 2, output: 8 };

/** Every so many lines one is refused, which costs nothing. */
const refusedEvery = 97;
/** Every so many lines one meets a busy service when it is first sent. */
const busyEvery = 501;
const answerMs = { least: 100, more: 200 };

export const isRefused = (n: number): boolean => n % refusedEvery === 0;
const usageOf = (n: number) => ({ prompt_tokens: 10 + (n % 7), completion_tokens: 5 + (n % 11) });

/** Micro-units that a line costs by what the service says that it used. */
export function lineCost(n: number): bigint {
  const { prompt_tokens: input, completion_tokens: output } = usageOf(n);
  return BigInt(input * linePrice.input + output * linePrice.output);
}

export const customIdBegin = 'line-';
const promptOf = (n: number) => `Line ${n}: who keeps the gate at dusk, and what is the toll for a cart?`;

/** A line of the input, with the line feed that ends it. */
export function inputLine(n: number): string {
  const body = { model: 'drill-line', messages: [{ role: 'user', content: promptOf(n) }], max_tokens: 40 };
  return `${JSON.stringify({ custom_id: `${customIdBegin}${n}`, method: 'POST', url: '/v1/chat/completions', body })}\n`;
}

const asked = z.object({ messages: z.array(z.object({ content: z.string() })).length(1) });

export class LineService {
  /** How often each line was answered or begun to be, busy answers aside. */
  readonly sends = new Map<number, number>();
  /** The process that asked last. */
  lastProcess: string | undefined;
  readonly #busy = new Set<number>();
  readonly #closing = new AbortController();
  readonly #server = createServer((incoming, response) => {
    this.#answer(incoming, response).catch(() => response.destroy()); // the process that asked was killed meanwhile
  });
  #origin = '';

  private constructor() {
    setMaxListeners(0, this.#closing.signal);
  }

  static async open(): Promise<LineService> {
    const service = new LineService();
    service.#server.listen(0, '127.0.0.1');
    await once(service.#server, 'listening');
    const address = service.#server.address();
    if (address === null || typeof address === 'string') throw new TypeError('no port');
    service.#origin = `http://127.0.0.1:${address.port}`;
    return service;
  }

  /** For `base_url`. */
  get baseUrl(): string {
    return `${this.#origin}/v1`;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { messages } = asked.parse(JSON.parse(await text(incoming)));
    const n = Number(/^Line (\d+):/.exec(messages[0]?.content ?? '')?.[1]);
    this.lastProcess = String(incoming.headers[processHeader]);
    if (n % busyEvery === 0 && !this.#busy.has(n)) {
      this.#busy.add(n);
      send(response, 429, { error: { message: 'busy', type: 'rate_limit_error' } }, { 'Retry-After': '1' });
      return;
    }
    this.sends.set(n, (this.sends.get(n) ?? 0) + 1);
    await pause(answerMs.least + ((n * 37) % answerMs.more), undefined, { signal: this.#closing.signal });
    if (isRefused(n)) {
      send(response, 400, { error: { message: 'no', type: 'invalid_request_error' } });
      return;
    }
    const usage = usageOf(n);
    send(response, 200, {
      ...{ id: `chatcmpl-${n}`, object: 'chat.completion', created: 1_767_225_600, model: 'line' },
      choices: [{ index: 0, message: { role: 'assistant', content: `Answer ${n}` }, finish_reason: 'stop' }],
      usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
    });
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
