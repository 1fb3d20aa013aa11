/** Opens a chat request in the playground as it was recorded; where it was not, a click says why and where to change that. */
import { ReloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ButtonLink } from '../button-link.tsx';
import { ErrorState } from '../error-state.tsx';
import { Loading } from '../loading.tsx';
import type { ShownRequest } from './request.ts';
import { requestTexts } from './texts.ts';

interface Props {
  request: ShownRequest;
  account: string;
}

export function RunAgain({ request: { method, path, id, created, tag, has_body: hasBody }, account }: Props) {
  const say = useTexts(requestTexts);
  const [isExplained, explain] = useState(false);
  if (method !== 'POST' || !path.endsWith('/chat/completions')) return null;
  const search = new URLSearchParams({ request: id, created: String(created), ...(tag !== null && { tag }) });
  return (
    <div className="tg-run-again">
      {hasBody ? (
        <ButtonLink to={`/${account}/playground/chat?${search.toString()}`} icon={<ReloadOutlined aria-hidden />}>
          {say('runAgain')}
        </ButtonLink>
      ) : (
        <Button
          icon={<ReloadOutlined aria-hidden />}
          aria-expanded={isExplained}
          onClick={() => explain((before) => !before)}
        >
          {say('runAgain')}
        </Button>
      )}
      {isExplained && <Explanation account={account} />}
    </div>
  );
}

function Explanation({ account }: { account: string }) {
  const say = useTexts(requestTexts);
  const params = { params: { path: { account } } };
  const { data, error } = query.useQuery('get', '/console/api/accounts/{account}/body-recording', params);
  if (error) return <ErrorState error={error} />;
  if (!data) return <Loading rows={1} />;
  if (!data.allowed) return <p role="status">{say('recordingForbidden')}</p>;
  return (
    <>
      <p role="status">{say(data.record_bodies ? 'notRecorded' : 'recordingOff')}</p>
      <Link to={`/${account}/settings`}>{say('toSettings')}</Link>
    </>
  );
}
