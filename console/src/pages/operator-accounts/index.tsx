/** All accounts of the service: found, made, and opened to be credited, corrected, changed and suspended. */
import { PlusOutlined } from '@ant-design/icons';
import { Button, Input, Segmented } from 'antd';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { api } from '../../api/client.ts';
import { Listed } from '../../parts/operator/listed.tsx';
import { useLate } from '../../parts/use-late.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { AccountDrawer } from './account-drawer.tsx';
import { AccountRows } from './account-rows.tsx';
import { accountsKey } from './accounts.ts';
import { CreateDialog } from './create-dialog.tsx';
import { texts } from './texts.ts';

const pageRows = 25;

export function Component() {
  const say = useTexts(texts);
  const [typed, setTyped] = useState('');
  const [status, setStatus] = useState<'all' | 'active' | 'suspended'>('all');
  const [isCreating, setCreating] = useState(false);
  // In the address, so that an account can be pointed to.
  const [params, setParams] = useSearchParams();
  const opened = params.get('account');
  const search = useLate(typed.trim());
  const listing = useListing({
    key: [accountsKey, search, status],
    read: async (cursor, signal) => {
      const query = {
        limit: pageRows,
        ...(cursor !== undefined && { cursor }),
        ...(search !== '' && { search }),
        ...(status !== 'all' && { status }),
      };
      const { data } = await api.GET('/console/api/operator/accounts', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const isFiltered = search !== '' || status !== 'all';
  const create = (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setCreating(true)}>
      {say('create')}
    </Button>
  );
  return (
    <>
      <PageHead title={say('title')} description={say('description')} actions={create} />
      <div className="tg-row-filters">
        <Input.Search
          aria-label={say('search')}
          placeholder={say('search')}
          allowClear
          maxLength={200}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Segmented
          aria-label={say('status')}
          value={status}
          onChange={setStatus}
          options={(['all', 'active', 'suspended'] as const).map((value) => ({ value, label: say(value) }))}
        />
      </div>
      <Listed listing={listing} empty={say(isFiltered ? 'noneFound' : 'none')} action={isFiltered ? undefined : create}>
        {(items) => <AccountRows accounts={items} onOpen={(id) => setParams({ account: id })} />}
      </Listed>
      {opened !== null && <AccountDrawer id={opened} onClose={() => setParams({})} />}
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </>
  );
}
