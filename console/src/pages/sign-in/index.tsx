/** Where people sign in; afterwards they are where they wanted to go. */
import { Navigate, useLocation } from 'react-router';
import { useSessionQuery } from '../../api/session.ts';
import { hasStatusPage } from '../../parts/has-status-page.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { AlonePage } from '../../shell/alone-page.tsx';
import { SignInForm } from '../../shell/sign-in-form.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  const { data: session } = useSessionQuery();
  const next = nextOf(useLocation().state);
  if (session) return <Navigate to={next} replace />;
  return (
    <AlonePage>
      <PageHead title={say('title')} description={say('description')} />
      <SignInForm />
      <p className="tg-entry-foot">
        {say('invited')} {say('forgotten')}
      </p>
      {hasStatusPage() && (
        <p className="tg-entry-foot">
          <a href="/status">{say('status')}</a>
        </p>
      )}
    </AlonePage>
  );
}

/** A path of this application, put there by the shell. */
function nextOf(state: unknown): string {
  if (typeof state !== 'object' || state === null || !('next' in state)) return '/';
  return typeof state.next === 'string' && /^\/(?!\/)/.test(state.next) ? state.next : '/';
}
