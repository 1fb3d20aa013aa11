/** Models: what can be called, at which price, and how it is doing; operators switch them here. */
import { Button, Input } from 'antd';
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Leftovers } from './leftovers.tsx';
import { type Model, ModelCard } from './model-card.tsx';
import './models.css';
import { texts } from './texts.ts';

const refresh_ms = 3_000;
/** Fewer are seen at a glance. */
const filter_models_min = 9;
/** Of a kind; a file may have ten thousand. */
const shown_max = 60;

const kinds = ['chat', 'code', 'image', 'video', 'avatar-video', 'avatar-image', 'avatar-talk'] as const;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const { is_operator: isOperator } = useSession().person;
  const [wanted, setWanted] = useState('');
  const { data, error, refetch } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/models',
    { params: { path: { account } } },
    { refetchInterval: refresh_ms },
  );
  const all = data?.data ?? [];
  const found = all.filter((model) =>
    `${model.id} ${model.owned_by}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  return (
    <>
      <PageHead
        title={say('title')}
        description={say('description')}
        actions={
          all.length >= filter_models_min && (
            <Input.Search
              allowClear
              className="tg-model-filter"
              aria-label={say('filter')}
              placeholder={say('filter')}
              onChange={({ target }) => setWanted(target.value)}
            />
          )
        }
      />
      {!data && !error && <Loading rows={8} />}
      {!data && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && all.length === 0 && <EmptyState text={say('none')} />}
      {all.length > 0 && found.length === 0 && <EmptyState text={say('noMatch')} />}
      {kinds.map((kind) => (
        <Kind
          key={kind}
          kind={kind}
          models={found.filter((model) => model.kind === kind)}
          onSwitched={() => refetch()}
        />
      ))}
      {isOperator && <Leftovers />}
    </>
  );
}

function Kind(props: { kind: (typeof kinds)[number]; models: readonly Model[]; onSwitched: () => Promise<unknown> }) {
  const { kind, models, onSwitched } = props;
  const say = useTexts(texts);
  const [isWhole, setWhole] = useState(false);
  if (models.length === 0) return null;
  const shown = isWhole ? models : models.slice(0, shown_max);
  return (
    <section className="tg-models" aria-labelledby={`kind-${kind}`}>
      <h2 id={`kind-${kind}`}>{say(kind)}</h2>
      <ul>
        {shown.map((model) => (
          <li key={model.id}>
            <ModelCard model={model} onSwitched={onSwitched} />
          </li>
        ))}
      </ul>
      {shown.length < models.length && (
        <Button onClick={() => setWhole(true)}>{say('more', { count: models.length - shown.length })}</Button>
      )}
    </section>
  );
}
