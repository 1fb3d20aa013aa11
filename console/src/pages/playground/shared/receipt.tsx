/** What a run has cost, by the ledger's own entries: shown once they are booked, and then the balance is refetched. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import type { components } from '../../../api/schema.ts';
import { ExactMoney } from '../../../parts/money.tsx';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../../texts/language.ts';
import { playgroundTexts } from '../texts.ts';
import { readEntries, refreshBalance } from './facts.ts';

type Entry = components['schemas']['LedgerPage']['data'][number];
type RunId = { task_id: string } | { request_id: string };

const againMs = 600;
/** A run that was refused before its hold leaves no entry. */
const looksMax = 20;

interface Summary {
  held: number;
  charged: number;
  isBooked: boolean;
  /** Of a call that is charged by them. */
  tokens: { input: number; output: number } | undefined;
}

/** `isOver`: whether the run has ended, and is to be booked now if it isn't yet. */
export function Receipt({ of, isOver }: { of: RunId; isOver: boolean }) {
  const say = useTexts(playgroundTexts);
  const account = useAccountId();
  const number = new Intl.NumberFormat(localeOf(useLanguage()));
  const { data } = useQuery({
    queryKey: ['playground-receipt', account, of, isOver],
    queryFn: async ({ signal }) => summaryOf(await readEntries(account, of, signal)),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) =>
      isOver && state.data?.isBooked !== true && state.dataUpdateCount < looksMax ? againMs : false,
  });
  const isBooked = data?.isBooked ?? false;
  const held = data?.held;
  useEffect(() => {
    if (held !== undefined) void refreshBalance();
  }, [held, isBooked]);
  if (!data || data.held === 0) return null;
  const id = 'task_id' in of ? of.task_id : of.request_id;
  return (
    <dl className="tg-cost tg-cost-after" aria-label={say('costAfter')}>
      {!isBooked && <Amount name={say('held')} amount={data.held} />}
      {isBooked && <Amount name={say('charged')} amount={data.charged} strong />}
      {isBooked && data.held > data.charged && <Amount name={say('returned')} amount={data.held - data.charged} />}
      {data.tokens && (
        <div>
          <dt>{say('tokens')}</dt>
          <dd>
            {say('tokensInOut', { input: number.format(data.tokens.input), output: number.format(data.tokens.output) })}
          </dd>
        </div>
      )}
      <div>
        <dt className="tg-hidden">{say('entries')}</dt>
        <dd>
          <Link to={`/${account}/ledger?id=${id}`}>{say('entries')}</Link>
        </dd>
      </div>
    </dl>
  );
}

function Amount({ name, amount, strong = false }: { name: string; amount: number; strong?: boolean }) {
  const rounded = Math.round(amount * 1e6) / 1e6;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {strong ? (
          <strong>
            <ExactMoney amount={rounded} />
          </strong>
        ) : (
          <ExactMoney amount={rounded} />
        )}
      </dd>
    </div>
  );
}

function summaryOf(entries: readonly Entry[]): Summary {
  const hold = entries.find(({ type }) => type === 'hold');
  const capture = entries.find(({ type }) => type === 'capture');
  const of = (unit: string) =>
    (capture?.lines ?? []).filter((line) => line.unit.startsWith(unit)).reduce((sum, { units }) => sum + units, 0);
  const tokens = { input: of('input') + of('cached'), output: of('output') };
  return {
    held: -(hold?.amount ?? 0),
    charged: Math.round(entries.reduce((sum, { charged }) => sum + charged, 0) * 1e6) / 1e6,
    isBooked: entries.some(({ type }) => type === 'capture' || type === 'release' || type === 'write_off'),
    tokens: tokens.input + tokens.output > 0 ? tokens : undefined,
  };
}
