/** What a table shows of a model's price: the two amounts that most of a bill is made of, and what they are for. */
import type { Model } from './model-card.tsx';
import type { Order } from './view.ts';

export interface MainPrices {
  per: 'million' | 'eachImage' | 'eachSecond';
  input: number | null;
  output: number | null;
}

export function mainPricesOf({ price }: Pick<Model, 'price'>): MainPrices {
  switch (price.unit) {
    case 'image':
      return { per: 'eachImage', input: null, output: price.per_image };
    case 'second':
      return { per: 'eachSecond', input: null, output: price.per_second };
    case 'token':
      return { per: 'million', input: price.input_per_million, output: price.output_per_million };
  }
}

const perOrder: readonly MainPrices['per'][] = ['million', 'eachImage', 'eachSecond'];

/** Returns the models in an order. Prices for different things don't compare, so they stay apart; what is unknown comes last. */
export function inOrder<Of extends Pick<Model, 'price' | 'limits'>>(
  models: readonly Of[],
  order: Order,
  isDescending: boolean,
): Of[] {
  const valueOf = (model: Of) => (order === 'context' ? model.limits.context_tokens : mainPricesOf(model)[order]);
  const perOf = (model: Of) => (order === 'context' ? 0 : perOrder.indexOf(mainPricesOf(model).per));
  return models.toSorted((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (perOf(one) !== perOf(other)) return perOf(one) - perOf(other);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return isDescending ? b - a : a - b;
  });
}
