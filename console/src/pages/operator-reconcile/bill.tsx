/** One provider's last bill: whether it agrees, the sums of both sides, and the first differences. */
import { CheckCircleOutlined, CloseCircleOutlined } from '@ant-design/icons';
import { Tag } from 'antd';
import type { Answer } from '../../api/client.ts';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { texts } from './texts.ts';

type Reconciliation = Answer<'listReconciliations'>['data'][number];
type Report = Reconciliation['report'];
type Side = Report['billed'];
type Difference = Report['differences'][number];

export function Bill({ bill }: { bill: Reconciliation }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const { provider, report, agrees, share } = bill;
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 }).format(share);
  const count = report.billed_not_booked + report.booked_not_billed + report.differs;
  return (
    <section className="tg-bill" aria-label={provider}>
      <h2>
        {provider}{' '}
        <Tag color={agrees ? 'success' : 'error'} icon={agrees ? <CheckCircleOutlined /> : <CloseCircleOutlined />}>
          {say(agrees ? 'agrees' : 'disagrees', { percent })}
        </Tag>
      </h2>
      <p>
        {say('period')} <Time at={bill.from} /> – <Time at={bill.to} /> <span aria-hidden="true">·</span> {report.form}{' '}
        <span aria-hidden="true">·</span> {say('made')} <Time at={bill.made} relative />
      </p>
      <Sums report={report} />
      {count > 0 && (
        <>
          <p>{say('counts', { ...countsOf(report), shown: report.differences.length })}</p>
          <Differences report={report} />
        </>
      )}
    </section>
  );
}

const countsOf = ({ billed_not_booked, booked_not_billed, differs }: Report) => ({
  billedOnly: billed_not_booked,
  bookedOnly: booked_not_billed,
  differs,
});

function Sums({ report }: { report: Report }) {
  const say = useTexts(texts);
  const numbers = new Intl.NumberFormat(localeOf(useLanguage()));
  const numberOf = (value: number | null) => (value === null ? '–' : numbers.format(value));
  const columns: Column<{ side: 'billed' | 'booked' } & Side>[] = [
    { key: 'side', title: say('sums'), isPlain: true, render: ({ side }) => say(side) },
    { key: 'calls', title: say('calls'), isNumber: true, render: ({ calls }) => numberOf(calls) },
    { key: 'input', title: say('input'), isNumber: true, render: ({ input_tokens: input }) => numberOf(input) },
    { key: 'output', title: say('output'), isNumber: true, render: ({ output_tokens: output }) => numberOf(output) },
    { key: 'cost', title: say('cost'), isNumber: true, render: ({ cost }) => costText(cost, report.currency) },
  ];
  const items = (['billed', 'booked'] as const).map((side) => ({ side, ...report[side] }));
  return <Rows caption={say('sums')} columns={columns} items={items} idOf={({ side }) => side} />;
}

function Differences({ report }: { report: Report }) {
  const say = useTexts(texts);
  const columns: Column<Difference>[] = [
    { key: 'kind', title: say('kind'), isPlain: true, render: ({ kind }) => say(kind) },
    { key: 'subject', title: say('subject'), render: ({ subject }) => <code>{subject}</code> },
    { key: 'model', title: say('model'), render: ({ model }) => model ?? '–' },
    { key: 'fields', title: say('fields'), render: (one) => <Fields of={one} /> },
    { key: 'billed', title: say('billed'), isNumber: true, render: ({ billed }) => costOf(billed, report) },
    { key: 'booked', title: say('booked'), isNumber: true, render: ({ booked }) => costOf(booked, report) },
  ];
  return (
    <Rows
      caption={say('differences')}
      columns={columns}
      items={report.differences}
      idOf={({ kind, subject, place }) => `${kind} ${subject} ${place ?? ''}`}
    />
  );
}

function Fields({ of: { fields, billed, booked } }: { of: Difference }) {
  const values = fields.flatMap((field) => {
    const [theirs, ours] = [billed, booked].map(
      (side) => Object.entries(side ?? {}).find(([name]) => name === field)?.[1],
    );
    return field === 'cost' ? [field] : [`${field}: ${String(theirs ?? '–')} / ${String(ours ?? '–')}`];
  });
  return <>{values.length > 0 ? values.join(', ') : '–'}</>;
}

const costOf = (side: Side | null, { currency }: Report): string => costText(side?.cost ?? null, currency);

/** Amounts come as decimal text, which keeps more digits than a number would. */
const costText = (cost: string | null, currency: string | null): string =>
  cost === null ? '–' : `${cost} ${currency ?? ''}`.trim();
