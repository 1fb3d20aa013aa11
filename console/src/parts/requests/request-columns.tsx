/** The columns of lists of requests. */
import { Button } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { durationText } from '../measures.ts';
import { Money } from '../money.tsx';
import { Count } from '../numbers.tsx';
import type { Column } from '../operator/rows.tsx';
import { Time, useTimeText } from '../time.tsx';
import type { ShownRequest } from './request.ts';
import { RequestStatus } from './request-status.tsx';
import { requestTexts } from './texts.ts';

/** The first one names the row and opens its details. */
export function useRequestColumns<Shown extends ShownRequest>(onOpen: (request: Shown) => void): Column<Shown>[] {
  const say = useTexts(requestTexts);
  const locale = localeOf(useLanguage());
  const timeText = useTimeText();
  return [
    {
      key: 'request',
      title: say('request'),
      render: (request) => {
        const { created, path, method, model } = request;
        return (
          <>
            <Button
              type="link"
              size="small"
              className="tg-flush"
              aria-label={say('details', { what: model ?? path, time: timeText(new Date(created * 1000)) })}
              onClick={() => onOpen(request)}
            >
              {model ?? `${method} ${path}`}
            </Button>
            <span className="tg-second">
              <Time at={created} />
            </span>
          </>
        );
      },
    },
    { key: 'status', title: say('status'), render: (request) => <RequestStatus request={request} /> },
    { key: 'key', title: say('key'), isShort: true, render: ({ key_id: id, key_name: name }) => name ?? id },
    {
      key: 'latency',
      title: say('latency'),
      isNumber: true,
      render: ({ latency_ms: ms, first_token_ms: firstMs }) => (
        <>
          {durationText(ms / 1000, locale)}
          {firstMs !== null && (
            <span className="tg-second">{say('first', { time: durationText(firstMs / 1000, locale) })}</span>
          )}
        </>
      ),
    },
    {
      key: 'tokens',
      title: say('tokens'),
      isNumber: true,
      render: ({ input_tokens: input, output_tokens: output, cached_input_tokens: cached }) =>
        input === null || output === null ? (
          '–'
        ) : (
          <>
            <Count of={input} /> → <Count of={output} />
            {cached !== null && cached > 0 && (
              <span className="tg-second">{say('cached', { count: cached.toLocaleString(locale) })}</span>
            )}
          </>
        ),
    },
    {
      key: 'cost',
      title: say('cost'),
      isNumber: true,
      render: ({ cost }) => (cost === null ? '–' : <Money amount={cost} />),
    },
    { key: 'client', title: say('client'), isExtra: true, render: ({ client }) => client ?? '–' },
  ];
}
