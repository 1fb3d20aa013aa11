/** What a chat or responses request asks for that has a price besides its text: tiers, hosted tools, audio and images. */
import type { RatesByLength, TokenPrice, TokenRates } from '../billing/token-card.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { type UnpricedName, unpricedNames } from '../unpriced-names.ts';
import { hostedToolOf } from './unpriced.ts';

/** What of a request bounds its price besides its length. */
export interface BilledRequest {
  /** The tier that it asks for by its name. */
  tier: string | undefined;
  /** The most calls of each hosted tool that has a price. */
  toolCalls: Readonly<Record<string, number>>;
  /** It is a chat completion that searches the web before it answers. */
  searchesWeb: boolean;
  hasAudioInput: boolean;
  hasAudioOutput: boolean;
  hasImageOutput: boolean;
}

/** The names at the top of a body that are looked at here and in no schema of ours. */
export const billedTopNames = ['modalities', 'max_tool_calls'] as const;

/**
 * How many calls of each hosted tool are held for where the request doesn't bound them: models rarely make more in one
 * answer, and more are charged all the same.
 */
export const toolCallsDefault = 10;

/** Reads a body that was found good. */
export function billedRequestOf(price: TokenPrice, body: unknown): BilledRequest {
  const request = isObject(body) ? body : {};
  const priced = pricedTools(price);
  const {
    service_tier: tier,
    web_search_options: search,
    modalities,
    max_tool_calls: calls,
  } = request as JsonObject & {
    [Name in 'service_tier' | 'web_search_options' | 'modalities' | 'max_tool_calls']?: unknown;
  };
  const each = typeof calls === 'number' && Number.isSafeInteger(calls) && calls >= 0 ? calls : toolCallsDefault;
  const toolCalls: Record<string, number> = {};
  for (const tool of toolsIn(request)) if (priced.has(tool)) toolCalls[tool] = each;
  const searchesWeb = isObject(search) && priced.has('web_search');
  if (searchesWeb) toolCalls['web_search'] = 1;
  return {
    tier: typeof tier === 'string' ? tier : undefined,
    toolCalls,
    searchesWeb,
    hasAudioInput: hasRate(price, 'audioInputPerMillion') && hasAudio(request),
    hasAudioOutput: Array.isArray(modalities) && modalities.includes('audio'),
    hasImageOutput:
      (Array.isArray(modalities) && modalities.includes('image')) || toolCalls['image_generation'] !== undefined,
  };
}

/** Returns what passes of a request: what the model allows, and what its price has a card or an amount for. */
export function passingOf(price: TokenPrice, allow: readonly UnpricedName[], body: unknown): readonly UnpricedName[] {
  const tools = pricedTools(price);
  if (tools.size === 0 && !price.serviceTiers) return allow;
  const tier = isObject(body) ? body['service_tier'] : undefined;
  const hasTier = typeof tier === 'string' && Object.hasOwn(price.serviceTiers ?? {}, tier);
  return [
    ...allow,
    ...unpricedNames.filter((name) => tools.has(name)),
    ...(tools.has('web_search') ? (['web_search_options'] as const) : []),
    ...(hasTier ? (['service_tier'] as const) : []),
  ];
}

/** Returns whether one of the cards of a price has this rate. */
export const hasRate = (price: TokenPrice, rate: keyof TokenRates): boolean => namesIn(price).rates.has(rate);

/** Returns the names of all tools that a price has an amount for. */
export const pricedTools = (price: TokenPrice): ReadonlySet<string> => namesIn(price).tools;

interface PricedNames {
  rates: ReadonlySet<string>;
  tools: ReadonlySet<string>;
}

/** Looked up several times in every call. */
const namesOfPrices = new WeakMap<TokenPrice, PricedNames>();

function namesIn(price: TokenPrice): PricedNames {
  let names = namesOfPrices.get(price);
  if (!names) {
    const cards = cardsIn(price);
    const rates = cards.flatMap((card) =>
      Object.entries(card).flatMap(([name, rate]) => (rate === undefined ? [] : name)),
    );
    const tools = cards.flatMap(({ perToolCall }) => Object.keys(perToolCall ?? {}));
    namesOfPrices.set(price, (names = { rates: new Set(rates), tools: new Set(tools) }));
  }
  return names;
}

/** All cards of a price, as they are written. */
function cardsIn(price: TokenPrice): TokenRates[] {
  const { serviceTiers = {}, batch, hours = [] } = price;
  const whole: RatesByLength[] = [price, ...Object.values(serviceTiers), ...(batch ? [batch] : []), ...hours];
  return whole.flatMap((card) => [card, ...(card.above ?? [])]);
}

function* toolsIn({ tools }: JsonObject): Iterable<UnpricedName> {
  for (const tool of Array.isArray(tools) ? (tools as readonly unknown[]) : []) {
    const name = isObject(tool) ? hostedToolOf(tool['type']) : undefined;
    if (name !== undefined) yield name;
  }
}

/** Whether a message has audio, or an answer that was spoken is sent back. */
function hasAudio({ messages, input }: JsonObject): boolean {
  const said = [messages, input].flatMap((list) => (Array.isArray(list) ? (list as readonly unknown[]) : []));
  return said.some((one) => {
    if (!isObject(one)) return false;
    if (isObject(one['audio'])) return true;
    const { content } = one as { content?: unknown };
    return Array.isArray(content) && (content as readonly unknown[]).some(isAudioPart);
  });
}

const isAudioPart = (part: unknown): boolean => isObject(part) && part['type'] === 'input_audio';
