/** What distinguishes a key: its name, level and state, and what is known of the key itself. */
import { CheckCircleOutlined, ClockCircleOutlined, StopOutlined } from '@ant-design/icons';
import { Tag } from 'antd';
import { Link } from 'react-router';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { Key } from './key-fields.ts';
import { texts } from './texts.ts';

const looks = {
  active: { color: 'success', icon: <CheckCircleOutlined /> },
  expired: { color: 'warning', icon: <ClockCircleOutlined /> },
  revoked: { color: 'default', icon: <StopOutlined /> },
} as const;

export function KeyName({ of: key }: { of: Key }) {
  const account = useAccountId();
  return (
    <div className="tg-key">
      <Link to={`/${account}/keys/${key.id}`}>
        <strong>{key.name}</strong>
      </Link>
      <code>
        {key.start}…{key.last4}
      </code>
      <KeyTags of={key} />
    </div>
  );
}

/** How the key stands, what it may do, and whether it is the playground's. */
export function KeyTags({ of: key }: { of: Key }) {
  const say = useTexts(texts);
  return (
    <span>
      <Tag color={looks[key.state].color} icon={looks[key.state].icon}>
        {say(`state_${key.state}`)}
      </Tag>
      <Tag>{say(`level_${key.level}`)}</Tag>
      {key.is_playground && <Tag color="processing">{say('ofPlayground')}</Tag>}
    </span>
  );
}
