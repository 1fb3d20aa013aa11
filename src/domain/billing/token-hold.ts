/** The most that a call can cost, which is held before anything is delivered: every token at the dearest that it can be. */
import { greater, type Money, ofOne, zero } from '../money.ts';
import { cardsUpTo, dearestOf, type TokenCard, type TokenPrice, tiersOf } from './token-card.ts';
import { type MeasuredCounts, nothingMeasured } from './token-counts.ts';
import { inputUnits, outputUnits } from './line-units.ts';
import { basisUnits, type PricedLines, pricedLines, type UnitsAt } from './token-lines.ts';

/** What is known of a call when it is admitted. */
export interface CallBounds {
  /** The most of the whole prompt, and of the whole output. */
  input: number;
  output: number;
  /** The tiers that the call may be served in; undefined for the model's own card. */
  tiers: readonly (string | undefined)[];
  at: Date;
  /** Kinds of token that the prompt and the output may have besides text. */
  hasAudioInput: boolean;
  hasImageInput: boolean;
  /** Whether it may ask for a cache that keeps its prompt for an hour. */
  hasCacheWrite1h: boolean;
  hasAudioOutput: boolean;
  hasImageOutput: boolean;
  /** The most of what is counted besides tokens. */
  measured: MeasuredCounts;
  /** The most calls of each hosted tool, by its name. */
  toolCalls: Readonly<Record<string, number>>;
}

/** The tiers of a request by what it asks for. Asking for none leaves it to the provider's settings, so any may come. */
export const tiersFor = (price: TokenPrice, asked: string | undefined): readonly (string | undefined)[] =>
  asked === undefined || asked === 'auto' ? [undefined, ...Object.keys(price.serviceTiers ?? {})] : [undefined, asked];

/**
 * Returns the lines of a call's hold: its prompt at the dearest kind of input on the dearest card that it can reach, its
 * output likewise. Rates that the answer could only have if it doesn't keep to the request, such as those of a tier that
 * was not asked for, follow as lines of no units: they are agreed, so that the audit knows them, and nothing is held for
 * them.
 */
export function holdOfCall(price: TokenPrice, bounds: CallBounds): PricedLines {
  const { card, input, output, besides, minimum } = heldRates(price, bounds);
  const held = basisUnits(card, bounds.measured);
  if (input) held.push({ unit: input.unit, units: bounds.input, pricePerMillion: input.rate });
  if (output) held.push({ unit: output.unit, units: bounds.output, pricePerMillion: output.rate });
  held.push(...besides);
  return pricedLines(held, minimum);
}

/** What a hold is worked out by, but for the lengths of prompt and output. */
interface HeldRates {
  /** Of whose basis there is a line, where that is none of tokens. */
  card: TokenCard;
  input: Rate | undefined;
  output: Rate | undefined;
  /** What the call costs besides, and what is only agreed. */
  besides: readonly UnitsAt[];
  minimum: Money;
}

/** Of prices with one card at every hour and length, for calls without tools, by what the call may have. */
const keptRates = new WeakMap<TokenPrice, Map<string, HeldRates>>();

function heldRates(price: TokenPrice, bounds: CallBounds): HeldRates {
  if (hasSeveralCards(price) || Object.keys(bounds.toolCalls).length > 0) return ratesFor(price, bounds);
  let ofPrice = keptRates.get(price);
  if (!ofPrice) keptRates.set(price, (ofPrice = new Map<string, HeldRates>()));
  const may = `${bounds.hasAudioInput} ${bounds.hasImageInput} ${bounds.hasCacheWrite1h} ${bounds.hasAudioOutput} ${bounds.hasImageOutput}`;
  let rates = ofPrice.get(may);
  if (!rates) ofPrice.set(may, (rates = ratesFor(price, bounds)));
  return rates;
}

const hasSeveralCards = ({ hours, above, serviceTiers, batch }: TokenPrice): boolean =>
  (hours ?? above ?? serviceTiers ?? batch) !== undefined;

function ratesFor(price: TokenPrice, bounds: CallBounds): HeldRates {
  const { at, tiers } = bounds;
  const card = dearestOf(cardsUpTo(price, { inputTokens: bounds.input, tiers, at }));
  const input = card.basis.includes('input_token') ? dearest(inputRates(card, bounds)) : undefined;
  const output = card.basis.includes('output_token') ? dearest(outputRates(card, bounds)) : undefined;
  const ofCall = heldBesides(card, bounds);
  const all = dearestOf(cardsUpTo(price, { inputTokens: Infinity, tiers: [undefined, ...tiersOf(price)], at }));
  const ofTokens = [input, output].filter((rate) => rate !== undefined).map(asLine);
  const agreed = dearerRates(all, [...basisUnits(card, nothingMeasured), ...ofTokens, ...ofCall]);
  return { card, input, output, besides: [...ofCall, ...agreed], minimum: card.minimum };
}

