/** What one audit found: that all agrees, or the first of what doesn't. */
import { useQuery, keepPreviousData } from '@tanstack/react-query';
import { Alert } from 'antd';
import { api, type Answer } from '../../api/client.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Original } from '../../parts/server-text.tsx';
import { Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { findingInChinese } from './findings-in-chinese.ts';
import { useLookedText } from './looked.ts';
import { texts } from './texts.ts';

type Audit = Answer<'getAudit'>;

export function AuditResult({ id, isNewest }: { id: string; isNewest: boolean }) {
  const say = useTexts(texts);
  const audit = useQuery({
    queryKey: ['operator-audit', id],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/console/api/operator/audits/{audit}', {
        params: { path: { audit: id } },
        signal,
      });
      return data ?? null;
    },
    staleTime: Infinity, // an audit that was made stays as it is
    placeholderData: keepPreviousData,
  });
  const { data, error } = audit;
  return (
    <section aria-label={say(isNewest ? 'last' : 'chosen')}>
      {data ? (
        <Result audit={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void audit.refetch()} />
      ) : (
        <Loading />
      )}
    </section>
  );
}

function Result({ audit }: { audit: Audit }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const looked = useLookedText();
  const count = audit.finding_count;
  const more = count - audit.findings.length;
  const took = audit.finished - audit.started;
  const seconds = took < 1 ? '<1' : new Intl.NumberFormat(locale).format(took);
  return (
    <>
      <Alert
        type={audit.agrees ? 'success' : 'error'}
        showIcon
        title={audit.agrees ? say('agrees') : say('disagrees', { count })}
        description={
          <>
            <p>
              <Time at={audit.finished} /> · {say('took', { seconds })}
            </p>
            <p>{looked(audit.looked)}</p>
            {audit.since !== null && (
              <p>
                {say('since')} <Time at={audit.since} />
              </p>
            )}
            {audit.left_out.length > 0 && (
              <p>
                {say('leftOut', {
                  parts: audit.left_out.map((part) => (part === 'workflows' ? say(part) : part)).join(', '),
                })}
              </p>
            )}
          </>
        }
      />
      {audit.findings.length > 0 && (
        <div className="tg-audit-findings">
          <h2>{say('findings')}</h2>
          <Rows
            caption={say('findings')}
            columns={[
              { key: 'says', title: say('says'), render: ({ check, says }) => <Finding check={check} says={says} /> },
              { key: 'subject', title: say('subject'), render: ({ subject }) => <code>{subject}</code> },
              { key: 'check', title: say('check'), render: ({ check }) => check },
            ]}
            items={audit.findings}
            idOf={({ check, subject, says }) => `${check} ${subject} ${says}`}
          />
          {more > 0 && <p>{say('more', { count: more })}</p>}
          <p>{say('whatToDo')}</p>
        </div>
      )}
    </>
  );
}

/** Chinese readers get what the check found in general, with the finding itself to unfold. */
function Finding({ check, says }: { check: string; says: string }) {
  const language = useLanguage();
  return <Original text={(language === 'zh' ? findingInChinese(check) : undefined) ?? says} original={says} />;
}
