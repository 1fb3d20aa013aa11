/**
 * A stand-in for an upstream that speaks the OpenAI API, over real sockets: it answers as the test scripts it, breaks
 * off, stalls, or sends a byte at a time, and counts what it was asked and who left.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib';

/** A piece of a body; a promise holds up those behind it until it resolves. */
export type Piece = string | Buffer | Promise<unknown>;

export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** The whole body as JSON, with its length. Else `pieces`, in chunks. */
  json?: unknown;
  pieces?: readonly Piece[];
  encoding?: 'gzip' | 'deflate' | 'br' | 'gzip-flushed';
  /** Every byte is a write of its own, one turn of the event loop after the other. */
  isByteByByte?: boolean;
  /** `break-before`: no head, the connection is closed. `stall-before`: nothing is ever sent. The others come at the end. */
  ending?: 'end' | 'break-before' | 'stall-before' | 'break' | 'stall';
}

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON. */
  json(): unknown;
}

export interface Upstream {
  /** With `/v1`. */
  url: string;
  requests: SeenRequest[];
  /** Requests whose caller left before the end of the answer. */
  aborted: number;
  /** Connections that are open now, and all there ever were. */
  connections: { open: number; all: number };
  /** What the next requests are answered with: the last answer again and again. */
  answers(...answers: (Answer | ((request: SeenRequest) => Answer))[]): void;
  /** Resolves when so many requests have come, in all. */
  received(count: number): Promise<void>;
  /** Resolves when so many callers have left, in all. */
  abortions(count: number): Promise<void>;
  /** Resolves when no connection is open, or no more than so many. */
  hungUp(left?: number): Promise<void>;
}

/** Lends an upstream and takes it back, with whatever connections are left. */
export async function withUpstream<T>(use: (upstream: Upstream) => Promise<T>): Promise<T> {
  const { upstream, close } = await openUpstream();
  try {
    return await use(upstream);
  } finally {
    await close();
  }
}

/** An upstream on a free port of this machine; the caller closes it. */
export async function openUpstream(): Promise<{ upstream: Upstream; close: () => Promise<void> }> {
  const news = new EventEmitter().setMaxListeners(0);
  let script: (Answer | ((request: SeenRequest) => Answer))[] = [chatAnswer('Hello!')];
  const server = createServer((request, response) => void serve(request, response));
  server.on('connection', (socket) => {
    upstream.connections.open++;
    upstream.connections.all++;
    socket.on('close', () => {
      upstream.connections.open--;
      news.emit('change');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: [],
    aborted: 0,
    connections: { open: 0, all: 0 },
    answers: (...answers) => {
      script = answers;
    },
    received: (count) => until(() => upstream.requests.length >= count),
    abortions: (count) => until(() => upstream.aborted >= count),
    hungUp: (left = 0) => until(() => upstream.connections.open <= left),
  };
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { upstream, close };

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(news, 'change');
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return; // the caller left while sending
    const seen: SeenRequest = {
      ...{ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body },
      json: () => JSON.parse(body.toString()) as unknown,
    };
    upstream.requests.push(seen);
    const next = script.length > 1 ? script.shift() : script[0];
    const answer = (typeof next === 'function' ? next(seen) : next) ?? {};
    let isOurs = false;
    response.on('close', () => {
      if (!isOurs && !response.writableFinished) upstream.aborted++;
      news.emit('change');
    });
    news.emit('change');
    if (answer.ending === 'stall-before') return;
    if (answer.ending === 'break-before') {
      isOurs = true;
      response.destroy();
      return;
    }
    await write(response, answer);
    if (answer.ending === 'break') {
      isOurs = true;
      await new Promise((resolve) => setImmediate(resolve)); // what was written is on its way
      response.socket?.destroySoon();
    } else if (answer.ending !== 'stall') {
      response.end();
    }
  }
}

async function write(response: ServerResponse, answer: Answer): Promise<void> {
  const { status = 200, headers = {}, encoding } = answer;
  const coding = encoding === 'gzip-flushed' ? 'gzip' : encoding;
  const common = { ...headers, ...(coding === undefined ? {} : { 'content-encoding': coding }) };
  if (answer.json !== undefined) {
    const plain = Buffer.from(JSON.stringify(answer.json));
    const body = compressed(plain, encoding);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length, ...common });
    await writePieces(response, [body], answer.isByteByByte === true);
    return;
  }
  response.writeHead(status, { 'content-type': 'text/event-stream; charset=utf-8', ...common });
  response.flushHeaders();
  const pieces = answer.pieces ?? [];
  if (encoding === 'gzip-flushed') {
    const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    gzip.on('data', (chunk: Buffer) => response.write(chunk));
    await writePieces(gzip, pieces, false);
    if (answer.ending === undefined || answer.ending === 'end') {
      gzip.end();
      await once(gzip, 'end');
    }
    return;
  }
  if (encoding === undefined) return writePieces(response, pieces, answer.isByteByByte === true);
  const whole = pieces.filter((piece): piece is string | Buffer => !(piece instanceof Promise));
  await writePieces(response, [compressed(Buffer.concat(whole.map((piece) => Buffer.from(piece))), encoding)], false);
}

