/** Chooses the account whose pages are shown; it stays on the same page where the other account has it too. */
import { DownOutlined } from '@ant-design/icons';
import { lazy, Suspense, useState } from 'react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { query } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

const loadSelect = () => import('./account-select.tsx');
const AccountSelect = lazy(loadSelect);

export function AccountSwitcher() {
  const [isWanted, setWanted] = useState(false);
  const say = useTexts(shellTexts);
  const { accounts } = useSession();
  const { account: id } = useParams();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const options = accounts.map(({ id: value, name, status }) => ({
    value,
    label: status === 'suspended' ? `${name} (${say('suspended')})` : name,
  }));
  // An operator looks into accounts that are not theirs.
  const isForeign = id?.startsWith('acc_') === true && !options.some(({ value }) => value === id);
  const foreign = query.useQuery(
    'get',
    '/console/api/accounts/{account}',
    { params: { path: { account: id ?? '' } } },
    { enabled: isForeign },
  );
  if (isForeign) options.push({ value: id, label: foreign.data?.name ?? id });
  if (options.length === 0) return null;
  const near = () => void loadSelect();
  // It looks like the list that it opens, which few visits need and is loaded when the pointer or the focus comes near.
  const closed = (
    <button
      type="button"
      className="tg-switcher tg-switcher-closed"
      role="combobox"
      aria-label={say('chooseAccount')}
      aria-haspopup="listbox"
      aria-expanded={false}
      onPointerEnter={near}
      onFocus={near}
      onClick={() => setWanted(true)}
    >
      <span>{options.find(({ value }) => value === id)?.label ?? say('account')}</span>
      <DownOutlined aria-hidden />
    </button>
  );
  if (!isWanted) return closed;
  return (
    <Suspense fallback={closed}>
      <AccountSelect
        id={id ?? null}
        options={options}
        onChoose={(next) => {
          // The first part after the account; what follows it, such as a task, belongs to that account alone.
          const page = id === undefined ? undefined : pathname.split('/')[2];
          void navigate(`/${next}/${page === 'playground' ? 'playground/chat' : (page ?? 'overview')}`);
        }}
      />
    </Suspense>
  );
}
