/** A video task that was begun here, with its video. */
import { DownloadOutlined } from '@ant-design/icons';
import { api, query, queryClient } from '../../../api/client.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { ownAddress } from '../shared/addresses.ts';
import type { Run } from '../shared/runs.ts';
import { TaskCard } from '../shared/task-card.tsx';
import { playgroundTexts } from '../texts.ts';
import { texts } from './texts.ts';

const path = '/console/api/accounts/{account}/v1/video/generations/{id}';
const againMs = 1_000;

export function VideoRun({ run, onRemove }: { run: Run; onRemove: () => void }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const params = { path: { account: useAccountId(), id: run.id } };
  const { data, error } = query.useQuery(
    'get',
    path,
    { params },
    { refetchInterval: ({ state }) => (state.data && state.data.status !== 'processing' ? false : againMs) },
  );
  const videos = data?.status === 'succeeded' ? data.content.map(({ video_url: url }) => ownAddress(url)) : [];
  return (
    <TaskCard
      run={run}
      record={data}
      error={error}
      onRemove={onRemove}
      onCancel={async () => {
        await api.DELETE(path, { params });
        await queryClient.invalidateQueries({ queryKey: ['get', path, { params }] });
      }}
    >
      {videos.map((address) => (
        <figure key={address} className="tg-video">
          <video src={address} controls preload="metadata" aria-label={say('videoOf', { label: run.label })} />
          <figcaption>
            <a href={address} download>
              <DownloadOutlined aria-hidden /> {sayShared('save')}
            </a>
          </figcaption>
        </figure>
      ))}
    </TaskCard>
  );
}
