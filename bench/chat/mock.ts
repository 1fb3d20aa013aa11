/**
 * The upstream, in a process of its own and as cheap as can be: answers a call at once, or streams. The prompt says
 * how, so that no gateway needs to know of it: `chunks=50 delay=20` is a chunk every 20 ms, `leave=done` (or `usage`,
 * `chunk`, `end`) is a stream that lacks something.
 */
import { createServer, type ServerResponse } from 'node:http';
import { TimerWheel } from './timer-wheel.ts';
import {
  embeddingsAnswer,
  forms,
  type Frames,
  framesOf,
  jsonAnswer,
  lastFrame,
  messagesAnswer,
  stamp,
} from './wire.ts';

const wholeAnswers = {
  chat: wholeAnswer(jsonAnswer),
  messages: wholeAnswer(messagesAnswer),
  embeddings: wholeAnswer(embeddingsAnswer),
};
const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Transfer-Encoding': 'chunked' };
const modelsBytes = Buffer.from('{"object":"list","data":[{"id":"mock","object":"model","created":1767225600}]}');
const wheel = new TimerWheel();

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString('latin1');
    const form = request.url === forms.messages.path ? 'messages' : 'chat';
    const answer = wholeAnswers[request.url === forms.embeddings.path ? 'embeddings' : form];
    if (request.method !== 'POST') response.end(modelsBytes);
    else if (/"stream": ?true/.test(body)) stream(form, body, response);
    else response.writeHead(200, answer.headers).end(answer.bytes);
  });
});
server.keepAliveTimeout = 120_000;
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
process.once('disconnect', () => process.exit());

function wholeAnswer(text: string) {
  const bytes = Buffer.from(text);
  return { bytes, headers: { 'Content-Type': 'application/json', 'Content-Length': bytes.length } };
}

function stream(form: keyof typeof framesOf, body: string, response: ServerResponse): void {
  const frames = framesOf[form];
  const missing = /leave=(\w+)/.exec(body)?.[1];
  const chunks = numberAfter('chunks=', body) - (missing === 'chunk' ? 1 : 0);
  const delayMs = numberAfter('delay=', body);
  const tail =
    frames.finish +
    (missing !== 'usage' && (form === 'messages' || /"include_usage": ?true/.test(body)) ? frames.usage : '') +
    (missing === 'done' ? '' : frames.done) +
    lastFrame;
  response.writeHead(200, streamHeaders);
  response.chunkedEncoding = false; // the frames are made by hand, so that many go out in one write
  const end = (text: string) => {
    if (missing === 'end') response.write(text, 'latin1', () => response.destroy());
    else response.end(text + tail, 'latin1');
  };
  if (delayMs === 0) end(frames.begin + frames.content(stamp()).repeat(chunks));
  else pace(response, frames, { chunks, delayMs, end });
}

interface Pace {
  chunks: number;
  delayMs: number;
  end: (text: string) => void;
}

function pace(response: ServerResponse, frames: Frames, { chunks, delayMs, end }: Pace): void {
  const begun = performance.now();
  let sent = 0;
  const next = () => {
    if (response.destroyed) return;
    const text = (sent === 0 ? frames.begin : '') + frames.content(stamp());
    if (++sent === chunks) {
      end(text);
    } else {
      response.write(text, 'latin1');
      wheel.at(begun + sent * delayMs, next);
    }
  };
  next();
}

function numberAfter(name: string, text: string): number {
  const start = text.indexOf(name);
  return start === -1 ? 0 : Number.parseInt(text.slice(start + name.length, start + name.length + 8), 10) || 0;
}
