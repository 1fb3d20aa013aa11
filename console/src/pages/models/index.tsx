/** Models: what can be called, at which price, and how it is doing. */
import { Button, Input, Segmented } from 'antd';
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Comparison } from './comparison.tsx';
import { type Model, ModelCard } from './model-card.tsx';
import { ModelTable } from './model-table.tsx';
import { texts } from './texts.ts';
import { useView, type View, views } from './view.ts';
import './models.css';

const refreshMs = 3_000;
/** Fewer are seen at a glance. */
const filterModelsMin = 9;
/** Of a group; a file may have ten thousand. */
const shownMax = 60;

/** What the cards stand under: most kinds have one model or two, and a row of its own each would be mostly empty. */
const groups = [
  ['texts', ['chat', 'code']],
  ['reading', ['embedding', 'rerank', 'moderation']],
  ['audio', ['speech', 'transcription']],
  ['images', ['image']],
  ['videos', ['video']],
  ['avatars', ['avatar-video', 'avatar-image', 'avatar-talk']],
] as const satisfies readonly (readonly [string, readonly Model['kind'][]])[];

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const [wanted, setWanted] = useState('');
  const { view, compared, change } = useView();
  const { data, error, refetch } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/models',
    { params: { path: { account } } },
    { refetchInterval: refreshMs },
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
          <>
            {all.length >= filterModelsMin && (
              <Input.Search
                allowClear
                className="tg-model-filter"
                aria-label={say('filter')}
                placeholder={say('filter')}
                onChange={({ target }) => setWanted(target.value)}
              />
            )}
            <Segmented<View>
              aria-label={say('view')}
              value={view}
              options={views.map((value) => ({ value, label: say(value) }))}
              onChange={(chosen) => change({ view: chosen })}
            />
          </>
        }
      />
      {!data && !error && <Loading rows={8} />}
      {!data && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && all.length === 0 && <EmptyState text={say('none')} />}
      {all.length > 0 && found.length === 0 && <EmptyState text={say('noMatch')} />}
      {view === 'table' && found.length > 0 && (
        <>
          <Comparison models={all.filter(({ id }) => compared.includes(id))} />
          <ModelTable models={inGroups(found).flatMap(([, models]) => models)} />
        </>
      )}
      {view === 'cards' &&
        inGroups(found).map(([group, models]) => <Group key={group} group={group} models={models} />)}
    </>
  );
}

const inGroups = (models: readonly Model[]) =>
  groups.map(
    ([group, kinds]) => [group, kinds.flatMap((kind) => models.filter((model) => model.kind === kind))] as const,
  );

function Group(props: { group: (typeof groups)[number][0]; models: readonly Model[] }) {
  const { group, models } = props;
  const say = useTexts(texts);
  const [isWhole, setWhole] = useState(false);
  if (models.length === 0) return null;
  const shown = isWhole ? models : models.slice(0, shownMax);
  return (
    <section className="tg-models" aria-labelledby={`group-${group}`}>
      <h2 id={`group-${group}`}>{say(group)}</h2>
      <ul>
        {shown.map((model) => (
          <li key={model.id}>
            <ModelCard model={model} />
          </li>
        ))}
      </ul>
      {shown.length < models.length && (
        <Button onClick={() => setWhole(true)}>{say('more', { count: models.length - shown.length })}</Button>
      )}
    </section>
  );
}
