/** The columns of lists of batches. */
import { Link } from 'react-router';
import { useTexts } from '../../texts/define-texts.ts';
import { Money } from '../money.tsx';
import type { Column } from '../operator/rows.tsx';
import { Time } from '../time.tsx';
import type { BatchLine } from './batch.ts';
import { BatchProgress } from './batch-progress.tsx';
import { BatchStatus } from './batch-status.tsx';
import { batchTexts } from './texts.ts';

/** `toOf` gives the address of a batch's page. */
export function useBatchColumns<Shown extends BatchLine>(toOf: (batch: Shown) => string): Column<Shown>[] {
  const say = useTexts(batchTexts);
  return [
    {
      key: 'batch',
      title: say('batch'),
      render: (batch) => (
        <>
          <Link to={toOf(batch)}>{batch.endpoint}</Link>
          {batch.models.length > 0 && <div>{batch.models.join(', ')}</div>}
          <code className="tg-batch-id">{batch.id}</code>
        </>
      ),
    },
    { key: 'status', title: say('status'), render: (batch) => <BatchStatus batch={batch} /> },
    { key: 'lines', title: say('lines'), isPlain: true, render: ({ counts }) => <BatchProgress counts={counts} /> },
    { key: 'cost', title: say('cost'), isNumber: true, render: ({ cost }) => <Money amount={cost} /> },
    { key: 'created', title: say('created'), isNumber: true, render: ({ created }) => <Time at={created} relative /> },
    {
      key: 'expires',
      title: say('expires'),
      isNumber: true,
      isExtra: true,
      render: ({ expires, ended }) => (ended === null ? <Time at={expires} relative /> : '–'),
    },
  ];
}
