/** Providers: where calls and tasks go, and how each of these places is doing. */
import { query } from '../../api/client.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { ProviderCard } from './provider-card.tsx';
import './providers.css';
import { texts } from './texts.ts';

/** The day's tasks are counted anew each time. */
const refreshMs = 10_000;

export function Component() {
  const say = useTexts(texts);
  const { data, error, refetch } = query.useQuery(
    'get',
    '/console/api/operator/providers',
    {},
    { refetchInterval: refreshMs },
  );
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      {!data && !error && <Loading rows={8} />}
      {!data && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          <ul className="tg-providers">
            {data.data.map((provider) => (
              <li key={provider.name}>
                <ProviderCard provider={provider} />
              </li>
            ))}
          </ul>
          <p className="tg-provider-legend">{say('legend')}</p>
        </>
      )}
    </>
  );
}
