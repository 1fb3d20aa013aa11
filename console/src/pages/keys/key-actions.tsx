/** What an owner can do with a key that was not revoked. */
import { useQueryClient } from '@tanstack/react-query';
import { Button } from 'antd';
import { api } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { useAccountId, useOwns } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { Key } from './key-fields.ts';
import { RotateButton } from './rotate-button.tsx';
import { texts } from './texts.ts';

export function KeyActions({ of: key, onChange }: { of: Key; onChange: () => void }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const isOwner = useOwns();
  if (key.state === 'revoked') return null;
  const { id, name, start, last4 } = key;
  const revoke = async () => {
    await api.DELETE('/console/api/accounts/{account}/keys/{key}', { params: { path: { account, key: id } } });
    await queries.invalidateQueries({ queryKey: ['keys', account] });
  };
  return (
    <span className="tg-actions">
      <Button size="small" type="text" aria-label={say('editOf', { name })} onClick={onChange}>
        {say('edit')}
      </Button>
      {isOwner && key.state === 'active' && !key.is_playground && <RotateButton of={key} />}
      {/* The playground creates its own key, which never leaves the server. */}
      {!key.is_playground && (
        <ConfirmButton
          title={say('revokeTitle', { name })}
          text={say('revokeText', { start, last4 })}
          onConfirm={revoke}
          buttonProps={{ size: 'small', type: 'text', danger: true, 'aria-label': say('revokeOf', { name }) }}
        >
          {say('revoke')}
        </ConfirmButton>
      )}
    </span>
  );
}
