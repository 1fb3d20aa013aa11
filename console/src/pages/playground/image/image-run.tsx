/** An image task that was begun here, with its images. */
import { DownloadOutlined } from '@ant-design/icons';
import { api, query, queryClient } from '../../../api/client.ts';
import { useAccountId } from '../../../parts/use-account.ts';
import { useTexts } from '../../../texts/define-texts.ts';
import { ownAddress } from '../shared/addresses.ts';
import type { Run } from '../shared/runs.ts';
import { TaskCard } from '../shared/task-card.tsx';
import { playgroundTexts } from '../texts.ts';
import { texts } from './texts.ts';

const path = '/console/api/accounts/{account}/v1/images/generations/{id}';
const againMs = 1_000;

export function ImageRun({ run, onRemove }: { run: Run; onRemove: () => void }) {
  const say = useTexts(texts);
  const sayShared = useTexts(playgroundTexts);
  const params = { path: { account: useAccountId(), id: run.id } };
  const { data, error } = query.useQuery(
    'get',
    path,
    { params },
    { refetchInterval: ({ state }) => (state.data && state.data.status !== 'processing' ? false : againMs) },
  );
  // The playground asks for links, never for the images' own bytes.
  const links = data?.status === 'succeeded' ? data.data.flatMap((image) => ('url' in image ? [image.url] : [])) : [];
  const images = links.map(ownAddress);
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
      <div className="tg-gallery">
        {images.map((address, index) => (
          <figure key={address}>
            <a href={address} target="_blank" rel="noreferrer">
              <img src={address} alt={say('imageOf', { number: index + 1, label: run.label })} loading="lazy" />
            </a>
            <figcaption>
              <a href={address} download>
                <DownloadOutlined aria-hidden /> {sayShared('save')}
              </a>
            </figcaption>
          </figure>
        ))}
      </div>
    </TaskCard>
  );
}
