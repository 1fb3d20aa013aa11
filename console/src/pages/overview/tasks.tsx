/** What runs, and what failed of late: each leads to the task's page. */
import { Link } from 'react-router';
import { Panel } from '../../parts/panel.tsx';
import { ServerText } from '../../parts/server-text.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Overview } from './index.tsx';
import { texts } from './texts.ts';

export function Running({ running: { count, newest } }: { running: Overview['running'] }) {
  const say = useTexts(texts);
  return (
    <Panel title={say('running')} aside={<Link to="../tasks">{say('allTasks')}</Link>}>
      {count === 0 ? (
        <p className="tg-quiet">{say('noneRunning')}</p>
      ) : (
        <ul className="tg-plain-list">
          {newest.map(({ id, kind, model, created, state }) => (
            <li key={id}>
              <Link to={`../tasks/${id}`}>
                {say(kind)} · {model}
              </Link>
              <span className="tg-quiet">
                {say(state === 'accepted' ? 'accepted' : 'runningState')} · <Time at={created} relative />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function Failures({ failed: { newest } }: { failed: Overview['failed'] }) {
  const say = useTexts(texts);
  return (
    <Panel title={say('failures')} aside={<Link to="../tasks?status=failed">{say('allTasks')}</Link>}>
      {newest.length === 0 ? (
        <p className="tg-quiet">{say('noFailures')}</p>
      ) : (
        <ul className="tg-plain-list">
          {newest.map(({ id, kind, model, finished, error }) => (
            <li key={id}>
              <Link to={`../tasks/${id}`}>
                {say(kind)} · {model}
              </Link>
              <span className="tg-quiet">
                <Time at={finished} relative />
              </span>
              <div>
                <code className="tg-mono">{error.code}</code> <ServerText said={error} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
