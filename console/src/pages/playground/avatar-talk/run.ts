/**
 * One avatar-talk task from its upload to its video. It lives outside of the page, so that an upload goes on while the
 * reader looks elsewhere; and since the video can be fetched once, what was fetched is kept here.
 */
import { type ConsoleError, errorOfAnswer, toConsoleError } from '../../../api/error.ts';
import { api } from '../../../api/client.ts';
import { send } from '../../../api/send.ts';
import { createStore, type Store } from '../../../api/store.ts';
import { type Progress, upload } from '../../../api/upload.ts';
import { keep, kept } from '../shared/draft.ts';
import { newIdempotencyKey } from '../shared/ids.ts';

export type Run =
  | { step: 'none' }
  | { step: 'refused'; error: ConsoleError }
  | { step: 'uploading'; progress: Progress | undefined }
  | { step: 'processing' | 'fetching'; id: string; since: number }
  | { step: 'failed'; id: string; error: ConsoleError }
  | { step: 'done'; id: string; address: string; seconds: number; tokens: number };

/** What a run is known by: a name in the tab's storage, and the account. */
export interface RunKey {
  name: string;
  account: string;
}

const againMs = 1_200;
const runs = new Map<string, Entry>();

interface Entry {
  store: Store<Run>;
  abort: AbortController;
  /** Of an upload that got no answer: the same form is sent again under the same key, so that it is never paid twice. */
  unanswered?: { form: string; key: string } | undefined;
}

/** The run of this key. After a reload, a task that is not fetched yet is found again. */
export function runOf(runKey: RunKey): Store<Run> {
  const known = runs.get(runKey.name);
  if (known) return known.store;
  const store = createStore<Run>({ step: 'none' });
  runs.set(runKey.name, { store, abort: new AbortController() });
  const task = readTask(runKey.name);
  if (task) void follow(runKey, task.id, task.since);
  return store;
}

/** Uploads and follows. Whatever was shown before is put away. `onBegun` hears of the task once it is accepted. */
export async function begin(runKey: RunKey, form: FormData, onBegun: (id: string) => void): Promise<void> {
  clear(runKey);
  const abort = new AbortController();
  const entry = entryOf(runKey, abort);
  const { store } = entry;
  const text = fingerprintOf(form);
  if (entry.unanswered?.form !== text) entry.unanswered = { form: text, key: newIdempotencyKey() };
  store.set({ step: 'uploading', progress: undefined });
  try {
    const address = `${rootOf(runKey)}/svctalk/generate`;
    const id = await upload(address, form, entry.unanswered.key, abort.signal, (progress) => {
      if (!abort.signal.aborted) store.set({ step: 'uploading', progress });
    });
    entry.unanswered = undefined;
    const since = Math.floor(Date.now() / 1000);
    keep(runKey.name, { id, since });
    onBegun(id);
    await follow(runKey, id, since);
  } catch (error) {
    if (!abort.signal.aborted) store.set({ step: 'refused', error: toConsoleError(error) });
  }
}

/** Breaks the upload off, or cancels the task. */
export async function cancel(runKey: RunKey): Promise<void> {
  const { store, abort } = entryOf(runKey);
  const run = store.get();
  if (run.step === 'uploading') {
    abort.abort();
    store.set({ step: 'none' });
  } else if (run.step === 'processing') {
    const params = { path: { account: runKey.account, id: run.id } };
    await api.DELETE('/console/api/accounts/{account}/v1/svctalk/generate/{id}', { params });
  }
}

/** Puts the run away, with its video. */
export function clear(runKey: RunKey): void {
  const { store, abort } = entryOf(runKey);
  abort.abort();
  const run = store.get();
  if (run.step === 'done') URL.revokeObjectURL(run.address);
  sessionStorage.removeItem(runKey.name);
  store.set({ step: 'none' });
}

async function follow(runKey: RunKey, id: string, since: number): Promise<void> {
  const { store, abort } = entryOf(runKey);
  const isOurs = () => !abort.signal.aborted;
  store.set({ step: 'processing', id, since });
  while (isOurs()) {
    try {
      const answer = await send(new Request(`${rootOf(runKey)}/svctalk/generate/${id}`, { signal: abort.signal }));
      if (answer.headers.get('Content-Type')?.startsWith('video/mp4')) {
        store.set({ step: 'fetching', id, since });
        const video = await answer.blob(); // this once; a download that breaks off may be tried again
        sessionStorage.removeItem(runKey.name);
        if (isOurs()) store.set({ step: 'done', id, address: URL.createObjectURL(video), ...factsOf(answer) });
        return;
      }
      await refuseFailed(answer);
    } catch (error) {
      if (!isOurs()) return;
      const failure = toConsoleError(error);
      // Away, or another tab is fetching it: it may come yet.
      if (!failure.isAway && failure.code !== 'task_being_fetched' && failure.status !== -1) {
        sessionStorage.removeItem(runKey.name);
        store.set({ step: 'failed', id, error: failure });
        return;
      }
    }
    await new Promise((done) => setTimeout(done, againMs));
  }
}

/** A failed task is answered as its record, with an error in it. */
async function refuseFailed(answer: Response): Promise<void> {
  const record: unknown = await answer.clone().json();
  const isFailed = typeof record === 'object' && record !== null && 'status' in record && record.status === 'error';
  if (isFailed) throw await errorOfAnswer(answer);
}

const factsOf = ({ headers }: Response) => ({
  seconds: Number(headers.get('X-Video-Duration')),
  tokens: Number(headers.get('X-Tokens')),
});

const rootOf = ({ account }: RunKey): string => `/console/api/accounts/${account}/v1`;

const fingerprintOf = (form: FormData): string =>
  JSON.stringify(
    [...form].map(([name, part]) => [
      name,
      typeof part === 'string' ? part : [part.name, part.size, part.lastModified],
    ]),
  );

/** `abort`: of a new run. */
function entryOf(runKey: RunKey, abort?: AbortController): Entry {
  runOf(runKey);
  const entry = runs.get(runKey.name);
  if (!entry) throw new TypeError(`no run of ${runKey.name}`);
  if (abort) entry.abort = abort;
  return entry;
}

function readTask(name: string): { id: string; since: number } | undefined {
  const stored = kept(name);
  if (typeof stored !== 'object' || stored === null || !('id' in stored) || !('since' in stored)) return undefined;
  const { id, since } = stored;
  return typeof id === 'string' && /^avt_\w+$/.test(id) && typeof since === 'number' ? { id, since } : undefined;
}
