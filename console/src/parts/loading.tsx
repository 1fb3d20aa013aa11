/** The placeholder of a part of a page that is being loaded. */
import { Skeleton } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { partsTexts } from './texts.ts';

export function Loading({ rows = 4 }: { rows?: number }) {
  const say = useTexts(partsTexts);
  return (
    <div role="status" aria-label={say('loading')}>
      <Skeleton active title={false} paragraph={{ rows }} />
    </div>
  );
}
