/** The audits that were made. */
import { CheckCircleOutlined, CloseCircleOutlined } from '@ant-design/icons';
import { Button, Tag } from 'antd';
import type { Answer } from '../../api/client.ts';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { texts } from './texts.ts';

type Audit = Answer<'listAudits'>['data'][number];

interface AuditRowsProps {
  audits: Audit[];
  shown: string | undefined;
  onShow: (id: string) => void;
}

export function AuditRows({ audits, shown, onShow }: AuditRowsProps) {
  const say = useTexts(texts);
  const numbers = new Intl.NumberFormat(localeOf(useLanguage()));
  const columns: Column<Audit>[] = [
    { key: 'finished', title: say('finished'), render: ({ finished }) => <Time at={finished} /> },
    { key: 'result', title: say('result'), isPlain: true, render: (audit) => <Outcome of={audit} /> },
    {
      key: 'entries',
      title: say('entriesCount'),
      isNumber: true,
      render: ({ looked }) => numbers.format(looked['entries'] ?? 0),
    },
    {
      key: 'took',
      title: say('duration'),
      isNumber: true,
      render: ({ started, finished }) =>
        say('seconds', { seconds: finished - started < 1 ? '<1' : numbers.format(finished - started) }),
    },
    {
      key: 'show',
      title: say('details'),
      isPlain: true,
      render: ({ id }) => (
        <Button size="small" disabled={id === shown} onClick={() => onShow(id)}>
          {say('show')}
        </Button>
      ),
    },
  ];
  return <Rows caption={say('history')} columns={columns} items={audits} idOf={({ id }) => id} />;
}

function Outcome({ of: { agrees, finding_count: count, since, left_out: leftOut } }: { of: Audit }) {
  const say = useTexts(texts);
  return (
    <>
      {agrees ? (
        <Tag color="success" icon={<CheckCircleOutlined />}>
          {say('agreesShort')}
        </Tag>
      ) : (
        <Tag color="error" icon={<CloseCircleOutlined />}>
          {say('disagreesShort', { count })}
        </Tag>
      )}
      {(since !== null || leftOut.length > 0) && <span className="tg-rows-hint"> {say('partial')}</span>}
    </>
  );
}
