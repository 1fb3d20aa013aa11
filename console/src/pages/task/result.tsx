/** The result of the task: images to enlarge, videos to play, the error, or why there is nothing any more. */
import { DownloadOutlined } from '@ant-design/icons';
import { Alert, Button, Image } from 'antd';
import { useState } from 'react';
import { bytesText, durationText } from '../../parts/measures.ts';
import { ServerText } from '../../parts/server-text.tsx';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { useTimeText } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import type { StoredFile, TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

export function Result({ task }: { task: TaskPage }) {
  const say = useTexts(texts);
  const timeText = useTimeText();
  const { status, queued, error, files, removed, fetchable_until: until } = task;
  const [zoomed, setZoomed] = useState<number>();
  const images = files.filter(({ type, url }) => url !== null && type.startsWith('image/'));
  return (
    <section className="tg-task-card" aria-label={say('result')}>
      <h2>{say('result')}</h2>
      {status === 'processing' && <p className="tg-task-quiet">{say(queued ? 'notStarted' : 'notYet')}</p>}
      {error !== null && (
        <Alert
          type={status === 'cancelled' ? 'info' : 'error'}
          showIcon
          title={<ServerText said={error} />}
          description={
            <>
              <code>{error.code}</code> · {say('nothingCharged')}
            </>
          }
        />
      )}
      {removed !== null && (
        <Alert type="info" showIcon title={say(removed.why, { time: timeText(new Date(removed.at)) })} />
      )}
      {until !== null && <Alert type="info" showIcon title={say('fetchable', { time: timeText(new Date(until)) })} />}
      <div className="tg-task-files">
        {files.map((file, index) => (
          <ResultFile
            key={index}
            file={file}
            number={index + 1}
            name={`${task.id}-${index}`}
            onZoom={() => setZoomed(images.indexOf(file))}
          />
        ))}
      </div>
      {images.length > 0 && (
        <Image.PreviewGroup
          items={images.map(({ url }) => url ?? '')}
          preview={{
            open: zoomed !== undefined,
            current: zoomed ?? 0,
            onOpenChange: (isOpen) => !isOpen && setZoomed(undefined),
            onChange: setZoomed,
          }}
        />
      )}
    </section>
  );
}

interface ResultFileProps {
  file: StoredFile;
  number: number;
  name: string;
  onZoom: () => void;
}

function ResultFile({ file, number, name, onZoom }: ResultFileProps) {
  const say = useTexts(texts);
  const sayTask = useTexts(taskTexts);
  const { url, type } = file;
  return (
    <figure>
      {url !== null && type.startsWith('image/') && (
        <button type="button" className="tg-task-zoom" aria-label={say('enlarge', { number })} onClick={onZoom}>
          <img src={url} alt={sayTask('resultImage', { number })} {...sizeOf(file)} />
        </button>
      )}
      {url !== null && type.startsWith('video/') && (
        <video
          src={url}
          controls
          preload="metadata"
          playsInline
          aria-label={sayTask('resultVideo')}
          {...sizeOf(file)}
        />
      )}
      <figcaption>
        <FileFacts file={file} />
        {url !== null && (
          <Button href={url} download={name} type="text" icon={<DownloadOutlined />}>
            {say('download')}
          </Button>
        )}
      </figcaption>
    </figure>
  );
}

/** The place is kept while it loads: nothing jumps. */
const sizeOf = ({ width, height }: StoredFile) => ({ width: width ?? undefined, height: height ?? undefined });

/** Type, measures, length and size of a file. */
export function FileFacts({ file }: { file: StoredFile }) {
  const locale = localeOf(useLanguage());
  const { type, width, height, duration, bytes } = file;
  const facts = [
    type,
    ...(width !== null && height !== null ? [`${width} × ${height}`] : []),
    ...(duration !== null ? [durationText(duration, locale)] : []),
    bytesText(bytes, locale),
  ];
  return <span className="tg-task-quiet">{facts.join(' · ')}</span>;
}
