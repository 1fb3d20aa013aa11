/** The placeholders of a page that is being loaded. */
import { Skeleton } from 'antd';
import { Loading } from '../parts/loading.tsx';
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

/** Within the shell, before the first page's code is there. */
export const PageLoad = () => <Loading rows={8} />;
