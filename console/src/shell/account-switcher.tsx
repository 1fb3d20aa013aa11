/** Chooses the account whose pages are shown; it stays on the same page where the other account has it too. */
import { Select } from 'antd';
import { useLocation, useNavigate, useParams } from 'react-router';
import { query } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

export function AccountSwitcher() {
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
  return (
    <Select
      className="tg-switcher"
      aria-label={say('chooseAccount')}
      placeholder={say('account')}
      value={id ?? null}
      options={options}
      showSearch={options.length > 8 ? { optionFilterProp: 'label' } : false}
      popupMatchSelectWidth={false}
      onChange={(next: string | null) => {
        // The first part after the account; what follows it, such as a task, belongs to that account alone.
        const page = id === undefined ? undefined : pathname.split('/')[2];
        if (next !== null)
          void navigate(`/${next}/${page === 'playground' ? 'playground/chat' : (page ?? 'overview')}`);
      }}
    />
  );
}