async function writePieces(to: NodeJS.WritableStream, pieces: readonly Piece[], isByteByByte: boolean): Promise<void> {
  for (const piece of pieces) {
    if (piece instanceof Promise) {
      await piece;
      continue;
    }
    const bytes = Buffer.from(piece);
    const step = isByteByByte ? 1 : Math.max(1, bytes.length);
    for (let at = 0; at < bytes.length; at += step) {
      to.write(bytes.subarray(at, at + step));
      if (isByteByByte) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function compressed(bytes: Buffer, encoding: Answer['encoding']): Buffer {
  switch (encoding) {
    case undefined:
      return bytes;
    case 'deflate':
      return deflateSync(bytes);
    case 'br':
      return brotliCompressSync(bytes);
    case 'gzip':
    case 'gzip-flushed':
      return gzipSync(bytes);
  }
}

const chunkHead = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'upstream-model',
};

/** An event of a chat stream with these fields. */
export const chatEvent = (fields: Record<string, unknown>): string =>
  `data: ${JSON.stringify({ ...chunkHead, ...fields })}\n\n`;

/** The event with a choice's text, or its finish reason. */
export const deltaEvent = (content: string | null, finish: string | null = null, index = 0): string =>
  chatEvent({
    choices: [{ index, delta: content === null ? {} : { content }, logprobs: null, finish_reason: finish }],
  });

export const usageEvent = (prompt = 9, completion = 3): string =>
  chatEvent({ choices: [], usage: chatUsageOf(prompt, completion) });

export const doneEvent = 'data: [DONE]\n\n';

/** A whole stream: role, a chunk for each text, finish, usage, done. */
export function chatStream(texts: readonly string[], { hasUsage = true, isDone = true, finish = 'stop' } = {}): Answer {
  return {
    pieces: [
      chatEvent({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }),
      ...texts.map((text) => deltaEvent(text)),
      deltaEvent(null, finish),
      ...(hasUsage ? [usageEvent(9, texts.length)] : []),
      ...(isDone ? [doneEvent] : []),
    ],
  };
}

/** A whole answer that is not streamed. */
export function chatAnswer(content: string, usage: unknown = chatUsageOf(9, 3)): Answer {
  return {
    json: {
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1_790_000_000, model: 'upstream-model' },
      choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }],
      ...(usage === undefined ? {} : { usage }),
    },
  };
}

/** An error as the OpenAI API has it. */
export const errorAnswer = (status: number, message: string, fields: Record<string, unknown> = {}): Answer => ({
  status,
  json: { error: { message, type: 'invalid_request_error', param: null, code: null, ...fields } },
});

export const errorEvent = (message: string): string =>
  `data: ${JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } })}\n\n`;

export const responsesEvent = (type: string, sequence: number, fields: Record<string, unknown> = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`;

/** A whole responses stream that ends with this event. */
export function responsesStream(
  texts: readonly string[],
  end: 'completed' | 'incomplete' | 'failed' | null = 'completed',
  id = 'resp_upstream1',
): Answer {
  const response = (status: string) => ({ id, object: 'response', status, model: 'upstream-model', output: [] });
  const deltas = texts.map((delta, at) =>
    responsesEvent('response.output_text.delta', at + 1, {
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
  );
  const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 4 }, output_tokens: texts.length };
  const last = { response: { ...response(end ?? ''), usage } };
  return {
    pieces: [
      responsesEvent('response.created', 0, { response: response('in_progress') }),
      ...deltas,
      ...(end === null ? [] : [responsesEvent(`response.${end}`, texts.length + 1, last)]),
    ],
  };
}

function chatUsageOf(prompt: number, completion: number): Record<string, unknown> {
  return {
    ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    prompt_tokens_details: { cached_tokens: 0 },
  };
}

/** An event of a messages stream. */
export const messagesEvent = (type: string, fields: Record<string, unknown> = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** What a messages fixture counts: 9 fresh tokens, 5 read from a cache and 7 + 2 written to one. */
export const messagesUsage = {
  input_tokens: 9,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 9,
  cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 2 },
};

const openMessage = {
  ...{ id: 'msg_upstream1', type: 'message', role: 'assistant', model: 'upstream-claude' },
  ...{ content: [], stop_reason: null, stop_sequence: null },
};

export const messageStartEvent = (usage: unknown = { ...messagesUsage, output_tokens: 1 }): string =>
  messagesEvent('message_start', { message: { ...openMessage, usage } });

export const textDeltaEvent = (text: string): string =>
  messagesEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

/** A whole stream of messages with a block of text; its output is counted twice, and the last count is the one. */
export const messagesStream = (texts: readonly string[]): Answer => ({
  pieces: [
    messageStartEvent(),
    messagesEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    messagesEvent('ping'),
    ...texts.map(textDeltaEvent),
    messagesEvent('content_block_stop', { index: 0 }),
    messagesEvent('message_delta', { delta: { stop_reason: null }, usage: { output_tokens: 2 } }),
    messagesEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: null, cache_read_input_tokens: null, output_tokens: texts.length },
    }),
    messagesEvent('message_stop'),
  ],
});

/** A whole message that is not streamed. */
export const messagesAnswer = (text: string, usage: unknown = { ...messagesUsage, output_tokens: 3 }): Answer => ({
  json: { ...openMessage, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage },
});

/** An error as Anthropic's API has it. */
export const messagesErrorAnswer = (status: number, type: string, message: string): Answer => ({
  status,
  json: { type: 'error', error: { type, message }, request_id: 'req_upstream' },
});
