/** Switches of models that the config file no longer has: shown because they apply again if the model comes back. */
import { query } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { SetBy, switchModel } from './switches.tsx';
import { texts } from './texts.ts';

const refreshMs = 10_000;

/** Shows nothing where there are none; the page above reports a failed read. */
export function Leftovers() {
  const say = useTexts(texts);
  const { data, refetch } = query.useQuery(
    'get',
    '/console/api/operator/model-switches',
    {},
    { refetchInterval: refreshMs },
  );
  const left = data?.data.filter((one) => !one.is_in_file) ?? [];
  if (left.length === 0) return null;
  return (
    <section className="tg-operator-leftovers" aria-labelledby="leftovers">
      <h2 id="leftovers">{say('leftovers')}</h2>
      <p>{say('leftoversMeans')}</p>
      <ul>
        {left.map((one) => (
          <li key={one.model}>
            <div>
              <code>{one.model}</code>{' '}
              {(['published', 'maintenance'] as const)
                .filter((field) => one[field] !== null)
                .map((field) => `${say(field)}: ${say(one[field] === true ? 'yes' : 'no')}`)
                .join(' · ')}
              <div className="tg-rows-hint">
                <SetBy set={one} />
              </div>
            </div>
            <ConfirmButton
              title={say('askRemove', { id: one.model })}
              text={say('removeMeans')}
              onConfirm={async () => {
                await switchModel({ model: one.model, published: null, maintenance: null, reason: '' });
                await refetch();
              }}
              buttonProps={{ size: 'small', 'aria-label': say('nameAction', { action: say('remove'), id: one.model }) }}
            >
              {say('remove')}
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
