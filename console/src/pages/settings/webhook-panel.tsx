/** Where events go, and the way to the page that sets it. */
import { Link } from 'react-router';
import { Panel } from '../../parts/panel.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Settings } from './index.tsx';
import { texts } from './texts.ts';

export function WebhookPanel({ settings: { webhook_url: url } }: { settings: Settings }) {
  const say = useTexts(texts);
  return (
    <Panel title={say('webhooks')}>
      <p>{url === null ? say('webhookNone') : say('webhookSet', { url })}</p>
      <Link to="../webhooks">{say('toWebhooks')}</Link>
    </Panel>
  );
}
