/** What waits and what runs, of all accounts. */
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Count } from '../../parts/numbers.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Queues({ overview: { queues } }: { overview: Answer<'getOperatorOverview'> }) {
  const say = useTexts(texts);
  const processing = '/operator/tasks?status=processing';
  const figure = (label: string, count: number, path: string, hint: string) => (
    <Figure label={label} hint={hint}>
      <Link to={path}>
        <Count of={count} />
      </Link>
    </Figure>
  );
  return (
    <Figures>
      {figure(say('waiting'), queues.tasks_waiting, processing, say('queuedOf', { count: queues.tasks_queued }))}
      {figure(say('running'), queues.tasks_running, processing, say('runningHint'))}
      {figure(say('lines'), queues.batch_lines, '/operator/batches', say('ofBatches', { count: queues.batches }))}
      {figure(say('events'), queues.events, '/operator/webhooks?status=pending', say('eventsHint'))}
    </Figures>
  );
}
