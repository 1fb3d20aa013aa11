/** Avatar talk: let a face in a film speak what a recording says. */
import { PageHead } from '../../../parts/page-head.tsx';
import { useTexts } from '../../../texts/define-texts.ts';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  return <PageHead title={say('title')} description={say('description')} />;
}
