/** A model's prices in plain words. */
import { Money } from '../../parts/money.tsx';
import { useTexts, type Say } from '../../texts/define-texts.ts';
import type { Model } from './model-card.tsx';
import { texts } from './texts.ts';

type Price = Model['price'];
type Line = readonly [words: string, yuan: number];

export function PriceList({ price }: { price: Price }) {
  const say = useTexts(texts);
  return (
    <dl className="tg-prices" aria-label={say('prices')}>
      {linesOf(price, say).map(([words, yuan]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>
            <Money yuan={yuan} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function linesOf(price: Price, say: Say<(typeof texts)['en']>): Line[] {
  const least = (words: string): Line[] => (price.minimum === null ? [] : [[words, price.minimum]]);
  switch (price.unit) {
    case 'token':
      return [
        [say('input'), price.input_per_million],
        ...(price.cached_input_per_million === null
          ? []
          : [[say('cachedInput'), price.cached_input_per_million] as const]),
        [say('output'), price.output_per_million],
        ...least(say('minimumCall')),
      ];
    case 'image': {
      const qualities = (price.by_quality ?? []).map(({ name, price: yuan }): Line => [
        isQuality(name) ? say(name) : name, // the file knows no others
        yuan,
      ]);
      const sizes = (price.by_size ?? []).map(({ name, price: yuan }): Line => [
        say('ofSize', { size: name.replace('x', ' × ') }),
        yuan,
      ]);
      const own = [...qualities, ...sizes];
      return [
        ...own,
        [say(own.length === 0 ? 'perImage' : qualities.length > 0 ? 'otherImages' : 'otherSizes'), price.per_image],
        ...least(say('minimumTask')),
      ];
    }
    case 'second': {
      const own = (price.by_resolution ?? []).map(({ name, price: yuan }): Line => [
        say('ofResolution', { resolution: name }),
        yuan,
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
