/** Opens the recorded request that the address names, once; nothing is sent by that. Says what is not as it was. */
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Answer, query } from '../../../api/client.ts';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { OpenedAlert } from '../shared/opened-alert.tsx';
import { openRequest, type OpenedRequest } from './request-draft.ts';
import { requestTexts } from './request-texts.ts';

interface Props {
  models: readonly ModelFacts[];
  /** Puts it into the page, and its model into the address in the place of the request. */
  onOpen: (opened: OpenedRequest) => void;
}

interface Shown {
  id: string;
  /** Undefined: it could not be opened. */
  opened: OpenedRequest | undefined;
}

export function RequestOpener({ models, onOpen }: Props) {
  const say = useTexts(requestTexts);
  const [search, setSearch] = useSearchParams();
  const id = search.get('request');
  const created = search.get('created');
  const [shown, show] = useState<Shown>();
  const params = {
    path: { account: useAccountId(), request: id ?? '' },
    query: created === null ? {} : { created },
  };
  // Each reading is in the audit log, so it is read once.
  const { data, error } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/requests/{request}/body',
    { params },
    { enabled: id !== null, staleTime: Infinity, refetchOnWindowFocus: false, refetchOnReconnect: false },
  );
  const tag = search.get('tag');
  const latest = useRef({ onOpen, setSearch });
  useEffect(() => {
    latest.current = { onOpen, setSearch };
  });
  useEffect(() => {
    if (id === null || !data) return undefined;
    let isOver = false;
    void Promise.resolve(readBody(data, tag)).then((opened) => {
      if (isOver) return;
      show({ id, opened });
      if (opened) latest.current.onOpen(opened);
      else latest.current.setSearch({}, { replace: true });
    });
    return () => void (isOver = true);
  }, [data, id, tag]);
  if (id !== null && error) return <ErrorState error={error} />;
  if (id !== null) return <Loading rows={2} />;
  if (!shown) return null;
  const { opened } = shown;
  const isModelGone = opened !== undefined && !models.some((model) => model.id === opened.draft.model);
  const notes = [
    ...(opened ? opened.notes.map((note) => say(note)) : [say('notOpened')]),
    ...(isModelGone ? [say('modelGone', { model: opened.draft.model })] : []),
  ];
  return (
    <OpenedAlert
      title={opened ? say('opened', { id: shown.id }) : say('request', { id: shown.id })}
      notes={notes}
      isWarning={!opened || isModelGone}
      onClose={() => show(undefined)}
    />
  );
}

const readBody = ({ request }: Answer<'getBodies'>, tag: string | null): OpenedRequest | undefined =>
  request === null || request.cut ? undefined : openRequest(request.text, tag);
