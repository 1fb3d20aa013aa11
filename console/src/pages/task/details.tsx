/** The rest of a task, behind tabs: its request, its money, its webhook, its public record, and what operators see. */
import { Tabs } from 'antd';
import { CodeBlock } from '../../parts/code-block.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Calls } from './calls.tsx';
import { Entries } from './entries.tsx';
import { RequestShown } from './request.tsx';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';
import { Webhook } from './webhook.tsx';

export function Details({ task }: { task: TaskPage }) {
  const say = useTexts(texts);
  const { operator } = task;
  return (
    <section className="tg-task-card" aria-label={say('details')}>
      <Tabs
        aria-label={say('details')}
        items={[
          { key: 'request', label: say('request'), children: <RequestShown task={task} /> },
          { key: 'ledger', label: say('ledger'), children: <Entries task={task} /> },
          { key: 'webhook', label: say('webhook'), children: <Webhook task={task} /> },
          {
            key: 'record',
            label: say('record'),
            children: <CodeBlock code={JSON.stringify(task.record, null, 2)} label={say('record')} />,
          },
          ...(operator === null
            ? []
            : [{ key: 'calls', label: say('calls'), children: <Calls intents={operator.intents} /> }]),
        ]}
      />
    </section>
  );
}
