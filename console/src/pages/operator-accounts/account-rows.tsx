/** The list of accounts. */
import { Button } from 'antd';
import { Money } from '../../parts/money.tsx';
import { AccountStatus } from '../../parts/operator/account-status.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Account } from './accounts.ts';
import { texts } from './texts.ts';

export function AccountRows({ accounts, onOpen }: { accounts: Account[]; onOpen: (id: string) => void }) {
  const say = useTexts(texts);
  const columns: Column<Account>[] = [
    {
      key: 'name',
      title: say('name'),
      render: ({ id, name }) => (
        <>
          <Button type="link" size="small" className="tg-account-open" onClick={() => onOpen(id)}>
            {name}
          </Button>
          <small>
            <code>{id}</code>
          </small>
        </>
      ),
    },
    { key: 'status', title: say('status'), isPlain: true, render: ({ status }) => <AccountStatus status={status} /> },
    { key: 'balance', title: say('balance'), isNumber: true, render: ({ balance }) => <Money amount={balance} /> },
    { key: 'held', title: say('held'), isNumber: true, render: ({ held }) => <Money amount={held} /> },
    { key: 'keys', title: say('keys'), isNumber: true, render: ({ keys }) => keys },
    { key: 'members', title: say('members'), isNumber: true, render: ({ members }) => members },
    { key: 'created', title: say('created'), isExtra: true, render: ({ created }) => <Time at={created} relative /> },
  ];
  return <Rows caption={say('title')} columns={columns} items={accounts} idOf={({ id }) => id} />;
}
