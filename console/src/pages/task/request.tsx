/** What was asked for, while it is kept. All of it is the caller's text, and shown as that. */
import { CopyButton } from '../../parts/copy-button.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Fact } from '../../parts/fact.tsx';
import { FileFacts } from './result.tsx';
import type { StoredFile, TaskPage, TaskRequest } from './task-page.ts';
import { texts } from './texts.ts';

export function RequestShown({ task: { request, uploads, model } }: { task: TaskPage }) {
  const say = useTexts(texts);
  if (request === null) return <p className="tg-task-quiet">{say('requestGone')}</p>;
  const prompt = promptOf(request);
  return (
    <>
      {prompt !== '' && (
        <figure className="tg-task-prompt">
          <figcaption>{say('prompt')}</figcaption>
          <blockquote>{prompt}</blockquote>
          <CopyButton text={prompt} label={say('copyPrompt')} />
        </figure>
      )}
      <dl className="tg-task-facts">
        <Fact name="model">{model}</Fact>
        {parametersOf(request).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        {addressesOf(request).map(([name, address], index) => (
          <Fact key={index} name={name}>
            <code className="tg-task-address">{address}</code> <CopyButton text={address} label={say('copyAddress')} />
          </Fact>
        ))}
      </dl>
      {uploads !== null && (
        <div className="tg-task-uploads">
          {uploads.map((file) => (
            <Upload key={file.name} name={say(titleOf(file.name), { number: numberOf(file.name) })} file={file} />
          ))}
        </div>
      )}
    </>
  );
}

function Upload({ name, file }: { name: string; file: StoredFile }) {
  const { url, type } = file;
  return (
    <figure>
      <figcaption>
        {name} <FileFacts file={file} />
      </figcaption>
      {url !== null &&
        (type.startsWith('image/') ? (
          <img src={url} alt={name} loading="lazy" />
        ) : type.startsWith('audio/') ? (
          <audio src={url} controls preload="none" aria-label={name} />
        ) : (
          <video src={url} controls preload="metadata" playsInline aria-label={name} />
        ))}
    </figure>
  );
}

/** Images are called `image0`, `image1`, …. */
const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0) + 1;

function titleOf(name: string) {
  if (name === 'audio') return 'uploadedAudio';
  if (name === 'video') return 'uploadedVideo';
  return name === 'mask' ? 'uploadedMask' : 'uploadedImage';
}

function promptOf(request: TaskRequest): string {
  if (request.kind === 'image') return request.prompt;
  if (request.kind === 'avatar_talk') return '';
  return request.content.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');
}

/** The API's default, whose value is Chinese in every language of the console, so it is left out. */
const defaultTemplate = '不使用分身';

/** Named as in the API, so that callers find them in their own code. */
function parametersOf(request: TaskRequest): [name: string, value: string][] {
  switch (request.kind) {
    case 'image':
      return [
        ...(request.size === null ? [] : [['size', request.size] satisfies [string, string]]),
        ...(request.upscale === null ? [] : [['upscale', request.upscale] satisfies [string, string]]),
        ['quality', request.quality],
        ['n', String(request.n)],
      ];
    case 'video':
      return [
        ['ratio', request.ratio],
        ...(request.size === null ? [] : [['size', request.size] satisfies [string, string]]),
        ['duration', String(request.duration)],
        ['generate_audio', String(request.generate_audio)],
        ['watermark', String(request.watermark)],
        ...(request.seed === null ? [] : [['seed', String(request.seed)] satisfies [string, string]]),
        ...(request.model_version === null
          ? []
          : [['modelVersion', String(request.model_version)] satisfies [string, string]]),
      ];
    case 'avatar_talk':
      return request.template_name === defaultTemplate ? [] : [['templateName', request.template_name]];
  }
}

function addressesOf(request: TaskRequest): [name: string, address: string][] {
  const webhook: [string, string][] = request.webhook_url === null ? [] : [['webhook_url', request.webhook_url]];
  if (request.kind === 'image') {
    const mask: [string, string][] = request.mask === null ? [] : [['mask', request.mask]];
    return [...request.image_urls.map((url): [string, string] => ['image_urls', url]), ...mask, ...webhook];
  }
  if (request.kind === 'avatar_talk') return webhook;
  const items = request.content.flatMap((item): [string, string][] =>
    item.type === 'text' ? [] : [[item.role ?? item.type, item.url]],
  );
  return [...items, ...webhook];
}
