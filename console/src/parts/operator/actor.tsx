/** Who acted, for people: an e-mail address, a key's name, a user of the machine, or Tollgate itself. */
import { CodeOutlined, KeyOutlined, RobotOutlined, UserOutlined } from '@ant-design/icons';
import { useTexts } from '../../texts/define-texts.ts';
import { operatorTexts } from './texts.ts';

interface ActorFacts {
  id: string;
  kind: 'person' | 'key' | 'cli' | 'tollgate';
  name: string | null;
}

const icons = {
  person: <UserOutlined />,
  key: <KeyOutlined />,
  cli: <CodeOutlined />,
  tollgate: <RobotOutlined />,
} as const;

export function ActorName({ of: { id, kind, name } }: { of: ActorFacts }) {
  const say = useTexts(operatorTexts);
  const shown = name ?? id;
  const names = { person: shown, key: say('byKey', { name: shown }), cli: say('byCli', { name: shown }) };
  return (
    <span title={id}>
      <span aria-hidden="true">{icons[kind]}</span>
      {'\u00a0'}
      {kind === 'tollgate' ? say('byItself') : names[kind]}
    </span>
  );
}
