/** The head of the page: which key it is, how it stands, and what can be done with it. */
import { ArrowLeftOutlined } from '@ant-design/icons';
import { Link } from 'react-router';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { KeyActions } from '../keys/key-actions.tsx';
import type { Key } from '../keys/key-fields.ts';
import { KeyTags } from '../keys/key-name.tsx';
import { texts } from './texts.ts';

export function KeyHead({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  return (
    <>
      <p>
        <Link to={`/${account}/keys`}>
          <ArrowLeftOutlined aria-hidden /> {say('toKeys')}
        </Link>
      </p>
      <PageHead
        title={key.name}
        description={<KeyTags of={key} />}
        actions={mayChange && <KeyActions of={key} onChange={onChange} />}
      />
    </>
  );
}
