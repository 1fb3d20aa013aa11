/** Where an invitation leads. Its token stands behind the # of the address, which is sent to no server and no log. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { toConsoleError } from '../../api/error.ts';
import { beginSession } from '../../api/session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { AlonePage } from '../../shell/alone-page.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { AcceptForm } from './accept-form.tsx';
import { texts } from './texts.ts';

export function Component() {
  const [token] = useState(() => window.location.hash.slice(1));
  const navigate = useNavigate();
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await api.POST('/console/api/invitations/look', { body: { token } })).data,
    enabled: token !== '',
    staleTime: Infinity,
  });
  const acceptance = useMutation({
    mutationFn: (password: string) => api.POST('/console/api/invitations/accept', { body: { token, password } }),
    onSuccess: ({ data }) => {
      if (data) beginSession(data);
      void navigate('/', { replace: true });
    },
  });
  if (token === '' || isRefused(invitation.error)) return <Invalid />;
  return (
    <AlonePage>
      <Head invitation={invitation.data} />
      {invitation.isPending && <Loading />}
      {invitation.isError && <ErrorState error={invitation.error} onRetry={() => void invitation.refetch()} />}
      {invitation.data && (
        <AcceptForm
          email={invitation.data.email}
          keepsPassword={invitation.data.keeps_password}
          isBusy={acceptance.isPending}
          error={acceptance.error}
          onAccept={acceptance.mutate}
        />
      )}
    </AlonePage>
  );
}

function Head({ invitation }: { invitation: Answer<'lookAtInvitation'> | undefined }) {
  const say = useTexts(texts);
  if (!invitation) return <PageHead title={say('title')} />;
  const { email, account_name: account, role, is_operator: isOperator } = invitation;
  const description =
    account !== null
      ? say(role === 'owner' ? 'toAccountAsOwner' : 'toAccountAsMember', { email, account })
      : say(isOperator ? 'asOperator' : 'toConsole', { email });
  return <PageHead title={say('title')} description={description} />;
}

function Invalid() {
  const say = useTexts(texts);
  return (
    <AlonePage>
      <PageHead title={say('invalidTitle')} />
      <EmptyState text={say('invalid')} action={<Button href="/console/sign-in">{say('toSignIn')}</Button>} />
    </AlonePage>
  );
}

/** The server knows the token no more; anything else may pass. */
function isRefused(error: unknown): boolean {
  const { status } = toConsoleError(error);
  return status >= 400 && status < 500 && status !== 429;
}
