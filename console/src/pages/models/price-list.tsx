/** A model's prices in plain words. */
import { ExactMoney } from '../../parts/money.tsx';
import { useTexts, type Say } from '../../texts/define-texts.ts';
import type { Model } from './model-card.tsx';
import { tokenLines } from './token-lines.ts';
import { texts } from './texts.ts';

type Price = Model['price'];
export type Line = readonly [words: string, amount: number];

export function PriceList({ price }: { price: Price }) {
  const say = useTexts(texts);
  return (
    <dl className="tg-prices" aria-label={say('prices')}>
      {linesOf(price, say).map(([words, amount]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>
            <ExactMoney amount={amount} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Each price with its words, in the order in which they are shown. */
export function linesOf(price: Price, say: Say<(typeof texts)['en']>): Line[] {
  const least = (words: string): Line[] => (price.minimum === null ? [] : [[words, price.minimum]]);
  switch (price.unit) {
    case 'token':
      return tokenLines(price, say);
    case 'image': {
      const qualities = (price.by_quality ?? []).map(({ name, price: amount }): Line => [
        isQuality(name) ? say(name) : name, // the file knows no others
        amount,
      ]);
      const sizes = (price.by_size ?? []).map(({ name, price: amount }): Line => [
        say('ofSize', { size: name.replace('x', ' × ') }),
        amount,
      ]);
      const own = [...qualities, ...sizes];
      return [
        ...own,
        [say(own.length === 0 ? 'perImage' : qualities.length > 0 ? 'otherImages' : 'otherSizes'), price.per_image],
        ...least(say('minimumTask')),
      ];
    }
    case 'second': {
      const own = (price.by_resolution ?? []).map(({ name, price: amount }): Line => [
        say('ofResolution', { resolution: name }),
        amount,
      ]);
      return [
        ...own,
        [say(own.length > 0 ? 'otherSeconds' : 'perSecond'), price.per_second],
        ...least(say('minimumTask')),
      ];
    }
  }
}

const isQuality = (name: string): name is 'low' | 'medium' | 'high' => ['low', 'medium', 'high'].includes(name);
