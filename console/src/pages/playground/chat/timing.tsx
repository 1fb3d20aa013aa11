/** How long an answer took, as this browser saw it: to its first piece, and to its end. */
import { durationText } from '../../../parts/measures.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { texts } from './texts.ts';
import type { Turn } from './turn.ts';

export function Timing({ turn: { firstMs, wholeMs } }: { turn: Turn }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const rows = [
    ['firstToken', firstMs],
    ['latency', wholeMs],
  ] as const;
  if (wholeMs === null) return null;
  return (
    <dl className="tg-cost tg-cost-after" aria-label={say('timing')}>
      {rows.map(([name, ms]) => (
        <div key={name}>
          <dt>{say(name)}</dt>
          <dd className="tg-number">{ms === null ? '–' : durationText(ms / 1000, locale)}</dd>
        </div>
      ))}
    </dl>
  );
}
