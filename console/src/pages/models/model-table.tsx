/** The catalogue as a table, in an order of one's own, with models to choose for a comparison. */
import { Button, Checkbox } from 'antd';
import { ModelHealth } from '../../parts/model-health.tsx';
import { ExactMoney } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useRateText } from '../../parts/success-rate.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { inOrder, mainPricesOf } from './main-prices.ts';
import type { Model } from './model-card.tsx';
import { texts } from './texts.ts';
import { comparedMax, comparedMin, type Order, useView } from './view.ts';

export function ModelTable({ models }: { models: readonly Model[] }) {
  const say = useTexts(texts);
  const rateText = useRateText();
  const { order, isDescending, chosen, change } = useView();
  const head = (of: Order, title: string) => (
    <Button
      type="text"
      size="small"
      className="tg-sort"
      aria-pressed={order === of}
      onClick={() => change({ sort: order !== of ? of : isDescending ? undefined : `-${of}` })}
    >
      {title} <span aria-hidden="true">{order !== of ? '↕' : isDescending ? '↓' : '↑'}</span>
    </Button>
  );
  const price = (model: Model, of: 'input' | 'output') => {
    const { per, [of]: amount } = mainPricesOf(model);
    if (amount === null) return '–';
    return (
      <>
        <ExactMoney amount={amount} /> <span className="tg-second">{say(per)}</span>
      </>
    );
  };
  return (
    <section className="tg-panel tg-model-table">
      <div className="tg-model-choice">
        <Button type="primary" disabled={chosen.length < comparedMin} onClick={() => change({ compare: '' })}>
          {chosen.length === 0 ? say('compare') : say('compareCount', { count: chosen.length })}
        </Button>
        <span className="tg-quiet">{say('compareHint')}</span>
      </div>
      <Sheet
        label={say('title')}
        rows={order ? inOrder(models, order, isDescending) : models}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'model',
            title: say('model'),
            cell: ({ id, kind }) => (
              <div className="tg-model-name">
                <Checkbox
                  aria-label={say('choose', { id })}
                  checked={chosen.includes(id)}
                  disabled={chosen.length >= comparedMax && !chosen.includes(id)}
                  onChange={() => change({ chosen: id })}
                />
                <span>
                  <code className="tg-mono">{id}</code>
                  <span className="tg-second">{say(kind)}</span>
                </span>
              </div>
            ),
          },
          {
            key: 'context',
            title: head('context', say('context')),
            isNumber: true,
            isWide: true,
            cell: ({ limits: { context_tokens: tokens } }) => (tokens === null ? '–' : <Count of={tokens} />),
          },
          {
            key: 'maxOutput',
            title: say('maxOutput'),
            isNumber: true,
            isWide: true,
            cell: ({ limits: { max_output_tokens: tokens } }) => (tokens === null ? '–' : <Count of={tokens} />),
          },
          {
            key: 'input',
            title: head('input', say('inputPrice')),
            isNumber: true,
            cell: (model) => price(model, 'input'),
          },
          {
            key: 'output',
            title: head('output', say('outputPrice')),
            isNumber: true,
            cell: (model) => price(model, 'output'),
          },
          {
            key: 'rate',
            title: say('lastDay'),
            isNumber: true,
            isWide: true,
            cell: ({ health }) => rateText(health?.last_day.success_rate ?? null),
          },
          { key: 'state', title: say('state'), isWide: true, cell: (model) => <ModelHealth model={model} /> },
        ]}
      />
    </section>
  );
}
