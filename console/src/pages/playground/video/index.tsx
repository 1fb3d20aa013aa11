/** Video: make a video and see the request behind it. */
import { PageHead } from '../../../parts/page-head.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  return <PageHead title={say('title')} description={say('description')} />;
}
