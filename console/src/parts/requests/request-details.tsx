/** All that is known of a request, in a drawer: its facts, when what came, who was asked, and what it moved in the ledger. */
import { Drawer } from 'antd';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { CopyButton } from '../copy-button.tsx';
import { entryTexts } from '../entry-texts.ts';
import { ErrorState } from '../error-state.tsx';
import { Loading } from '../loading.tsx';
import { durationText } from '../measures.ts';
import { ExactMoney } from '../money.tsx';
import { Count, SignedMoney } from '../numbers.tsx';
import { Sheet } from '../sheet.tsx';
import { Time } from '../time.tsx';
import type { ShownRequest } from './request.ts';
import { RequestBodies } from './request-bodies.tsx';
import { useErrorMeaning } from './error-meanings.ts';
import { RunAgain } from './run-again.tsx';
import { RequestStatus } from './request-status.tsx';
import { requestTexts } from './texts.ts';
import { Fact } from '../fact.tsx';

const drawerPx = 560;

interface RequestDetailsProps {
  /** Undefined: nothing is open. */
  id: string | undefined;
  /** The ones of this id: a caller may have sent its own more than once. */
  requests: readonly ShownRequest[];
  /** Whose they are; those of all accounts say it themselves. */
  account?: string;
  isLoading: boolean;
  error: unknown;
  onClose: () => void;
}

export function RequestDetails({ id, requests, account, isLoading, error, onClose }: RequestDetailsProps) {
  const say = useTexts(requestTexts);
  return (
    <Drawer open={id !== undefined} onClose={onClose} size={drawerPx} title={say('request')} destroyOnHidden>
      {isLoading ? (
        <Loading rows={6} />
      ) : error ? (
        <ErrorState error={error} />
      ) : requests.length === 0 ? (
        <p>{say('gone')}</p>
      ) : (
        requests.map((request) => (
          <Content
            key={`${request.created} ${request.path}`}
            request={request}
            account={'account' in request ? request.account.id : (account ?? '')}
          />
        ))
      )}
    </Drawer>
  );
}

function Content({ request, account }: { request: ShownRequest; account: string }) {
  const say = useTexts(requestTexts);
  const meaning = useErrorMeaning()(request.code);
  const owns = useSession().accounts.some(({ id, role }) => id === account && role === 'owner');
  return (
    <>
      <dl className="tg-facts">
        <Fact name={say('status')}>
          <RequestStatus request={request} />
        </Fact>
        {meaning !== undefined && <Fact name={say('meaning')}>{meaning}</Fact>}
        {'account' in request && (
          <Fact name={say('account')}>
            <Link to={`/${account}/overview`}>{request.account.name ?? account}</Link>
          </Fact>
        )}
        <Fact name={say('time')}>
          <Time at={request.created} />
        </Fact>
        <Fact name={say('address')}>
          <span className="tg-mono">
            {request.method} {request.path}
          </span>
        </Fact>
        {request.model !== null && <Fact name={say('model')}>{request.model}</Fact>}
        <Fact name={say('key')}>
          {request.key_name} <span className="tg-second tg-mono">{request.key_id}</span>
        </Fact>
        <Fact name={say('answer')}>{say(request.stream ? 'streamed' : 'whole')}</Fact>
        <Tokens request={request} />
        <Fact name={say('cost')}>{request.cost === null ? '–' : <ExactMoney amount={request.cost} />}</Fact>
        {request.task_id !== null && (
          <Fact name={say('task')}>
            <Link to={`/${account}/tasks/${request.task_id}`}>{request.task_id}</Link>
          </Fact>
        )}
        {request.user !== null && <Fact name={say('user')}>{request.user}</Fact>}
        {request.tag !== null && <Fact name={say('tag')}>{request.tag}</Fact>}
        {request.client !== null && <Fact name={say('client')}>{request.client}</Fact>}
        <Fact name={say('id')}>
          <span className="tg-mono">{request.id}</span> <CopyButton text={request.id} />
        </Fact>
      </dl>
      {owns && <RunAgain request={request} account={account} />}
      <Timeline request={request} />
      {request.served_by && <ServedBy {...request.served_by} />}
      <RequestBodies request={request} account={account} />
      <Entries request={request} account={account} />
    </>
  );
}

