/** The facts of a key: its ends, who made it and when, until when, and from where it may be used. */
import { Link } from 'react-router';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Money } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { Key } from '../keys/key-fields.ts';
import { texts } from './texts.ts';

export function Facts({ of: key }: { of: Key }) {
  const say = useTexts(texts);
  return (
    <dl className="tg-facts">
      <Fact name={say('key')}>
        <span className="tg-mono">
          {key.start}…{key.last4}
        </span>
      </Fact>
      <Fact name={say('id')}>
        <span className="tg-mono">{key.id}</span> <CopyButton text={key.id} label={say('copyId')} />
      </Fact>
      <Fact name={say('created')}>
        <Time at={key.created} />
      </Fact>
      <Fact name={say('createdBy')}>
        <Maker of={key} />
      </Fact>
      <Fact name={say('expires')}>{key.expires_at === null ? say('never') : <Time at={key.expires_at} />}</Fact>
      <Fact name={say('lastUsed')}>
        {key.last_used === null ? say('neverUsed') : <Time at={key.last_used} relative />}
      </Fact>
      <Fact name={say('models')}>{key.models === null ? say('allModels') : key.models.join(', ')}</Fact>
      <Fact name={say('addresses')}>
        {key.allowed_ips === null
          ? say('allAddresses')
          : key.allowed_ips.map((address) => (
              <div key={address} className="tg-mono">
                {address}
              </div>
            ))}
      </Fact>
      <Fact name={say('calls')}>
        <Count of={key.calls.total} />
      </Fact>
      <Fact name={say('spent')}>
        <Money amount={key.spent.total} />
      </Fact>
    </dl>
  );
}

/** A key that made another one leads to its own page. */
function Maker({ of: { created_by: maker, is_playground: isPlayground } }: { of: Key }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const { kind, name, id } = maker;
  if (isPlayground) return name === null ? say('byPlayground') : say('byPlaygroundOf', { name });
  switch (kind) {
    case 'person':
      return name ?? say('byPerson');
    case 'key':
      return (
        <>
          {say('byKey')} <Link to={`/${account}/keys/${id ?? ''}`}>{name ?? id}</Link>
        </>
      );
    case 'operator':
      return say('byOperator');
    case 'cli':
      return say('byCommand');
    case 'tollgate':
      return say('byFirstStart');
    case 'unknown':
      return say('unknown');
    default:
      return kind satisfies never;
  }
}
