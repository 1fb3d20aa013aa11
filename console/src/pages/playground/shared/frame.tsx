/** The frame of each form: its heading, why it may be barred, and nothing before the models are known. */
import { Alert, ConfigProvider } from 'antd';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { PageHead } from '../../../parts/page-head.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { type Facts, type ModelFacts, useFacts } from './facts.ts';
import { useBar } from './who-may.ts';

interface Props {
  title: string;
  description: string;
  kinds: readonly ModelFacts['kind'][];
  children: (facts: Facts, models: [ModelFacts, ...ModelFacts[]]) => ReactNode;
}

export function PlaygroundFrame({ title, description, kinds, children }: Props) {
  const say = useTexts(playgroundTexts);
  const facts = useFacts();
  const bar = useBar();
  return (
    <>
      <PageHead title={title} description={description} />
      {bar !== undefined && (
        <Alert className="tg-form-alert" type="info" showIcon role="note" title={say(`barred_${bar}`)} />
      )}
      {facts.data ? (
        form(facts.data)
      ) : facts.isPending ? (
        <Loading />
      ) : (
        <ErrorState error={facts.error} onRetry={() => void facts.refetch()} />
      )}
    </>
  );

  function form(known: Facts) {
    const [first, ...rest] = known.models.filter(({ kind }) => kinds.includes(kind));
    if (!first) return <EmptyState text={say('noModels')} />;
    return <ConfigProvider componentDisabled={bar !== undefined}>{children(known, [first, ...rest])}</ConfigProvider>;
  }
}

/** The model that is chosen: the one of the address, else the one that was chosen last, else the first. */
export function useChosenModel(
  models: readonly [ModelFacts, ...ModelFacts[]],
  last: string,
): [ModelFacts, (id: string) => void] {
  const [search, setSearch] = useSearchParams();
  const find = (id: string | null) => models.find((model) => model.id === id);
  const model = find(search.get('model')) ?? find(last) ?? models.find(({ maintenance }) => !maintenance) ?? models[0];
  // At once: as a transition, which the router makes of it otherwise, it may come after a message that is sent next.
  return [model, (id) => setSearch({ model: id }, { replace: true, flushSync: true })];
}
