/** What an account's row notes of its balance besides the figures: whether it is in arrears, and whether it is low. */
import { implausibleUsage } from '../../domain/overrun.ts';
import { type Check, report } from './audit.ts';

/**
 * With `since`, arrears are compared where an entry of since then brings or ends them.
 */
export const balances: Check = {
  name: 'balances',
  async run(context) {
    const { since } = context;
    await report(context, arrearsSql(since !== undefined), since ? [since] : []);
    await report(context, lowSql);
  },
};

// A write-off for want of money brings arrears, one that is the operator's loss doesn't (a process was lost, an upstream
// claimed what can't be); a credit or a correction in the customer's favour ends them.
const arrearsSql = (isPart: boolean) => `select a.id, case when a.in_arrears
    then 'it is said to be in arrears, and by its entries it is not'
    else 'by its entries it is in arrears, and it is not said to be' end
  from accounts a ${isPart ? '' : 'left'} join (
    select account_id, max(seq) filter (where type = 'write_off') as began, max(seq) filter (where type <> 'write_off') as ended
    from entries
    where (type = 'write_off' and coalesce(reason, '') not in ('owner_lost', '${implausibleUsage}') or type = 'credit' or type = 'adjustment' and d_available > 0)
    ${isPart ? 'and created_at >= $1' : ''}
    group by account_id
  ) e on e.account_id = a.id
  where a.in_arrears <> coalesce(e.began > coalesce(e.ended, 0), false)`;

const lowSql = `select id, format('%s micro-yuan and a threshold of %s: it is %s, and is said to be otherwise', available + held,
    coalesce(low_balance::text, 'none'), case when is_low then 'not low' else 'low' end)
  from accounts where is_low <> coalesce(available + held < low_balance, false)`;
