/** The last 24 hours as a strip of bars: colour and height say how much of an hour's work succeeded, and a text says it again. */
import { useTexts } from '../texts/define-texts.ts';
import { localeOf, useLanguage } from '../texts/language.ts';
import { rateText, texts } from './texts.ts';

/** From this share on an hour was good, as a model's state has it; and below the other one it was bad. */
const goodRate = 0.95;
const badRate = 0.5;

export function HourStrip({ hours }: { hours: readonly (number | null)[] }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const percent = (rate: number | null) => (rate === null ? say('noTraffic') : rateText(rate, locale));
  const known = hours.filter((rate) => rate !== null);
  const label =
    known.length === 0 ? say('stripEmpty') : say('strip', { count: known.length, worst: percent(Math.min(...known)) });
  return (
    <div className="status-strip" role="img" aria-label={label}>
      {hours.map((rate, index) => {
        const ago = hours.length - index;
        // The place is what an hour is known by.
        return <i key={ago} className={classOf(rate)} title={say('hour', { ago, rate: percent(rate) })} />;
      })}
    </div>
  );
}

function classOf(rate: number | null): string {
  if (rate === null) return 'status-hour-none';
  if (rate >= goodRate) return 'status-hour-good';
  return rate >= badRate ? 'status-hour-fair' : 'status-hour-bad';
}
