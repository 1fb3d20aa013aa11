/** How a number has changed since the period before, in percent. */
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { type Unit, useMeasuredText } from '../measured.tsx';
import { usageTexts } from './texts.ts';

interface ChangeProps {
  now: number | null;
  /** Null: not known. */
  before: number | null;
  unit: Unit;
}

/** Neither good nor bad: more cost is as often wanted as not. */
export function Change({ now, before, unit }: ChangeProps) {
  const say = useTexts(usageTexts);
  const text = useMeasuredText(unit);
  const locale = localeOf(useLanguage());
  if (now === null || before === null || (now === 0 && before === 0)) return <span className="tg-change">–</span>;
  return (
    <span className="tg-change tg-number" title={say('was', { value: text(before) })}>
      {before === 0 ? say('new') : changeText((now - before) / Math.abs(before), locale)}
    </span>
  );
}

/** `+12%`, `−3.4%`, and no more than a thousandfold. */
function changeText(change: number, locale: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: Math.abs(change) < 0.1 ? 1 : 0,
  });
  return change > most ? `>${format.format(most)}` : format.format(change);
}

const most = 10;
