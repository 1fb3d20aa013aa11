/** What limits a key, and how much of each is used. */
import { Tag } from 'antd';
import { useExactMoneyText, useMoneyText } from '../../parts/money.tsx';
import { timeText } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Key } from './key-fields.ts';
import { texts } from './texts.ts';

export function KeyLimits({ of: key }: { of: Key }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const number = (count: number) => new Intl.NumberFormat(locale).format(count);
  const moneyText = useMoneyText();
  const exactMoneyText = useExactMoneyText();
  const lines: string[] = [];
  for (const { calls, per } of key.call_limits) {
    const values = { used: number(key.calls[per]), limit: number(calls) };
    lines.push(per === 'total' ? say('callsOfTotal', values) : say('callsOf', { ...values, window: say(per) }));
  }
  if (key.spend_limit) {
    const { amount, per } = key.spend_limit;
    const values = { used: moneyText(key.spent[per]), limit: exactMoneyText(amount) };
    lines.push(per === 'total' ? say('spentOfTotal', values) : say('spentOf', { ...values, window: say(per) }));
  }
  if (key.max_running_tasks !== null)
    lines.push(say('tasksOf', { used: number(key.running_tasks), limit: number(key.max_running_tasks) }));
  if (key.queue && key.max_running_tasks !== null) lines.push(say('tasksQueued', { queued: number(key.queued_tasks) }));
  if (key.expires_at !== null) {
    const time = timeText(new Date(key.expires_at), locale);
    lines.push(key.state === 'expired' ? say('expired', { time }) : say('expires', { time }));
  }
  if (lines.length === 0 && key.models === null) return <span className="tg-hint">{say('noLimit')}</span>;
  return (
    <ul className="tg-limits">
      {lines.map((text) => (
        <li key={text}>{text}</li>
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

const modelsShownMax = 2;
