/** The browsers that the reader is signed in with. */
import { DesktopOutlined } from '@ant-design/icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Alert, Button, Tag } from 'antd';
import { api, type Answer } from '../../api/client.ts';
import { browserName } from '../../parts/browser-name.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { useErrorText } from '../../parts/error-text.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type SignIn = Answer<'listSessions'>['data'][number];

const refreshMs = 5_000;

export function SignIns() {
  const say = useTexts(texts);
  const textOf = useErrorText();
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: ['sign-ins'] });
  const list = useQuery({
    queryKey: ['sign-ins'],
    queryFn: async ({ signal }) => (await api.GET('/console/api/profile/sessions', { signal })).data?.data ?? [],
    refetchInterval: refreshMs,
  });
  const end = useMutation({
    mutationFn: (session: string) =>
      api.DELETE('/console/api/profile/sessions/{session}', { params: { path: { session } } }),
    onSettled: refresh,
  });
  if (list.isPending) return <Loading />;
  if (!list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <>
      {end.isError && <Alert className="tg-form-alert" type="error" showIcon role="alert" title={textOf(end.error)} />}
      <ul className="tg-sign-ins" aria-label={say('sessions')}>
        {list.data.map((signIn) => (
          <SignInRow
            key={signIn.id}
            of={signIn}
            isBusy={end.isPending && end.variables === signIn.id}
            onEnd={() => end.mutate(signIn.id)}
          />
        ))}
      </ul>
      {list.data.length > 1 && (
        <ConfirmButton
          title={say('endOthersTitle')}
          text={say('endOthersText')}
          onConfirm={async () => {
            await api.DELETE('/console/api/profile/sessions');
            await refresh();
          }}
        >
          {say('endOthers')}
        </ConfirmButton>
      )}
    </>
  );
}

function SignInRow({ of: signIn, isBusy, onEnd }: { of: SignIn; isBusy: boolean; onEnd: () => void }) {
  const say = useTexts(texts);
  const name = browserName(signIn.user_agent) ?? say('unknownBrowser');
  const { address } = signIn;
  return (
    <li>
      <DesktopOutlined aria-hidden />
      <div>
        <strong title={signIn.user_agent}>{name}</strong> <span className="tg-hint">{say('from', { address })}</span>
        <div className="tg-hint">
          {say('lastSeen')} <Time at={signIn.last_seen} relative /> · {say('since')} <Time at={signIn.created} />
        </div>
      </div>
      {signIn.is_current ? (
        <Tag color="success">{say('thisBrowser')}</Tag>
      ) : (
        <Button size="small" loading={isBusy} aria-label={say('endOf', { name, address })} onClick={onEnd}>
          {say('end')}
        </Button>
      )}
    </li>
  );
}
