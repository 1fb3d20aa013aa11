/** Paid calls whose outcome is unknown: the facts of each, what can be done, and marking it resolved. */
import { Segmented } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Listed } from '../../parts/operator/listed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { OutcomeCard } from './outcome-card.tsx';
import { outcomesKey } from './outcomes.ts';
import { texts } from './texts.ts';
import '../../parts/operator/rows.css';
import './unknown.css';

const pageRows = 20;

export function Component() {
  const say = useTexts(texts);
  const [state, setState] = useState<'open' | 'reviewed'>('open');
  const listing = useListing({
    key: [outcomesKey, state],
    read: async (cursor, signal) => {
      const query = { limit: pageRows, state, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/console/api/operator/unknown-outcomes', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      <div className="tg-row-filters">
        <Segmented
          aria-label={say('shown')}
          value={state}
          onChange={setState}
          options={(['open', 'reviewed'] as const).map((value) => ({ value, label: say(value) }))}
        />
      </div>
      <Listed listing={listing} empty={say(state === 'open' ? 'noneOpen' : 'noneReviewed')}>
        {(items) => (
          <ul className="tg-outcomes" aria-label={say('title')}>
            {items.map((outcome) => (
              <OutcomeCard key={`${outcome.task_id} ${outcome.route}`} outcome={outcome} />
            ))}
          </ul>
        )}
      </Listed>
    </>
  );
}
