/** What stands in place of a page that threw while it was shown or loaded. */
import { Button, Space } from 'antd';
import { useRouteError } from 'react-router';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

export function PageError() {
  const say = useTexts(shellTexts);
  const isOutdated = isFailedChunk(useRouteError());
  return (
    <>
      <PageHead title={say(isOutdated ? 'outdatedTitle' : 'brokenTitle')} />
      <EmptyState
        text={say(isOutdated ? 'outdated' : 'broken')}
        action={
          <Space wrap>
            <Button type="primary" onClick={() => window.location.reload()}>
              {say('reload')}
            </Button>
            <Button href="/console/">{say('toOverview')}</Button>
          </Space>
        }
      />
    </>
  );
}

/** What browsers and the bundler say of a chunk that is no longer there. */
function isFailedChunk(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script|preload CSS/i.test(error.message);
}
