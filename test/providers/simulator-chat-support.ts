/** A simulator's chat, and a `fetch` of it for the vendors' SDKs: what they get came over no network. */
import type { ChatProvider } from '../../src/providers/chat-contract.ts';
import { createSimulatorChat } from '../../src/simulator/chat.ts';

export const simulator = (
  knobs: Record<string, number> = {},
  { timeoutMs = 60_000, now = () => Date.now() } = {},
): ChatProvider =>
  createSimulatorChat(
    {
      ...{ name: 'local', kind: 'simulator', secrets: {}, headers: {} },
      ...{ timeoutMs, idleTimeoutMs: 60_000, deadlineMs: 60_000 },
      numbers: { latency_ms: 0, fail_rate: 0, seed: 1, ...knobs },
    },
    now,
  );

/** Answers as an upstream at `…/v1/` would; an answer that breaks off errs. */
export function fetchFrom(provider: ChatProvider): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    return new Promise((resolve, reject) => {
      let pieces: ReadableStreamDefaultController<Uint8Array> | undefined;
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (pieces = controller),
        cancel: () => exchange.abort(),
      });
      const call = { path: url.pathname.replace(/^\/v1\//, '') + url.search, body: [body], requestId: 'req-1' };
      const exchange = provider.start(
        { ...call, method: 'POST', stream: false },
        {
          onHead: ({ status, contentType }) =>
            resolve(new Response(stream, { status, headers: { 'content-type': contentType } })),
          onData: (chunk) => pieces?.enqueue(chunk),
          onEnd: () => pieces?.close(),
          onFailure: (failure) => {
            reject(failure);
            pieces?.error(failure);
          },
        },
      );
    });
  };
}
