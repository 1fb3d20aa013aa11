/** The adapter against a stand-in upstream, and what a call of it reported. */
import type { ProviderSettings } from '../../../src/domain/catalogue.ts';
import type { ChatCall, ChatExchange, ChatHead, ChatProvider } from '../../../src/providers/chat-contract.ts';
import type { ChatUnreachable } from '../../../src/domain/chat/unreachable.ts';
import { createOpenAiChat } from '../../../src/providers/openai/chat.ts';
import { withUpstream, type Upstream } from '../../support/upstream.ts';

export const settingsOf = (baseUrl: string, more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  ...{ name: 'up', kind: 'openai', baseUrl, secrets: { api_key: 'sk-operator-1' }, numbers: {}, headers: {} },
  ...{ timeoutMs: 5_000, idleTimeoutMs: 5_000, deadlineMs: 60_000 },
  ...more,
});

export const callOf = (body: unknown = { model: 'm' }, more: Partial<ChatCall> = {}): ChatCall => ({
  ...{ method: 'POST', path: 'chat/completions', body: [Buffer.from(JSON.stringify(body))] },
  ...{ stream: false, requestId: 'req-1' },
  ...more,
});

export async function withProvider(
  use: (provider: ChatProvider, upstream: Upstream) => Promise<void>,
  settings: Partial<ProviderSettings> = {},
): Promise<void> {
  await withUpstream(async (upstream) => {
    const provider = createOpenAiChat(settingsOf(upstream.url, settings));
    try {
      await use(provider, upstream);
    } finally {
      await provider.close?.();
    }
  });
}

export interface Received {
  /** How many heads came: one at most. */
  heads: number;
  head: ChatHead | undefined;
  chunks: Buffer[];
  text: string;
  failure: ChatUnreachable | undefined;
}

/** Listens to a call until it is over; `onChunk` may act on it meanwhile. */
export function listen(
  provider: ChatProvider,
  call: ChatCall,
  onChunk: (exchange: ChatExchange, chunk: Buffer) => void = () => undefined,
): Promise<Received> {
  return new Promise((resolve) => {
    const received: Received = { heads: 0, head: undefined, chunks: [], text: '', failure: undefined };
    const finish = () => {
      received.text = Buffer.concat(received.chunks).toString();
      resolve(received);
    };
    const exchange = provider.start(call, {
      onHead: (head) => {
        received.heads++;
        received.head = head;
      },
      onData: (chunk) => {
        received.chunks.push(chunk);
        onChunk(exchange, chunk);
      },
      onEnd: finish,
      onFailure: (failure) => {
        received.failure = failure;
        finish();
      },
    });
  });
}
