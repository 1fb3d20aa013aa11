/** The account's webhook: where its events go, and what became of each. */
import { PageHead } from '../../parts/page-head.tsx';
import { useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Events } from './events.tsx';
import { Settings } from './settings.tsx';
import { texts } from './texts.ts';
import './webhooks.css';

export function Component() {
  const say = useTexts(texts);
  const mayChange = useMayChange();
  return (
    <>
      <PageHead
        title={say('title')}
        description={
          <>
            {say(mayChange ? 'description' : 'readOnly')} <a href="/docs">{say('toDocs')}</a>
          </>
        }
      />
      {mayChange && <Settings />}
      <section aria-labelledby="tg-events">
        <h2 id="tg-events">{say('events')}</h2>
        <Events />
      </section>
    </>
  );
}
