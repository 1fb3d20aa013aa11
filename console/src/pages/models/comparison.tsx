/** Two to four models side by side: what they are, take and cost, and how they do. */
import { Button, Tag } from 'antd';
import type { ReactNode } from 'react';
import { ModelHealth } from '../../parts/model-health.tsx';
import { ExactMoney } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useRateText } from '../../parts/success-rate.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Model } from './model-card.tsx';
import { linesOf } from './price-list.tsx';
import { capabilityTexts, texts } from './texts.ts';
import { comparedMin, useView } from './view.ts';

interface Row {
  name: string;
  of: (model: Model) => ReactNode;
}

export function Comparison({ models }: { models: readonly Model[] }) {
  const say = useTexts(texts);
  const sayCapability = useTexts(capabilityTexts);
  const rateText = useRateText();
  const { change } = useView();
  if (models.length < comparedMin) return null;
  const tokens = (count: number | null) => (count === null ? '–' : <Count of={count} />);
  const prices = new Map(models.map((model) => [model.id, new Map(linesOf(model.price, say))]));
  const priceNames = new Set([...prices.values()].flatMap((lines) => [...lines.keys()]));
  const rows: Row[] = [
    { name: say('type'), of: ({ kind }) => say(kind) },
    { name: say('vendor'), of: ({ owned_by: vendor }) => vendor },
    {
      name: say('capabilities'),
      of: ({ capabilities }) => capabilities.map(({ id }) => <Tag key={id}>{sayCapability(id)}</Tag>),
    },
    { name: say('context'), of: ({ limits }) => tokens(limits.context_tokens) },
    { name: say('maxOutput'), of: ({ limits }) => tokens(limits.max_output_tokens) },
    ...[...priceNames].map((name): Row => ({
      name,
      of: ({ id }) => {
        const amount = prices.get(id)?.get(name);
        return amount === undefined ? '–' : <ExactMoney amount={amount} />;
      },
    })),
    { name: say('state'), of: (model) => <ModelHealth model={model} /> },
    { name: say('lastDay'), of: ({ health }) => rateText(health?.last_day.success_rate ?? null) },
  ];
  return (
    <Panel
      title={say('comparison')}
      aside={
        <Button type="link" size="small" onClick={() => change({ compare: undefined })}>
          {say('close')}
        </Button>
      }
    >
      <Sheet
        label={say('comparison')}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { key: '', title: say('property'), cell: ({ name }) => name },
          ...models.map((model) => ({
            key: model.id,
            title: <code className="tg-mono">{model.id}</code>,
            cell: ({ of }: Row) => of(model),
          })),
        ]}
      />
    </Panel>
  );
}
