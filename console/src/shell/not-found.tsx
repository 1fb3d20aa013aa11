/** Pages that say: nothing here, or nothing here for you. */
import { Button } from 'antd';
import { Link } from 'react-router';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

export function NotFound() {
  const say = useTexts(shellTexts);
  return <WayOut title={say('notFoundTitle')} text={say('notFound')} />;
}

export function OperatorsOnly() {
  const say = useTexts(shellTexts);
  return <WayOut title={say('operatorsOnlyTitle')} text={say('operatorsOnly')} />;
}

function WayOut({ title, text }: { title: string; text: string }) {
  const say = useTexts(shellTexts);
  return (
    <>
      <PageHead title={title} />
      <EmptyState
        text={text}
        action={
          <Link to="/">
            <Button type="primary" tabIndex={-1}>
              {say('toOverview')}
            </Button>
          </Link>
        }
      />
    </>
  );
}
