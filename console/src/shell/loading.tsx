/** The placeholder of a page that is being loaded. */
import { Skeleton } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

/** Before the first page and session are there. */
export function FirstLoad() {
  const say = useTexts(shellTexts);
  return (
    <main className="tg-alone" aria-busy="true" aria-label={say('loading')}>
      <Skeleton active title paragraph={{ rows: 6 }} />
    </main>
  );
}
