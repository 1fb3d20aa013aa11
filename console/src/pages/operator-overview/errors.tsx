/** How many requests or tasks failed within the last hour and day, and with which codes; each code leads to its list. */
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { Panel } from '../../parts/panel.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { texts } from './texts.ts';

type ErrorsData = Answer<'getOperatorOverview'>['requests'];

const lists = {
  requests: { all: '/operator/requests?status=error&last=24h', code: '/operator/requests?last=24h&code=' },
  tasks: { all: '/operator/tasks?status=failed', code: '/operator/tasks?status=failed&code=' },
} as const;

export function Errors({ of, errors }: { of: keyof typeof lists; errors: ErrorsData }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const { last_hour: hour, last_day: day } = errors;
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const rate = ({ count, failed }: ErrorsData['last_day']) =>
    count === 0
      ? say('none')
      : say('failedOf', {
          rate: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(failed / count),
          failed: number(failed),
          count: number(count),
        });
  const inHour = new Map(hour.by_code.map(({ code, count }) => [code, count]));
  return (
    <Panel title={say(`${of}Errors`)} aside={<Link to={lists[of].all}>{say('allErrors')}</Link>}>
      <dl className="tg-facts">
        <div>
          <dt>{say('hour')}</dt>
          <dd>{rate(hour)}</dd>
        </div>
        <div>
          <dt>{say('lastDay')}</dt>
          <dd>{rate(day)}</dd>
        </div>
      </dl>
      {day.by_code.length > 0 && (
        <Sheet
          label={say(`${of}Errors`)}
          rows={day.by_code}
          keyOf={({ code }) => code}
          columns={[
            {
              key: 'code',
              title: say('code'),
              cell: ({ code }) => (
                <Link className="tg-mono" to={`${lists[of].code}${encodeURIComponent(code)}`}>
                  {code}
                </Link>
              ),
            },
            { key: 'hour', title: say('hour'), isNumber: true, cell: ({ code }) => number(inHour.get(code) ?? 0) },
            { key: 'day', title: say('lastDay'), isNumber: true, cell: ({ count }) => number(count) },
          ]}
        />
      )}
    </Panel>
  );
}
