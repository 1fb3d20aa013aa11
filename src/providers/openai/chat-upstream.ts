/**
 * One base URL of an upstream of language models: the caller's bytes out, the upstream's bytes back, over a pool of
 * connections of its own. Nothing is sent twice and no redirect is followed.
 */
import { Readable } from 'node:stream';
import type { ProviderSettings } from '../../domain/catalogue.ts';
import { ChatUnreachable } from '../../domain/chat/unreachable.ts';
import type { ChatCall, ChatExchange, ChatListener, ChatProvider } from '../chat-contract.ts';
import type { ProbeAnswer } from '../../domain/probes.ts';
import { openConnections } from './connections.ts';
import { formBodyOf } from './form-body.ts';
import { UpstreamCall } from './upstream-call.ts';

/** As many as calls may wait for admission; a stream has a connection to itself. Beyond it a call fails at once. */
const connectionsMax = 4096;
const connectTimeoutMs = 10_000;
/** Shorter than what load balancers keep (60 s): a connection that closes as a call is sent loses the call. */
const keepAliveMs = 30_000;
const headerBytesMax = 32 * 1024;
/** Below it, pieces are joined: one write costs less than several. */
const joinedBytesMax = 64 * 1024;

interface UpstreamOptions extends Pick<ProviderSettings, 'timeoutMs' | 'idleTimeoutMs'> {
  /** Of probes alone: calls bring theirs. */
  probeHeaders?: readonly string[];
}

export type ChatUpstream = Required<Pick<ChatProvider, 'start' | 'probe' | 'close'>>;

/** Opens no connection yet. `headers` are those of every call, names and values in turn. */
export function openUpstream(
  baseUrl: string,
  headers: readonly string[],
  { timeoutMs, idleTimeoutMs, probeHeaders = [] }: UpstreamOptions,
): ChatUpstream {
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/+$/, '');
  const connections = openConnections(base.origin, connectionsMax, {
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
    headersTimeout: timeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect: { timeout: connectTimeoutMs },
  });

  return { start, probe, close: () => connections.close() };

  function start(call: ChatCall, listener: ChatListener): ChatExchange {
    const client = connections.take();
    if (client === undefined) return refused(listener);
    const exchange = new UpstreamCall(listener, (isWhole) => {
      if (isWhole) connections.giveBack(client);
      else connections.discard(client);
    });
    const form = call.form && formBodyOf(call.form);
    const bytes = form?.bytes ?? call.body.reduce((sum, piece) => sum + piece.length, 0);
    client.dispatch(
      {
        path: `${basePath}/${call.path}`,
        method: call.method,
        headers: headersOf(call, bytes, form?.contentType),
        body: form?.body ?? bodyOf(call.body, bytes),
      },
      exchange,
    );
    return exchange;
  }

  function headersOf(call: ChatCall, bytes: number, contentType = 'application/json'): string[] {
    // OpenAI logs the second one, servers of one's own the first.
    const own = [...headers, 'x-request-id', call.requestId, 'x-client-request-id', call.requestId];
    if (call.headers) own.push(...call.headers);
    if (call.method === 'POST') own.push('content-type', contentType, 'content-length', String(bytes));
    return own;
  }

  /** The list of models is free, and needs the key. An upstream without one answers 404, which says nothing. */
  function probe(signal: AbortSignal): Promise<ProbeAnswer> {
    return new Promise((resolve, reject) => {
      const exchange = start(
        { ...modelList, headers: probeHeaders },
        {
          onHead: ({ status }) => {
            exchange.abort();
            if (status >= 500) reject(new Error(`the upstream answered ${status}`));
            else resolve({ status });
          },
          onData: ignore,
          onEnd: ignore,
          onFailure: reject,
        },
      );
      signal.addEventListener('abort', () => {
        exchange.abort();
        reject(new Error('the upstream did not answer in time'));
      });
    });
  }
}

const modelList: ChatCall = { method: 'GET', path: 'models', body: [], stream: false, requestId: 'probe' };

/** undici writes one buffer together with the head. */
function bodyOf(pieces: readonly Buffer[], bytes: number): Buffer | Readable | null {
  if (pieces.length === 0) return null;
  if (pieces.length === 1) return pieces[0] ?? null;
  return bytes < joinedBytesMax ? Buffer.concat(pieces, bytes) : Readable.from(pieces, { objectMode: false });
}

function refused(listener: ChatListener): ChatExchange {
  const full = new ChatUnreachable('connect', `more than ${connectionsMax} calls are open to this upstream`);
  let isAborted = false;
  queueMicrotask(() => {
    if (!isAborted) listener.onFailure(full);
  });
  const abort = () => {
    isAborted = true;
  };
  return { pause: ignore, resume: ignore, abort };
}

const ignore = (): void => undefined;
