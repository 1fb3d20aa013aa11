/**
 * The upstream, in a process of its own and as cheap as can be: answers a chat call at once, or streams. The prompt says
 * how, so that no gateway needs to know of it: `chunks=50 delay=20` is a chunk every 20 ms, `leave=done` (or `usage`,
 * `chunk`, `end`) is a stream that lacks something.
 */
import { createServer, type ServerResponse } from 'node:http';
import { TimerWheel } from './timer-wheel.ts';
import { frames, jsonAnswer, stamp } from './wire.ts';

const jsonBytes = Buffer.from(jsonAnswer);
const jsonHeaders = { 'Content-Type': 'application/json', 'Content-Length': jsonBytes.length };
const streamHeaders = { 'Content-Type': 'text/event-stream; charset=utf-8', 'Transfer-Encoding': 'chunked' };
const modelsBytes = Buffer.from('{"object":"list","data":[{"id":"mock","object":"model","created":1767225600}]}');
const wheel = new TimerWheel();

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString('latin1');
    if (request.method !== 'POST') response.end(modelsBytes);
    else if (/"stream": ?true/.test(body)) stream(body, response);
    else response.writeHead(200, jsonHeaders).end(jsonBytes);
  });
});
server.keepAliveTimeout = 120_000;
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
process.once('disconnect', () => process.exit());

function stream(body: string, response: ServerResponse): void {
  const missing = /leave=(\w+)/.exec(body)?.[1];
  const chunks = numberAfter('chunks=', body) - (missing === 'chunk' ? 1 : 0);
  const delayMs = numberAfter('delay=', body);
  const tail =
    frames.finish +
    (missing !== 'usage' && /"include_usage": ?true/.test(body) ? frames.usage : '') +
    (missing === 'done' ? '' : frames.done) +
    frames.end;
  response.writeHead(200, streamHeaders);
  response.chunkedEncoding = false; // the frames are made by hand, so that many go out in one write
  const end = (text: string) => {
    if (missing === 'end') response.write(text, 'latin1', () => response.destroy());
    else response.end(text + tail, 'latin1');
  };
  if (delayMs === 0) end(frames.role + frames.content(stamp()).repeat(chunks));
  else pace(response, { chunks, delayMs, end });
}

interface Pace {
  chunks: number;
  delayMs: number;
  end: (text: string) => void;
}

function pace(response: ServerResponse, { chunks, delayMs, end }: Pace): void {
  const begun = performance.now();
  let sent = 0;
  const next = () => {
    if (response.destroyed) return;
    const text = (sent === 0 ? frames.role : '') + frames.content(stamp());
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
