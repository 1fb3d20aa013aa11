/** The lines of a call's price: what else than tokens it is charged by, the model's own card, then what each of its other cards says. */
import type { Say } from '../../texts/define-texts.ts';
import type { Model } from './model-card.tsx';
import type { Line } from './price-list.tsx';
import type { texts } from './texts.ts';

type TokenPrice = Extract<Model['price'], { unit: 'token' }>;
type Rates = Omit<NonNullable<TokenPrice['above']>[number], 'input_tokens'>;
type ByLength = NonNullable<TokenPrice['batch']>;
type SayOfModels = Say<(typeof texts)['en']>;

export const tokenLines = (price: TokenPrice, say: SayOfModels): Line[] => [
  ...shown([
    [say('perMillionCharacters'), price.per_million_characters],
    [say('perSecond'), price.per_second],
    [say('perSearch'), price.per_search],
  ]),
  ...byLength(price, say),
  ...(price.service_tiers ?? []).flatMap((card) => named(say('tier', { name: card.name }), byLength(card, say))),
  ...(price.batch ? named(say('batch'), byLength(price.batch, say)) : []),
  ...(price.hours ?? []).flatMap((card) =>
    named(say('hours', { from: card.from, to: card.to, zone: card.time_zone }), byLength(card, say)),
  ),
];

const byLength = (card: ByLength, say: SayOfModels): Line[] => [
  ...ratesOf(card, say),
  ...(card.above ?? []).flatMap((long) =>
    named(say('above', { number: long.input_tokens.toLocaleString('en') }), ratesOf(long, say)),
  ),
];

const named = (card: string, lines: readonly Line[]): Line[] =>
  lines.map(([words, amount]) => [`${card} · ${words}`, amount]);

function ratesOf(rates: Rates, say: SayOfModels): Line[] {
  return shown([
    [say('input'), rates.input_per_million],
    [say('cachedInput'), rates.cached_input_per_million],
    [say('cacheWrite'), rates.cache_write_per_million],
    [say('cacheWrite1h'), rates.cache_write_1h_per_million],
    [say('audioInput'), rates.audio_input_per_million],
    [say('imageInput'), rates.image_input_per_million],
    [say('output'), rates.output_per_million],
    [say('audioOutput'), rates.audio_output_per_million],
    [say('imageOutput'), rates.image_output_per_million],
    ...(rates.per_tool_call ?? []).map(({ name, price }) => [say('perToolCall', { name }), price] as const),
    [say('perCall'), rates.per_call],
    [say('minimumCall'), rates.minimum],
  ]);
}

const shown = (lines: readonly (readonly [words: string, amount: number | null])[]): Line[] =>
  lines.flatMap(([words, amount]) => (amount === null ? [] : [[words, amount] as const]));
