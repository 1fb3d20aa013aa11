/** How far the batch has come, what it has cost so far, how fast it is, and until when it may run. */
import { Link } from 'react-router';
import { percentOf } from '../../parts/batches/batch.ts';
import { BatchProgress } from '../../parts/batches/batch-progress.tsx';
import { batchTexts } from '../../parts/batches/texts.ts';
import { Figure, Figures } from '../../parts/figure.tsx';
import { durationText } from '../../parts/measures.ts';
import { Money, useMoneyText } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { BatchPage } from './batch-page.ts';
import { texts } from './texts.ts';

export function Standing({ batch }: { batch: BatchPage }) {
  const say = useTexts(texts);
  const sayBatch = useTexts(batchTexts);
  const moneyText = useMoneyText();
  const { id, counts, cost, held, ended, expires } = batch;
  return (
    <Figures>
      <Figure label={say('progress')} hint={<BatchProgress counts={counts} />}>
        {counts.total === 0 ? '–' : `${percentOf(counts)} %`}
      </Figure>
      <Figure
        label={sayBatch('cost')}
        hint={
          <>
            {held > 0 && <div>{say('held', { amount: moneyText(held) })}</div>}
            <Link to={`../ledger?id=${id}`}>{say('toLedger')}</Link>
          </>
        }
      >
        <Money amount={cost} />
      </Figure>
      <Pace batch={batch} />
      <Figure label={say(ended === null ? 'expires' : 'ended')} hint={<Time at={ended ?? expires} />}>
        <Time at={ended ?? expires} relative />
      </Figure>
    </Figures>
  );
}

function Pace({ batch: { status, counts, lines_per_minute: pace } }: { batch: BatchPage }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  if (pace === null) return <Figure label={say('throughput')}>–</Figure>;
  const left = counts.total - counts.completed - counts.failed;
  const remaining =
    status === 'in_progress' && left > 0 && pace > 0
      ? say('remaining', { time: durationText((left * 60) / pace, locale) })
      : say('average');
  return (
    <Figure label={say('throughput')} hint={remaining}>
      {say('perMinute', { count: new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(pace) })}
    </Figure>
  );
}
