/** Who pays for what is tried here: an API key, or the console's session of a reader who is signed in. */
import { useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { type Reader, useReader } from './reader.ts';
import { findAccounts } from './session.ts';
import { texts } from './texts.ts';

export function KeyField({ takesSession }: { takesSession: boolean }) {
  const say = useTexts(texts);
  const { key, session, change } = useReader();
  const [note, setNote] = useState<'signedOut' | 'noAccount' | 'sessionFailed' | undefined>();
  if (session && takesSession) return <SessionChoice session={session} />;
  const askForSession = async () => {
    setNote(undefined);
    try {
      const accounts = await findAccounts();
      const [first] = accounts ?? [];
      if (accounts && first) change({ session: { accounts, account: first.id } });
      else setNote(accounts ? 'noAccount' : 'signedOut');
    } catch {
      setNote('sessionFailed');
    }
  };
  return (
    <div className="docs-key">
      <label>
        {say('key')}
        {/* Never a password: browsers offer to keep those. */}
        <input
          type="text"
          value={key}
          autoComplete="off"
          spellCheck={false}
          placeholder="sk-tg-…"
          onChange={(event) => change({ key: event.target.value.trim() })}
        />
      </label>
      <p className="docs-note">{say('keyNote')}</p>
      {takesSession && (
        <button type="button" onClick={() => void askForSession()}>
          {say('useSession')}
        </button>
      )}
      <p role="status">
        {note && say(note)} {note === 'signedOut' && <a href="/console/">{say('console')}</a>}
      </p>
    </div>
  );
}

function SessionChoice({ session: { accounts, account } }: { session: NonNullable<Reader['session']> }) {
  const say = useTexts(texts);
  const { change } = useReader();
  return (
    <div className="docs-key">
      <label>
        {say('sessionAccount')}
        <select value={account} onChange={(event) => change({ session: { accounts, account: event.target.value } })}>
          {accounts.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <p className="docs-note">{say('sessionNote')}</p>
      <button type="button" onClick={() => change({ session: undefined })}>
        {say('useKey')}
      </button>
    </div>
  );
}
