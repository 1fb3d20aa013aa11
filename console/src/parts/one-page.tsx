/** The page of one thing, such as a task, while there is nothing of it to show: not read yet, or not there. */
import { Button } from 'antd';
import { Link } from 'react-router';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { Loading } from './loading.tsx';
import { PageHead } from './page-head.tsx';

interface NotReadProps {
  /** What kind of thing it is. */
  title: string;
  /** Why it could not be read; null while it is being read. */
  error: unknown;
  onRetry: () => void;
}

export function NotRead({ title, error, onRetry }: NotReadProps) {
  return (
    <>
      <PageHead title={title} />
      {error === null ? <Loading rows={10} /> : <ErrorState error={error} onRetry={onRetry} />}
    </>
  );
}

interface NotThereProps {
  title: string;
  text: string;
  /** The page that lists such things, and what the way there is called. */
  to: string;
  toList: string;
}

export function NotThere({ title, text, to, toList }: NotThereProps) {
  return (
    <>
      <PageHead title={title} />
      <EmptyState
        text={text}
        action={
          <Link to={to}>
            <Button type="primary" tabIndex={-1}>
              {toList}
            </Button>
          </Link>
        }
      />
    </>
  );
}
