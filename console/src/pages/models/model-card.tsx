/** One model: what it is, how it is doing, what it can do and what that costs. */
import { Tag } from 'antd';
import { Link } from 'react-router';
import type { Answer } from '../../api/client.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { MaintenanceNote } from '../../parts/maintenance-note.tsx';
import { ModelHealth } from '../../parts/model-health.tsx';
import { SuccessRate } from '../../parts/success-rate.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { PriceList } from './price-list.tsx';
import { capabilityTexts, texts } from './texts.ts';

export type Model = Answer<'listModels'>['data'][number];

/** Where each kind can be tried; the others are for programs. */
const playgrounds = {
  chat: 'chat',
  code: 'chat',
  image: 'image',
  video: 'video',
  'avatar-video': 'video',
  'avatar-image': 'video',
  'avatar-talk': 'avatar-talk',
  speech: 'speech',
  transcription: 'transcription',
} as const satisfies Partial<Record<Model['kind'], string>>;
const hasPlayground = (kind: Model['kind']): kind is keyof typeof playgrounds => Object.hasOwn(playgrounds, kind);

export function ModelCard({ model }: { model: Model }) {
  const say = useTexts(texts);
  const sayCapability = useTexts(capabilityTexts);
  const account = useAccountId();
  const { id, kind, owned_by: vendor, health } = model;
  const playground = hasPlayground(kind) ? playgrounds[kind] : undefined;
  const address = `/${account}/playground/${playground}?model=${encodeURIComponent(id)}`;
  return (
    <article className="tg-model" aria-label={id}>
      <header>
        <h3>{id}</h3>
        <CopyButton text={id} label={say('copyId', { id })} />
      </header>
      <p className="tg-model-by">
        {say(kind)} <span aria-hidden="true">·</span> {say('by', { vendor })}
      </p>
      <div className="tg-model-health">
        <ModelHealth model={model} />
        <MaintenanceNote of={model} />
        {typeof health?.last_checked === 'number' && (
          <span className="tg-model-checked">
            {say('checked')} <Time at={health.last_checked} relative />
          </span>
        )}
        {health !== null && <SuccessRate lastHour={health.last_hour} lastDay={health.last_day} />}
      </div>
      <ul className="tg-model-tags" aria-label={say('capabilities')}>
        {model.capabilities.map((capability) => (
          <li key={capability.id}>
            <Tag>{sayCapability(capability.id)}</Tag>
          </li>
        ))}
      </ul>
      <PriceList price={model.price} />
      <Limits limits={model.limits} />
      {playground !== undefined && model.published && !model.maintenance && (
        <Link className="tg-model-try" to={address} aria-label={say('tryModel', { id })}>
          {say('tryIt')} <span aria-hidden="true">→</span>
        </Link>
      )}
    </article>
  );
}

function Limits({ limits }: { limits: Model['limits'] }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const number = (value: number) => new Intl.NumberFormat(locale).format(value);
  const list = (values: readonly (string | number)[]) =>
    new Intl.ListFormat(locale, { type: 'disjunction' }).format(values.map(String));
  const lines = [
    limits.prompt_characters !== null && say('promptCharacters', { number: number(limits.prompt_characters) }),
    limits.context_tokens !== null && say('contextTokens', { number: number(limits.context_tokens) }),
    limits.max_output_tokens !== null && say('maxOutputTokens', { number: number(limits.max_output_tokens) }),
    limits.max_seconds !== null && say('maxSeconds', { number: number(limits.max_seconds) }),
    limits.durations !== null && say('durations', { list: list(limits.durations) }),
    limits.ratios !== null && say('ratios', { list: list(limits.ratios) }),
    limits.sizes !== null && say('sizes', { list: list(limits.sizes) }),
    limits.resolutions !== null && say('resolutions', { list: list(limits.resolutions) }),
    limits.references !== null && say('references', { number: number(limits.references) }),
  ].filter((line) => line !== false);
  if (lines.length === 0) return null;
  return (
    <ul className="tg-model-limits" aria-label={say('limits')}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
