/** The columns of the table of models. */
import { MaintenanceNote } from '../../parts/maintenance-note.tsx';
import { ModelHealth } from '../../parts/model-health.tsx';
import { ExactMoney } from '../../parts/money.tsx';
import type { Column } from '../../parts/operator/rows.tsx';
import { useRateText } from '../../parts/success-rate.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { linesOf } from '../models/price-list.tsx';
import { texts as modelTexts } from '../models/texts.ts';
import { type OperatorModel, SetBy, Switches } from './switches.tsx';
import { texts } from './texts.ts';

export function useModelColumns(onSwitched: () => Promise<unknown>): Column<OperatorModel>[] {
  const say = useTexts(texts);
  const rateText = useRateText();
  return [
    { key: 'model', title: say('model'), render: (model) => <Name of={model} /> },
    { key: 'state', title: say('state'), isPlain: true, render: (model) => <State of={model} /> },
    {
      key: 'hour',
      title: say('lastHour'),
      isNumber: true,
      render: ({ health }) => rateText(health?.last_hour.success_rate ?? null),
    },
    {
      key: 'day',
      title: say('lastDay'),
      isNumber: true,
      render: ({ health }) => rateText(health?.last_day.success_rate ?? null),
    },
    { key: 'routes', title: say('routes'), isPlain: true, render: (model) => <Routes of={model} /> },
    {
      key: 'switches',
      title: say('switches'),
      isPlain: true,
      render: (model) => <Switches model={model} onSwitched={onSwitched} />,
    },
  ];
}

function Name({ of: model }: { of: OperatorModel }) {
  const sayKind = useTexts(modelTexts);
  return (
    <>
      <strong className="tg-operator-model">{model.id}</strong>
      <div className="tg-rows-hint">{sayKind(model.kind)}</div>
      <Prices of={model} />
    </>
  );
}

function State({ of: model }: { of: OperatorModel }) {
  const say = useTexts(texts);
  const { switch: set } = model;
  const hasEnded = set?.maintenance === true && !model.maintenance;
  return (
    <>
      <ModelHealth model={model} />
      <MaintenanceNote of={model} />
      {hasEnded && <div className="tg-rows-hint">{say('ended')}</div>}
      <div className="tg-rows-hint">{set ? <SetBy set={set} /> : say('fromFile')}</div>
    </>
  );
}

/** Folded away: with them a row would be as high as three. */
function Prices({ of: { price } }: { of: OperatorModel }) {
  const say = useTexts(texts);
  return (
    <details className="tg-operator-prices">
      <summary>{say('price')}</summary>
      {linesOf(price, useTexts(modelTexts)).map(([words, amount]) => (
        <div key={words}>
          <ExactMoney amount={amount} /> <span className="tg-rows-hint">{words}</span>
        </div>
      ))}
    </details>
  );
}

function Routes({ of: { id, routes } }: { of: OperatorModel }) {
  const say = useTexts(texts);
  return (
    <ol className="tg-operator-routes" aria-label={say('routesOf', { id })}>
      {routes.map(({ provider, model }) => (
        <li key={`${provider} ${model}`}>
          {provider} <code>{model}</code>
        </li>
      ))}
    </ol>
  );
}
