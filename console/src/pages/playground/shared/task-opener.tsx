/** Opens the task that the address names, once: fills the form with what it asked for; nothing is sent by that. */
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Answer, query } from '../../../api/client.ts';
import { ErrorState } from '../../../parts/error-state.tsx';
import { Loading } from '../../../parts/loading.tsx';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { ownAddress } from './addresses.ts';
import type { ModelFacts } from './facts.ts';
import { OpenedAlert } from './opened-alert.tsx';

type Task = Answer<'getTask'>;
export type TaskRequest = NonNullable<Task['request']>;

/** What a task was asked for. */
export interface OpenedTask {
  model: string;
  request: TaskRequest;
  /** The files that were uploaded with it, by their names, as far as they are still kept. */
  files: ReadonlyMap<string, File>;
}

interface Props {
  models: readonly ModelFacts[];
  /** Puts it into the form; returns the names of what the form has no field for. */
  onOpen: (opened: OpenedTask) => readonly string[];
}

interface Shown {
  id: string;
  opened: OpenedTask | undefined;
  leftOut: readonly string[];
  lostFiles: boolean;
}

export function TaskOpener({ models, onOpen }: Props) {
  const say = useTexts(playgroundTexts);
  const [search, setSearch] = useSearchParams();
  const id = search.get('task');
  const [shown, show] = useState<Shown>();
  const params = { path: { account: useAccountId(), id: id ?? '' } };
  const path = '/console/api/accounts/{account}/tasks/{id}';
  const { data, error } = query.useQuery('get', path, { params }, { enabled: id !== null });
  const latest = useRef({ onOpen, setSearch });
  useEffect(() => {
    latest.current = { onOpen, setSearch };
  });
  useEffect(() => {
    if (id === null || data?.id !== id) return undefined;
    let isOver = false;
    void openTask(data).then(({ opened, lostFiles }) => {
      if (isOver) return;
      latest.current.setSearch(opened ? { model: opened.model } : {}, { replace: true });
      show({ id, opened, lostFiles, leftOut: opened ? latest.current.onOpen(opened) : [] });
    });
    return () => void (isOver = true);
  }, [data, id]);
  if (id !== null) return error ? <ErrorState error={error} /> : <Loading rows={2} />;
  if (!shown) return null;
  const { opened, leftOut, lostFiles } = shown;
  const isModelGone = opened !== undefined && !models.some((model) => model.id === opened.model);
  const notes = [
    ...(opened ? [] : [say('taskGone')]),
    ...(isModelGone ? [say('openedModelGone', { model: opened.model })] : []),
    ...(lostFiles ? [say('filesGone')] : []),
    ...(leftOut.length > 0 ? [say('leftOut', { names: leftOut.join(', ') })] : []),
  ];
  return (
    <OpenedAlert
      title={say(opened ? 'openedTask' : 'notOpenedTask', { id: shown.id })}
      notes={notes}
      isWarning={!opened || isModelGone || lostFiles}
      onClose={() => show(undefined)}
    />
  );
}

async function openTask({ model, request, uploads }: Task): Promise<Pick<Shown, 'opened' | 'lostFiles'>> {
  if (request === null) return { opened: undefined, lostFiles: false };
  const read = await Promise.all((uploads ?? []).map(async (one) => [one.name, await readUpload(one)] as const));
  const files = new Map(read.flatMap(([name, file]) => (file ? [[name, file] as const] : [])));
  return { opened: { model, request, files }, lostFiles: files.size < read.length };
}

/** Undefined: it was deleted meanwhile, or can't be read now. */
async function readUpload({ name, url, type }: NonNullable<Task['uploads']>[number]): Promise<File | undefined> {
  if (url === null) return undefined;
  const answer = await fetch(ownAddress(url)).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const bytes = await answer.blob().catch(() => undefined);
  return bytes && new File([bytes], `${name}.${endings[type] ?? type.replace(/^.*\//, '')}`, { type });
}

/** Where it is not the second part of the media type. */
const endings: Readonly<Record<string, string>> = { 'audio/mpeg': 'mp3', 'audio/x-wav': 'wav', 'image/jpeg': 'jpg' };
