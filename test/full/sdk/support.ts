/** What the tests of the SDKs share: the gateway with its simulator, its two roots, keys that are refused, and an image. */
import * as z from 'zod';
import { parseAmount } from '../../../src/domain/money.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';

export const roots = ['/v1', '/ai/v1'] as const;

/** A red pixel. */
export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

export const weatherParameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false,
};

/** Keys that are refused with 402, with 429, and with 429 for money, which no second try helps. */
export interface RefusedKeys {
  poor: string;
  limited: string;
  spent: string;
}

export async function startSdkGateway(): Promise<{ gateway: TestGateway; refused: RefusedKeys }> {
  const gateway = await startTestGateway();
  const [poor, limited, spent] = await Promise.all([
    gateway.newKey({ balance: '0' }),
    gateway.newKey({ callLimits: [{ calls: 1, per: 'total' }] }),
    gateway.newKey({ spendLimit: { amount: parseAmount('0.000001') ?? fail(), per: 'total' } }),
  ]);
  await gateway.post('/v1/chat/completions', hello, { Authorization: `Bearer ${limited.key}` });
  return { gateway, refused: { poor: poor.key, limited: limited.key, spent: spent.key } };
}

export const hello = { model: 'sim-chat', messages: [{ role: 'user' as const, content: 'Hello' }] };

/** A `fetch` that counts, to see what an SDK sends again. */
export function countingFetch(): { fetch: typeof fetch; calls: () => number } {
  let calls = 0;
  return {
    fetch: (input, init) => {
      calls++;
      return fetch(input, init);
    },
    calls: () => calls,
  };
}

const usage = z.object({ usage_metadata: z.object({ output_tokens: z.number() }).optional() });

/** Of a message of LangChain, whose type says less than it holds. */
export function outputTokensOf(message: unknown): number {
  return usage.parse(message).usage_metadata?.output_tokens ?? 0;
}

function fail(): never {
  throw new TypeError('not an amount');
}