function Tokens({ request }: { request: ShownRequest }) {
  const say = useTexts(requestTexts);
  const locale = localeOf(useLanguage());
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = request;
  if (input === null || output === null) return null;
  return (
    <>
      <Fact name={say('input')}>
        <Count of={input} />
        {cached !== null && cached > 0 && (
          <span className="tg-second">{say('cached', { count: cached.toLocaleString(locale) })}</span>
        )}
      </Fact>
      <Fact name={say('output')}>
        <Count of={output} />
      </Fact>
    </>
  );
}

function Timeline({ request }: { request: ShownRequest }) {
  const say = useTexts(requestTexts);
  const locale = localeOf(useLanguage());
  const steps = [
    { name: say('arrived'), ms: 0 },
    ...(request.first_token_ms === null ? [] : [{ name: say('firstToken'), ms: request.first_token_ms }]),
    { name: say('ended'), ms: request.latency_ms },
  ];
  return (
    <>
      <h3>{say('timeline')}</h3>
      <Sheet
        label={say('timeline')}
        rows={steps}
        keyOf={({ name }) => name}
        columns={[
          { key: 'step', title: say('step'), cell: ({ name }) => name },
          {
            key: 'at',
            title: say('after'),
            isNumber: true,
            cell: ({ ms }) => (ms === 0 ? '0' : durationText(ms / 1000, locale)),
          },
        ]}
      />
    </>
  );
}

/** For operators: the routes that were asked. */
function ServedBy({ provider, attempts }: NonNullable<ShownRequest['served_by']>) {
  const say = useTexts(requestTexts);
  const locale = localeOf(useLanguage());
  if (provider === null) return null;
  return (
    <>
      <h3>{say('routes')}</h3>
      {attempts.length === 0 ? (
        <p>{say('servedBy', { provider })}</p>
      ) : (
        <Sheet
          label={say('routes')}
          rows={attempts.map((attempt, at) => ({ ...attempt, at }))}
          keyOf={({ at }) => String(at)}
          columns={[
            {
              key: 'provider',
              title: say('provider'),
              cell: (attempt) => (
                <>
                  {attempt.provider} <span className="tg-second">{attempt.model}</span>
                </>
              ),
            },
            { key: 'fault', title: say('outcome'), cell: ({ fault }) => fault ?? say('answered') },
            { key: 'ms', title: say('took'), isNumber: true, cell: ({ ms }) => durationText(ms / 1000, locale) },
          ]}
        />
      )}
    </>
  );
}

function Entries({ request, account }: { request: ShownRequest; account: string }) {
  const say = useTexts(requestTexts);
  const sayEntry = useTexts(entryTexts);
  const subject = request.task_id === null ? { request_id: request.id } : { task_id: request.task_id };
  const init = { params: { path: { account }, query: subject } };
  const { data, error } = query.useQuery('get', '/console/api/accounts/{account}/ledger', init);
  if (error !== null) return <ErrorState error={error} />;
  if (!data) return <Loading rows={3} />;
  if (data.data.length === 0) return <p className="tg-quiet">{say('noEntries')}</p>;
  return (
    <>
      <h3>{say('entries')}</h3>
      <Sheet
        label={say('entries')}
        rows={data.data.toReversed()}
        keyOf={({ id }) => id}
        columns={[
          { key: 'type', title: say('entry'), cell: ({ type }) => sayEntry(type) },
          {
            key: 'amount',
            title: say('amount'),
            isNumber: true,
            cell: ({ amount }) => <SignedMoney amount={amount} isExact />,
          },
          {
            key: 'charged',
            title: say('charge'),
            isNumber: true,
            cell: ({ charged }) => (charged > 0 ? <ExactMoney amount={charged} /> : '–'),
          },
        ]}
      />
      <p>
        <Link to={`/${account}/ledger?id=${request.task_id ?? request.id}`}>{say('inLedger')}</Link>
      </p>
    </>
  );
}
