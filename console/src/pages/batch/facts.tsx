/** The facts of a batch: what it asks for, its times, whom it reports to, and what operators see besides. */
import { CopyButton } from '../../parts/copy-button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { batchTexts } from '../../parts/batches/texts.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { BatchPage } from './batch-page.ts';
import { texts } from './texts.ts';
import { Fact } from '../../parts/fact.tsx';

export function Facts({ batch }: { batch: BatchPage }) {
  const say = useTexts(texts);
  const sayBatch = useTexts(batchTexts);
  const locale = localeOf(useLanguage());
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const { endpoint, models, key, tokens, metadata, times, operator, request_id: requestId } = batch;
  const pairs = Object.entries(metadata ?? {});
  return (
    <Panel title={say('facts')}>
      <dl className="tg-batch-facts">
        <Fact name={say('endpoint')}>
          <code>{endpoint}</code>
        </Fact>
        <Fact name={say('models')}>{models.length === 0 ? '–' : models.join(', ')}</Fact>
        <Fact name={say('key')}>{key.name}</Fact>
        <Fact name={say('window')}>{say('hours', { hours: batch.window_hours })}</Fact>
        <Moment name={sayBatch('created')} at={batch.created} />
        <Moment name={say('started')} at={times.in_progress} />
        <Moment name={say('finalizing')} at={times.finalizing} />
        <Moment name={say('cancelling')} at={times.cancelling} />
        <Moment name={say('ended')} at={batch.ended} />
        <Moment name={sayBatch('expires')} at={batch.expires} />
        {tokens !== null && (
          <Fact name={say('tokens')}>
            {say('tokensOf', {
              input: number(tokens.input),
              cached: number(tokens.cached),
              output: number(tokens.output),
            })}
          </Fact>
        )}
        <Fact name={say('webhook')}>{batch.webhook_host ?? say('accountWebhook')}</Fact>
        {pairs.length > 0 && (
          <Fact name={say('metadata')}>
            {pairs.map(([name, value]) => (
              <div key={name}>
                <code>{name}</code>: {value}
              </div>
            ))}
          </Fact>
        )}
        <Fact name={say('requestId')}>
          <code>{requestId}</code> <CopyButton text={requestId} label={say('copyRequestId')} />
        </Fact>
        {operator !== null && (
          <>
            <Fact name={say('account')}>{operator.account_name}</Fact>
            <Moment name={say('taken')} at={operator.started} />
            <Moment name={say('seen')} at={operator.seen} />
          </>
        )}
      </dl>
    </Panel>
  );
}

/** Shows nothing of what has not happened. */
function Moment({ name, at }: { name: string; at: number | null }) {
  if (at === null) return null;
  return (
    <Fact name={name}>
      <Time at={at} />
    </Fact>
  );
}
