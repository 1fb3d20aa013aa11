/** A form whose request is a task: fields and cost on one side, what was made and the code on the other. */
import { PlayCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import { Code } from './code.tsx';
import type { Codes } from './codes.ts';
import { CostBefore } from './cost-before.tsx';
import { type Fault, FaultAlert } from './fault.tsx';
import type { useQuote } from './quote.ts';

interface Props {
  title: string;
  fields: ReactNode;
  quote: ReturnType<typeof useQuote>;
  fault: Fault | undefined;
  isBusy: boolean;
  onRun: () => void;
  /** None: an empty list says what to do. */
  results: ReactNode[];
  codes: Codes;
  /** Opens past runs; none where they can't be opened again. */
  history?: ReactNode;
}

export function TaskForm({ title, fields, quote, fault, isBusy, onRun, results, codes, history }: Props) {
  const say = useTexts(playgroundTexts);
  return (
    <div className="tg-play">
      <form
        className="tg-play-form"
        aria-label={title}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onRun();
        }}
      >
        {fields}
        <CostBefore quote={quote} />
        <FaultAlert fault={fault} />
        <Button type="primary" htmlType="submit" icon={<PlayCircleOutlined />} loading={isBusy} block>
          {say('run')}
        </Button>
      </form>
      <div className="tg-play-results">
        <section aria-label={say('results')} className="tg-runs">
          <header className="tg-toolbar">
            <h2>{say('results')}</h2>
            <span className="tg-space" />
            {history}
          </header>
          {results.length === 0 ? <EmptyState text={say('noResults')} /> : results}
        </section>
        <Code codes={codes} />
      </div>
    </div>
  );
}
