/** Models of the service: state, success, routes and prices of all of them, and the switches of operators. */
import { Button, Input, Select } from 'antd';
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { modelStateOf, modelStates, type ModelState, useStateName } from '../../parts/model-health.tsx';
import { Rows } from '../../parts/operator/rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts as modelTexts } from '../models/texts.ts';
import { useModelColumns } from './columns.tsx';
import { Leftovers } from './leftovers.tsx';
import './models.css';
import type { OperatorModel } from './switches.tsx';
import { texts } from './texts.ts';

const refreshMs = 5_000;
/** A file may have ten thousand. */
const shownMax = 100;

interface Filter {
  text: string;
  state?: ModelState | undefined;
  kind?: OperatorModel['kind'] | undefined;
}

export function Component() {
  const say = useTexts(texts);
  const [filter, setFilter] = useState<Filter>({ text: '' });
  const [isWhole, setWhole] = useState(false);
  const { data, error, refetch } = query.useQuery(
    'get',
    '/console/api/operator/models',
    {},
    { refetchInterval: refreshMs },
  );
  const columns = useModelColumns(() => refetch());
  const all = data?.data ?? [];
  const found = all.filter((model) => fits(model, filter));
  const shown = isWhole ? found : found.slice(0, shownMax);
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      {!data && !error && <Loading rows={8} />}
      {!data && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <Filters all={all} filter={filter} onChange={setFilter} />
          {found.length === 0 ? (
            <EmptyState text={say('noMatch')} />
          ) : (
            <Rows caption={say('title')} columns={columns} items={shown} idOf={({ id }) => id} />
          )}
          {shown.length < found.length && (
            <Button onClick={() => setWhole(true)}>{say('more', { count: found.length - shown.length })}</Button>
          )}
        </>
      )}
      <Leftovers />
    </>
  );
}

interface FiltersProps {
  all: readonly OperatorModel[];
  filter: Filter;
  onChange: (filter: Filter) => void;
}

function Filters({ all, filter, onChange }: FiltersProps) {
  const say = useTexts(texts);
  const sayKind = useTexts(modelTexts);
  const nameOf = useStateName();
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return (
    <div className="tg-row-filters">
      <Input.Search
        allowClear
        aria-label={say('search')}
        placeholder={say('search')}
        onChange={({ target }) => onChange({ ...filter, text: target.value })}
      />
      <Select
        allowClear
        aria-label={say('state')}
        placeholder={say('allStates')}
        value={filter.state}
        options={modelStates.map((state) => ({ value: state, label: nameOf(state) }))}
        onChange={(state: ModelState | undefined) => onChange({ ...filter, state })}
      />
      <Select
        allowClear
        aria-label={say('kind')}
        placeholder={say('allKinds')}
        value={filter.kind}
        options={kinds.map((kind) => ({ value: kind, label: sayKind(kind) }))}
        onChange={(kind: OperatorModel['kind'] | undefined) => onChange({ ...filter, kind })}
      />
    </div>
  );
}

/** The text may be of the id, the vendor, a provider, or what one calls the model. */
function fits(model: OperatorModel, { text, state, kind }: Filter): boolean {
  const routes = model.routes.map(({ provider, model: name }) => `${provider} ${name}`).join(' ');
  return (
    `${model.id} ${model.owned_by} ${routes}`.toLowerCase().includes(text.trim().toLowerCase()) &&
    (state === undefined || modelStateOf(model) === state) &&
    (kind === undefined || model.kind === kind)
  );
}
