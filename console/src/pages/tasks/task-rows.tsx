/** The list itself: a dense table, which becomes cards where there is no room for its columns. */
import { UpOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Money } from '../../parts/money.tsx';
import { StatusTag } from '../../parts/status-tag.tsx';
import { Elapsed } from '../../parts/tasks/elapsed.tsx';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { Thumbnail } from '../../parts/tasks/thumbnail.tsx';
import { useServerText } from '../../parts/server-text.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';
import { useHeldRows } from './use-held-rows.ts';

export type TaskLine = Answer<'listTasks'>['data'][number];

/** Keyed by the filters, so that rows are held of one list only. */
export function TaskRows({ tasks, base }: { tasks: readonly TaskLine[]; base: string }) {
  const say = useTexts(texts);
  const { rows, waiting } = useHeldRows(tasks);
  return (
    <>
      <div className="tg-task-news" role="status">
        {waiting > 0 && (
          <Button type="primary" icon={<UpOutlined />} onClick={() => window.scrollTo({ top: 0 })}>
            {say('arrived', { count: waiting })}
          </Button>
        )}
      </div>
      <div className="tg-task-table">
        <table>
          <caption className="tg-unseen">{say('title')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('task')}</th>
              <th scope="col">{say('status')}</th>
              <th scope="col">{say('model')}</th>
              <th scope="col">{say('key')}</th>
              <th scope="col" className="tg-right">
                {say('cost')}
              </th>
              <th scope="col" className="tg-right">
                {say('took')}
              </th>
              <th scope="col" className="tg-right">
                {say('created')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((task) => (
              <TaskRow key={task.id} task={task} to={`${base}/${task.id}`} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function TaskRow({ task, to }: { task: TaskLine; to: string }) {
  const say = useTexts(texts);
  const sayTask = useTexts(taskTexts);
  const serverText = useServerText();
  const { kind, model, status, progress, queued, excerpt, error, cost, created, took, key } = task;
  return (
    <tr data-task={task.id}>
      <th scope="row" className="tg-task-what">
        <Thumbnail kind={kind} preview={task.preview} />
        <span className="tg-task-words">
          <Link to={to} className="tg-task-link">
            {excerpt !== null && excerpt !== '' ? excerpt : sayTask(kind)}
          </Link>
          <small>
            {sayTask(kind)}
            {task.files > 1 && ` × ${task.files}`} <code>{task.id}</code>
          </small>
        </span>
        <span className="tg-task-copy">
          <CopyButton text={task.id} label={say('copyId')} />
        </span>
      </th>
      <td className="tg-task-status">
        <StatusTag status={queued ? 'queued' : status} />
        {queued ? (
          <small>{sayTask('position', { position: queued.position })}</small>
        ) : (
          progress === 'waiting' && <small>{sayTask('waiting')}</small>
        )}
        {status === 'failed' && error && <small title={error.message}>{serverText(error)}</small>}
      </td>
      <td className="tg-task-model">{model}</td>
      <td className="tg-task-key">{key.name}</td>
      <td className="tg-right">
        {cost !== null ? (
          <Money amount={cost} />
        ) : status === 'processing' ? (
          <span title={say('held')} className="tg-task-held">
            <Money amount={task.hold} /> <small>{say('held')}</small>
          </span>
        ) : (
          <Money amount={0} />
        )}
      </td>
      <td className="tg-right tg-task-took">
        <Elapsed created={created} took={took} />
      </td>
      <td className="tg-right tg-task-created">
        <Time at={created} relative />
      </td>
    </tr>
  );
}
