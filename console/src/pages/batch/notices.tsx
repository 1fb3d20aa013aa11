/** Why nothing is sent, or was, and the way out. */
import { Alert } from 'antd';
import { Link } from 'react-router';
import { useMoneyText } from '../../parts/money.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { BatchPage } from './batch-page.ts';
import { texts } from './texts.ts';

export function Notices({ batch: { status, paused, balance, mistakes } }: { batch: BatchPage }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const moneyText = useMoneyText();
  if (status === 'failed' && mistakes.length > 0) {
    return (
      <Alert className="tg-batch-notice" type="error" showIcon title={say('refused', { count: mistakes.length })} />
    );
  }
  if (status !== 'in_progress' || paused === null) return null;
  if (paused === 'provider_busy') return <Alert className="tg-batch-notice" type="info" showIcon title={say('busy')} />;
  return (
    <Alert
      className="tg-batch-notice"
      type="warning"
      showIcon
      title={say('noMoney', { balance: moneyText(balance) })}
      description={<Link to={`/${account}/ledger`}>{say('toBalance')}</Link>}
    />
  );
}