const asLine = ({ unit, rate }: Rate): UnitsAt => ({ unit, units: 0, pricePerMillion: rate });

interface Rate {
  unit: UnitsAt['unit'];
  rate: Money;
}

const inputRates = (card: TokenCard, bounds: CallBounds): Rate[] =>
  allInputRates(card).filter(({ unit }) => {
    if (unit === 'audio_input_token') return bounds.hasAudioInput;
    if (unit === 'image_input_token') return bounds.hasImageInput;
    return unit !== 'cache_write_1h_token' || bounds.hasCacheWrite1h;
  });
const outputRates = (card: TokenCard, bounds: CallBounds): Rate[] =>
  allOutputRates(card).filter(({ unit }) => {
    if (unit === 'audio_output_token') return bounds.hasAudioOutput;
    return unit !== 'image_output_token' || bounds.hasImageOutput;
  });

const allInputRates = (card: TokenCard): Rate[] => [
  { unit: 'input_token', rate: card.input },
  { unit: 'cached_input_token', rate: card.cachedInput },
  { unit: 'cache_write_token', rate: card.cacheWrite },
  { unit: 'cache_write_1h_token', rate: card.cacheWrite1h },
  { unit: 'audio_input_token', rate: card.audioInput },
  { unit: 'image_input_token', rate: card.imageInput },
];
const allOutputRates = (card: TokenCard): Rate[] => [
  { unit: 'output_token', rate: card.output },
  { unit: 'audio_output_token', rate: card.audioOutput },
  { unit: 'image_output_token', rate: card.imageOutput },
];

/** The first of the dearest. */
function dearest(rates: readonly Rate[]): Rate {
  const most = rates.reduce((high, { rate }) => greater(high, rate), zero);
  return rates.find(({ rate }) => rate === most) ?? { unit: 'input_token', rate: most };
}

function heldBesides({ basis, perCall, perToolCall }: TokenCard, { toolCalls }: CallBounds): UnitsAt[] {
  const tools = Object.entries(toolCalls).flatMap(([name, units]): UnitsAt[] => {
    const price = Object.hasOwn(perToolCall, name) ? perToolCall[name] : undefined;
    return price === undefined ? [] : [{ unit: 'tool_call', name, units, pricePerMillion: ofOne(price) }];
  });
  return perCall > 0n && !basis.includes('call')
    ? [...tools, { unit: 'call', units: 1, pricePerMillion: ofOne(perCall) }]
    : tools;
}

/** Those of a card's rates that are dearer than what the lines of a hold say already, as lines without units. */
function dearerRates(card: TokenCard, held: readonly UnitsAt[]): UnitsAt[] {
  const ofTools = Object.entries(card.perToolCall).map(([name, price]) => ({
    unit: 'tool_call' as const,
    name,
    rate: ofOne(price),
  }));
  const rates: (Rate & { name?: string })[] = [
    ...allInputRates(card),
    ...allOutputRates(card),
    { unit: 'character', rate: card.characters },
    { unit: 'second', rate: card.seconds },
    { unit: 'search', rate: card.searches },
    ...ofTools,
    { unit: 'call', rate: ofOne(card.perCall) },
  ];
  const lines: UnitsAt[] = [];
  for (const { rate, ...of } of rates)
    if (rate > agreedRate([...held, ...lines], of)) lines.push({ ...of, units: 0, pricePerMillion: rate });
  return lines;
}

const sides: readonly (readonly string[])[] = [inputUnits, outputUnits];

/**
 * Returns the most that one unit may cost of a million, by the lines of a hold: what they say of this very unit, else the
 * dearest of its side of the call, where a token may be of any kind; zero where nothing was agreed.
 */
export function agreedRate(
  held: readonly { unit: string; name?: string | undefined; pricePerMillion: bigint }[],
  { unit, name }: { unit: string; name?: string | undefined },
): bigint {
  const same = held.filter((line) => line.unit === unit && line.name === name);
  const side = sides.find((units) => units.includes(unit));
  const lines = same.length > 0 || !side ? same : held.filter((line) => side.includes(line.unit));
  return lines.reduce((most, { pricePerMillion }) => (pricePerMillion > most ? pricePerMillion : most), 0n);
}
