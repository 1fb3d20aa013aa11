/** What limits a key, and how much of each is used. */
import { Progress, Tag } from 'antd';
import { useExactMoneyText, useMoneyText } from '../../parts/money.tsx';
import { useTimeText } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { Key, Window } from './key-fields.ts';
import { texts } from './texts.ts';

/** `isWhole`: on the key's own page, with when each window ends; what else binds it stands beside. */
export function KeyLimits({ of: key, isWhole = false }: { of: Key; isWhole?: boolean }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const timeText = useTimeText();
  const number = (count: number) => new Intl.NumberFormat(locale).format(count);
  const moneyText = useMoneyText();
  const exactMoneyText = useExactMoneyText();
  /** `share`: how much of a limit is used, from 0 to 1. */
  const lines: { text: string; share?: number; per?: Window }[] = [];
  for (const { calls, per } of key.call_limits) {
    const values = { used: number(key.calls[per]), limit: number(calls) };
    const text = per === 'total' ? say('callsOfTotal', values) : say('callsOf', { ...values, window: say(per) });
    lines.push({ text, share: shareOf(key.calls[per], calls), per });
  }
  if (key.spend_limit) {
    const { amount, per } = key.spend_limit;
    const values = { used: moneyText(key.spent[per]), limit: exactMoneyText(amount) };
    const text = per === 'total' ? say('spentOfTotal', values) : say('spentOf', { ...values, window: say(per) });
    lines.push({ text, share: shareOf(key.spent[per], amount), per });
  }
  const tasksMax = key.max_running_tasks;
  if (tasksMax !== null) {
    const text = say('tasksOf', { used: number(key.running_tasks), limit: number(tasksMax) });
    lines.push({ text, share: shareOf(key.running_tasks, tasksMax) });
    if (key.queue) lines.push({ text: say('tasksQueued', { queued: number(key.queued_tasks) }) });
  }
  if (key.expires_at !== null && !isWhole) {
    const time = timeText(new Date(key.expires_at));
    lines.push({ text: key.state === 'expired' ? say('expired', { time }) : say('expires', { time }) });
  }
  if (lines.length === 0 && (isWhole || key.models === null)) return <span className="tg-hint">{say('noLimit')}</span>;
  return (
    <ul className="tg-limits">
      {lines.map(({ text, share, per }) => (
        <li key={text}>
          {text}
          {share !== undefined && <Used share={share} />}
          {isWhole && per !== undefined && <Resets at={key.resets[per]} />}
        </li>
      ))}
      {key.models && !isWhole && (
        <li title={key.models.join(', ')}>
          {key.models.length <= modelsShownMax
            ? key.models.map((model) => <Tag key={model}>{model}</Tag>)
            : say('someModels', { count: key.models.length })}
        </li>
      )}
    </ul>
  );
}

/** When counting begins anew. */
function Resets({ at }: { at: number | null }) {
  const say = useTexts(texts);
  const timeText = useTimeText();
  const text = at === null ? say('resetsNever') : say('resets', { time: timeText(new Date(at * 1000)) });
  return <span className="tg-hint">{text}</span>;
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
