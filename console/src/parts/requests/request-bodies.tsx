/** What a request said and was answered, where it was recorded: asked for by a button, since each reading is logged. */
import { useMutation } from '@tanstack/react-query';
import { Button } from 'antd';
import { type Answer, api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { CodeBlock } from '../code-block.tsx';
import { ErrorState } from '../error-state.tsx';
import { Time } from '../time.tsx';
import { BodyFiles } from './body-files.tsx';
import { readableBody } from './readable-body.ts';
import type { ShownRequest } from './request.ts';
import { requestTexts } from './texts.ts';

type Body = Answer<'getBodies'>['request'];

export function RequestBodies({ request, account }: { request: ShownRequest; account: string }) {
  const say = useTexts(requestTexts);
  const owns = useSession().accounts.some(({ id, role }) => id === account && role === 'owner');
  const asked = useMutation({
    mutationFn: () =>
      api.GET('/console/api/accounts/{account}/requests/{request}/body', {
        params: { path: { account, request: request.id }, query: { created: String(request.created) } },
      }),
  });
  if (!request.has_body) return null;
  const bodies = asked.data?.data;
  return (
    <>
      <h3>{say('bodies')}</h3>
      {!owns ? (
        <p className="tg-quiet">{say('bodiesOfOwners')}</p>
      ) : bodies ? (
        <>
          <p className="tg-quiet">
            {say('bodiesUntil')} <Time at={bodies.expires_at} />
          </p>
          <OneBody name={say('request')} body={bodies.request} none={say('noRequestText')} />
          <OneBody name={say('answerBody')} body={bodies.answer} none={say('noAnswerText')} />
        </>
      ) : (
        <>
          {asked.error && <ErrorState error={asked.error} />}
          <Button loading={asked.isPending} onClick={() => asked.mutate()}>
            {say('showBodies')}
          </Button>
        </>
      )}
    </>
  );
}

function OneBody({ name, body, none }: { name: string; body: Body; none: string }) {
  const say = useTexts(requestTexts);
  if (body === null) return <p>{none}</p>;
  const said = body.kind === 'text' ? readableBody(body.text) : undefined;
  return (
    <>
      <h4>{name}</h4>
      {body.cut && <p className="tg-quiet">{say('cutBody', { bytes: String(body.bytes) })}</p>}
      {said ? (
        <>
          {said.said !== undefined && <CodeBlock code={said.said} label={`${name}: ${say('saidText')}`} />}
          <CodeBlock code={said.text} label={name} />
        </>
      ) : (
        <BodyFiles name={name} text={body.text} />
      )}
    </>
  );
}
