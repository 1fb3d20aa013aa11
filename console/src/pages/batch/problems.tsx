/** What went wrong: mistakes in the file, which kept it from running, and errors of lines that ran. */
import { Panel } from '../../parts/panel.tsx';
import { Count } from '../../parts/numbers.tsx';
import { ServerText } from '../../parts/server-text.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { BatchPage } from './batch-page.ts';
import { texts } from './texts.ts';

export function Mistakes({ batch: { mistakes } }: { batch: BatchPage }) {
  const say = useTexts(texts);
  if (mistakes.length === 0) return null;
  return (
    <Panel title={say('mistakes')} aside={say('mistakesMost')}>
      <Sheet
        label={say('mistakes')}
        rows={mistakes.map((mistake, index) => ({ ...mistake, index }))}
        keyOf={({ index }) => String(index)}
        columns={[
          { key: 'line', title: say('line'), cell: ({ line }) => line ?? say('wholeFile') },
          { key: 'message', title: say('message'), cell: (mistake) => <ServerText said={mistake} /> },
          { key: 'code', title: say('code'), isWide: true, cell: ({ code }) => <code>{code}</code> },
        ]}
      />
    </Panel>
  );
}

export function LineErrors({ batch: { line_errors: errors } }: { batch: BatchPage }) {
  const say = useTexts(texts);
  if (errors.length === 0) return null;
  return (
    <Panel title={say('lineErrors')} aside={say('lineErrorsHint')}>
      <Sheet
        label={say('lineErrors')}
        rows={errors}
        keyOf={({ code }) => code}
        columns={[
          { key: 'code', title: say('code'), cell: ({ code }) => <code>{code}</code> },
          { key: 'lines', title: say('lines'), isNumber: true, cell: ({ lines }) => <Count of={lines} /> },
          { key: 'first', title: say('firstLine'), isNumber: true, cell: ({ first }) => <Count of={first} /> },
        ]}
      />
    </Panel>
  );
}
