/** How calls or tasks went within the last hour and day: the rate of success, of how many, and the faults by code. */
import { Tag } from 'antd';
import { defineTexts, useTexts } from '../texts/define-texts.ts';
import { localeOf, useLanguage } from '../texts/language.ts';
import './success-rate.css';

const texts = defineTexts('success-rate', {
  en: {
    hour: 'Last hour',
    day: 'Last 24 hours',
    rate: '{{rate}} of {{count}} succeeded',
    none: 'none',
    faults: 'Errors by code in the last 24 hours',
  },
  zh: {
    hour: '最近一小时',
    day: '最近 24 小时',
    rate: '{{count}} 次中 {{rate}} 成功',
    none: '无',
    faults: '最近 24 小时的错误（按错误码）',
  },
});

export interface Tally {
  succeeded: number;
  faults: { code: string; count: number }[];
  /** From 0 to 1; null without any outcome. */
  success_rate: number | null;
}

export function SuccessRate({ lastHour, lastDay }: { lastHour: Tally; lastDay: Tally }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  return (
    <div className="tg-success">
      <dl>
        <dt>{say('hour')}</dt>
        <Rate of={lastHour} />
        <dt>{say('day')}</dt>
        <Rate of={lastDay} />
      </dl>
      {lastDay.faults.length > 0 && (
        <ul aria-label={say('faults')}>
          {lastDay.faults.map(({ code, count }) => (
            <li key={code}>
              <Tag>
                <code>{code}</code> × {new Intl.NumberFormat(locale).format(count)}
              </Tag>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Rate({ of: { succeeded, faults, success_rate: rate } }: { of: Tally }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  if (rate === null) return <dd>{say('none')}</dd>;
  const count = countOf({ succeeded, faults });
  return <dd>{say('rate', { rate: rateText(rate, locale), count: new Intl.NumberFormat(locale).format(count) })}</dd>;
}

/** Words for a rate alone; a dash without any outcome. */
export function useRateText(): (rate: number | null) => string {
  const locale = localeOf(useLanguage());
  return (rate) => (rate === null ? '–' : rateText(rate, locale));
}

/** All that have an outcome. */
export const countOf = ({ succeeded, faults }: Pick<Tally, 'succeeded' | 'faults'>): number =>
  faults.reduce((sum, { count }) => sum + count, succeeded);

/** Rounded down, so that 100% means all. */
export const rateText = (rate: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(Math.floor(rate * 1000) / 1000);
