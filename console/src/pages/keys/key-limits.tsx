/** What limits a key, and how much of each is used. */
import { Progress, Tag } from 'antd';
import { useExactMoneyText, useMoneyText } from '../../parts/money.tsx';
import { useTimeText } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Key, Window } from './key-fields.ts';
import { texts } from './texts.ts';

export function KeyLimits({ of: key }: { of: Key }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const timeText = useTimeText();
  const number = (count: number) => new Intl.NumberFormat(locale).format(count);
  const moneyText = useMoneyText();
  const exactMoneyText = useExactMoneyText();
  /** `share`: how much of a limit is used, from 0 to 1. */
  const lines: { text: string; share?: number; resets?: string }[] = [];
  const resetOf = (per: Window) => {
    const end = windowEnd(per, new Date());
    return end && { resets: say('resets', { time: timeText(end) }) };
  };
  for (const { calls, per } of key.call_limits) {
    const values = { used: number(key.calls[per]), limit: number(calls) };
    const text = per === 'total' ? say('callsOfTotal', values) : say('callsOf', { ...values, window: say(per) });
    lines.push({ text, share: shareOf(key.calls[per], calls), ...resetOf(per) });
  }
  if (key.spend_limit) {
    const { amount, per } = key.spend_limit;
    const values = { used: moneyText(key.spent[per]), limit: exactMoneyText(amount) };
    const text = per === 'total' ? say('spentOfTotal', values) : say('spentOf', { ...values, window: say(per) });
    lines.push({ text, share: shareOf(key.spent[per], amount), ...resetOf(per) });
  }
  const tasksMax = key.max_running_tasks;
  if (tasksMax !== null) {
    const text = say('tasksOf', { used: number(key.running_tasks), limit: number(tasksMax) });
    lines.push({ text, share: shareOf(key.running_tasks, tasksMax) });
    if (key.queue) lines.push({ text: say('tasksQueued', { queued: number(key.queued_tasks) }) });
  }
  if (key.expires_at !== null) {
    const time = timeText(new Date(key.expires_at));
    lines.push({ text: key.state === 'expired' ? say('expired', { time }) : say('expires', { time }) });
  }
  if (lines.length === 0 && key.models === null) return <span className="tg-hint">{say('noLimit')}</span>;
  return (
    <ul className="tg-limits">
      {lines.map(({ text, share, resets }) => (
        <li key={text}>
          {text}
          {resets !== undefined && <span className="tg-second">{resets}</span>}
          {share !== undefined && <Used share={share} />}
        </li>
      ))}
      {key.models && (
        <li title={key.models.join(', ')}>
          {key.models.length <= modelsShownMax
            ? key.models.map((model) => <Tag key={model}>{model}</Tag>)
            : say('someModels', { count: key.models.length })}
        </li>
      )}
    </ul>
  );
}

/** When a window of UTC ends, of those that are long enough to wait for. */
function windowEnd(per: Window, now: Date): Date | undefined {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (per === 'hour') return new Date(Date.UTC(year, month, day, now.getUTCHours() + 1));
  if (per === 'day') return new Date(Date.UTC(year, month, day + 1));
  return per === 'month' ? new Date(Date.UTC(year, month + 1)) : undefined;
}

/** Nothing of a limit of 0 is left. */
const shareOf = (used: number, limit: number): number => (limit === 0 ? 1 : used / limit);

/** A bar; the text beside it says the same. */
function Used({ share }: { share: number }) {
  const percent = Math.min(100, share * 100);
  const status = percent >= 100 ? 'exception' : 'normal';
  return (
    <div aria-hidden="true">
      <Progress percent={percent} status={status} size="small" showInfo={false} />
    </div>
  );
}

const modelsShownMax = 2;
