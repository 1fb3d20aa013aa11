/** Unknown outcomes: paid calls whose outcome nobody knows yet. */
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  return <PageHead title={say('title')} description={say('description')} />;
}
