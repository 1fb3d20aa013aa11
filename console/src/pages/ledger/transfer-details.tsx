/** The entries of a call, task or credit, one below the other, in a drawer. */
import { Drawer } from 'antd';
import { query } from '../../api/client.ts';
import { entryTexts } from '../../parts/entry-texts.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { EntryFacts } from './details.tsx';
import type { Transfer } from './transfers.tsx';

const drawerPx = 480;

export function TransferDetails({ transfer, onClose }: { transfer: Transfer | undefined; onClose: () => void }) {
  const sayEntry = useTexts(entryTexts);
  return (
    <Drawer
      open={transfer !== undefined}
      onClose={onClose}
      size={drawerPx}
      title={transfer && (transfer.model ?? sayEntry(transfer.type))}
      destroyOnHidden
    >
      {transfer && <Entries transfer={transfer} />}
    </Drawer>
  );
}

const entriesMax = 100;

function Entries({ transfer: { id, task_id: task, request_id: request, created } }: { transfer: Transfer }) {
  const sayEntry = useTexts(entryTexts);
  const account = useAccountId();
  const subject = task !== null ? { task_id: task } : request !== null ? { request_id: request } : atThatTime(created);
  const init = { params: { path: { account }, query: { ...subject, limit: entriesMax } } };
  const { data, error } = query.useQuery('get', '/console/api/accounts/{account}/ledger', init);
  if (error !== null) return <ErrorState error={error} />;
  if (!data) return <Loading rows={6} />;
  // A caller may have sent the same request id more than once.
  const own = data.data.filter((entry) => entry.id.startsWith(`${id}.`));
  return own.toReversed().map((entry) => (
    <section key={entry.id}>
      <h3>{sayEntry(entry.type)}</h3>
      <EntryFacts entry={entry} />
    </section>
  ));
}

/** Of a credit: it has neither a task nor a request. */
const atThatTime = (seconds: number) => ({
  from: new Date(seconds * 1000).toISOString(),
  to: new Date((seconds + 1) * 1000).toISOString(),
});
