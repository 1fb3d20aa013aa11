/** The head of the page: what the task is, how it stands, and what can be done with it. */
import { ArrowLeftOutlined, ExportOutlined, ReloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Link } from 'react-router';
import { api } from '../../api/client.ts';
import { ButtonLink } from '../../parts/button-link.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { notifySuccess } from '../../parts/notify.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { StatusTag } from '../../parts/status-tag.tsx';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { useAccountId, useMayChange, useOwns } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

export function TaskHead({ task, onChange }: { task: TaskPage; onChange: () => void }) {
  const say = useTexts(texts);
  const sayTask = useTexts(taskTexts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const owns = useOwns();
  const { id, kind, status, progress, queued, operator, request } = task;
  const cancel = async () => {
    try {
      await api.POST('/console/api/accounts/{account}/tasks/{id}/cancel', { params: { path: { account, id } } });
      notifySuccess(say('cancelled'));
    } finally {
      onChange(); // what has just ended can't be cancelled, and shall be seen
    }
  };
  return (
    <>
      <Link to={`/${account}/tasks`} className="tg-task-back">
        <ArrowLeftOutlined aria-hidden /> {say('toTasks')}
      </Link>
      <PageHead
        title={say('titleOf', { kind: sayTask(kind) })}
        description={
          <span className="tg-task-title">
            <StatusTag status={queued ? 'queued' : status} />
            {queued ? (
              <span>{sayTask('position', { position: queued.position })}</span>
            ) : (
              progress === 'waiting' && <span>{sayTask('waiting')}</span>
            )}
            <code>{id}</code>
            <CopyButton text={id} label={say('copyId')} />
          </span>
        }
        actions={
          <>
            {operator !== null && operator.workflow_url !== null && (
              <Button href={operator.workflow_url} target="_blank" rel="noreferrer" icon={<ExportOutlined />}>
                {say('openInTemporal')}
              </Button>
            )}
            {owns && status !== 'processing' && request !== null && (
              <ButtonLink
                to={`/${account}/playground/${kind.replace('_', '-')}?task=${id}`}
                icon={<ReloadOutlined aria-hidden />}
              >
                {say('runAgain')}
              </ButtonLink>
            )}
            {mayChange && status === 'processing' && (
              <ConfirmButton
                title={say('cancelTitle')}
                text={say('cancelText')}
                cancelText={say('keepRunning')}
                onConfirm={cancel}
              >
                {say('cancelTask')}
              </ConfirmButton>
            )}
          </>
        }
      />
    </>
  );
}
