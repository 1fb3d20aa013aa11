/** How far a batch has come: a bar of what is completed and what has failed, and the same in words. */
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { type BatchLine, percentOf } from './batch.ts';
import './batches.css';
import { batchTexts } from './texts.ts';

export function BatchProgress({ counts }: { counts: BatchLine['counts'] }) {
  const say = useTexts(batchTexts);
  const locale = localeOf(useLanguage());
  const { total, completed, failed } = counts;
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  if (total === 0) return <span className="tg-batch-none">–</span>;
  const share = (value: number) => `${(value * 100) / total}%`;
  return (
    <div className="tg-batch-progress">
      <div
        className="tg-batch-bar"
        role="progressbar"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percentOf(counts)}
        aria-label={say('progressLabel', { completed, failed, total })}
      >
        <span style={{ width: share(completed) }} />
        <span className="tg-batch-bar-failed" style={{ width: share(failed) }} />
      </div>
      <small>
        {say('progress', { done: number(completed + failed), total: number(total) })}
        {failed > 0 && ` · ${say('ofThemFailed', { failed: number(failed) })}`}
      </small>
    </div>
  );
}
