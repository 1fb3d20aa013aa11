/** The API token page: API keys are created, limited and revoked here; the list follows their use. */
import { PlusOutlined } from '@ant-design/icons';
import { Button, Segmented } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useAccountId, useMayChange, useOwns } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ChangeDrawer } from './change-drawer.tsx';
import { CreateDrawer } from './create-drawer.tsx';
import type { Key } from './key-fields.ts';
import { KeyList } from './key-list.tsx';
import { texts } from './texts.ts';
import '../../parts/cards.css';
import './keys.css';

/** A call shall be seen about when its program has its answer. */
const refresh_ms = 2_000;
const pageRows = 20;

export function Component() {
  const say = useTexts(texts);
  const mayChange = useMayChange();
  const mayCreate = useOwns();
  const [state, setState] = useState<'active' | 'all'>('active');
  const [open, setOpen] = useState<'new' | Key>();
  const listing = useKeys(state);
  const create = (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setOpen('new')}>
      {say('create')}
    </Button>
  );
  const close = () => setOpen(undefined);
  return (
    <>
      <PageHead
        title={say('title')}
        description={
          <>
            {say(mayChange ? 'description' : 'readOnly')} <a href="/docs">{say('toDocs')}</a>
          </>
        }
        actions={mayCreate && create}
      />
      <Segmented
        className="tg-filter"
        aria-label={say('filter')}
        value={state}
        onChange={setState}
        options={[
          { value: 'active', label: say('active') },
          { value: 'all', label: say('all') },
        ]}
      />
      <Keys state={state} listing={listing} create={mayCreate ? create : undefined} onChange={setOpen} />
      {open === 'new' && <CreateDrawer onClose={close} />}
      {open !== undefined && open !== 'new' && <ChangeDrawer key={open.id} changed={open} onClose={close} />}
    </>
  );
}

function useKeys(state: 'active' | 'all') {
  const account = useAccountId();
  return useListing<Key>({
    key: ['keys', account, state],
    refreshMs: refresh_ms,
    read: async (cursor, signal) => {
      const query = { limit: pageRows, state, ...(cursor !== undefined && { cursor }) };
      const init = { params: { path: { account }, query }, signal };
      const { data } = await api.GET('/console/api/accounts/{account}/keys', init);
      if (!data) throw new TypeError('an answer without a list');
      return data;
    },
  });
}

interface KeysProps {
  state: 'active' | 'all';
  listing: ReturnType<typeof useKeys>;
  create: React.ReactNode;
  onChange: (key: Key) => void;
}

function Keys({ state, listing, create, onChange }: KeysProps) {
  const say = useTexts(texts);
  const { items, error, isLoading, isFirstPage, refresh } = listing;
  if (isLoading) return <Loading />;
  if (items.length === 0 && error !== null) return <ErrorState error={error} onRetry={refresh} />;
  if (items.length === 0 && isFirstPage) {
    const none = state === 'active' ? 'noneActive' : 'noneYet';
    return <EmptyState text={create === undefined ? say(`${none}ToRead`) : say(none)} action={create} />;
  }
  return (
    <>
      <KeyList keys={items} onChange={onChange} />
      <Pager listing={listing} />
    </>
  );
}
