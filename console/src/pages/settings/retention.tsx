/** How long results and records are kept, as the operator configured it. */
import { Fact } from '../../parts/fact.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Settings } from './index.tsx';
import { texts } from './texts.ts';

export function Retention({ settings }: { settings: Settings }) {
  const say = useTexts(texts);
  return (
    <Panel title={say('retention')}>
      <p className="tg-quiet">{say('retentionNote')}</p>
      <dl className="tg-facts">
        <Fact name={say('results')}>{say('days', { count: settings.result_retention_days })}</Fact>
        <Fact name={say('requests')}>{say('days', { count: settings.request_retention_days })}</Fact>
      </dl>
    </Panel>
  );
}
