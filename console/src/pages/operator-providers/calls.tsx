/** A provider's calls, such as chat: how they went, how long they took, and the same by the model that was asked for. */
import { Link } from 'react-router';
import { Fact } from '../../parts/fact.tsx';
import { Measured } from '../../parts/measured.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { countOf, rateText, SuccessRate } from '../../parts/success-rate.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Provider } from './provider-card.tsx';
import { texts } from './texts.ts';

type Route = Provider['models'][number];

export function Calls({ provider: { name, calls, models } }: { provider: Provider }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const hasCalls = countOf(calls.last_day) > 0;
  if (!hasCalls && models.every((model) => model.calls === null)) return null;
  const asked = models.flatMap((model) =>
    model.calls && countOf(model.calls.last_day) > 0 ? [{ ...model, calls: model.calls }] : [],
  );
  const requests = (model: Route) =>
    `/operator/requests?${new URLSearchParams({ provider: name, model: model.id, last: '24h' }).toString()}`;
  return (
    <section>
      <h3>{say('calls')}</h3>
      <SuccessRate lastHour={calls.last_hour} lastDay={calls.last_day} />
      {hasCalls && (
        <dl className="tg-provider-latency">
          <Fact name={say('median')}>
            <Measured unit="milliseconds" of={calls.median_ms} />
          </Fact>
          <Fact name={say('p95')}>
            <Measured unit="milliseconds" of={calls.p95_ms} />
          </Fact>
        </dl>
      )}
      {asked.length > 0 && (
        <Sheet
          label={say('callsByModel', { name })}
          rows={asked}
          keyOf={({ id, position }) => `${id} ${position}`}
          columns={[
            { key: 'model', title: say('model'), cell: (model) => <Link to={requests(model)}>{model.id}</Link> },
            {
              key: 'count',
              title: say('callsOfDay'),
              isNumber: true,
              cell: ({ calls: { last_day: of } }) => new Intl.NumberFormat(locale).format(countOf(of)),
            },
            {
              key: 'rate',
              title: say('success'),
              isNumber: true,
              cell: ({ calls: { last_day: of } }) =>
                of.success_rate === null ? '–' : rateText(of.success_rate, locale),
            },
            {
              key: 'errors',
              title: say('errorsByCode'),
              isWide: true,
              cell: ({ calls: { last_day: of } }) =>
                of.faults.length === 0 ? '–' : of.faults.map(({ code, count }) => `${code} × ${count}`).join(', '),
            },
            {
              key: 'median',
              title: say('median'),
              isNumber: true,
              cell: ({ calls: { median_ms: of } }) => <Measured unit="milliseconds" of={of} />,
            },
            {
              key: 'p95',
              title: say('p95'),
              isNumber: true,
              isWide: true,
              cell: ({ calls: { p95_ms: of } }) => <Measured unit="milliseconds" of={of} />,
            },
          ]}
        />
      )}
    </section>
  );
}
