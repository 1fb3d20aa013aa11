/** What a messages request asks for that has a price besides its text: tiers and hosted tools. */
import type { TokenPrice } from '../billing/token-card.ts';
import { isObject } from '../json/json-object.ts';
import { type BilledRequest, pricedTools, toolCallsDefault } from './billed-request.ts';
import { messagesToolOf } from './unpriced-messages.ts';

/** Reads a body that was found good. */
export function billedMessagesOf(price: TokenPrice, body: unknown): BilledRequest {
  const { service_tier: tier, tools } = (isObject(body) ? body : {}) as { service_tier?: unknown; tools?: unknown };
  const priced = pricedTools(price);
  const toolCalls: Record<string, number> = {};
  for (const tool of Array.isArray(tools) ? (tools as readonly unknown[]) : []) {
    if (!isObject(tool)) continue;
    const name = messagesToolOf(tool['type']);
    if (name === undefined || !priced.has(name)) continue;
    const { max_uses: uses } = tool as { max_uses?: unknown };
    toolCalls[name] = typeof uses === 'number' && Number.isSafeInteger(uses) && uses >= 0 ? uses : toolCallsDefault;
  }
  return {
    tier: typeof tier === 'string' ? tier : undefined,
    toolCalls,
    searchesWeb: false,
    hasAudioInput: false,
    hasAudioOutput: false,
    hasImageOutput: false,
  };
}
