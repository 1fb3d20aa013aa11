/** A model's current status: a dot, a word and how long its work takes, never the colour alone. */
import { localeOf, useLanguage } from '../texts/language.ts';
import { defineTexts, useTexts } from '../texts/define-texts.ts';
import { durationText } from './measures.ts';
import './model-health.css';

const texts = defineTexts('model-health', {
  en: {
    available: 'Available',
    degraded: 'Degraded',
    median: 'median {{time}}',
    medianAbout: 'How long a whole call or task took, by the median of the last 24 hours',
    unavailable: 'Unavailable',
    maintenance: 'In maintenance',
    unpublished: 'Not published',
    unknown: 'Not checked yet',
  },
  zh: {
    available: '可用',
    degraded: '性能下降',
    median: '中位数 {{time}}',
    medianAbout: '最近 24 小时内一次完整调用或任务耗时的中位数',
    unavailable: '不可用',
    maintenance: '维护中',
    unpublished: '未发布',
    unknown: '尚未检测',
  },
});

export interface Healthy {
  published: boolean;
  maintenance: boolean;
  health: { state: 'available' | 'degraded' | 'unavailable'; latency_ms: number | null } | null;
}

export const modelStates = ['available', 'degraded', 'maintenance', 'unavailable', 'unpublished', 'unknown'] as const;
export type ModelState = (typeof modelStates)[number];

/** Names a state in the reader's language. */
export function useStateName(): (state: ModelState) => string {
  const say = useTexts(texts);
  return (state) => say(state);
}

export function ModelHealth({ model }: { model: Healthy }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const state = modelStateOf(model);
  const latency = state === 'available' || state === 'degraded' ? model.health?.latency_ms : null;
  return (
    <span className={`tg-health tg-health-${state}`}>
      <span className="tg-health-dot" aria-hidden="true" />
      {say(state)}
      {typeof latency === 'number' && (
        <span className="tg-health-latency" title={say('medianAbout')}>
          {say('median', { time: durationText(latency / 1_000, locale) })}
        </span>
      )}
    </span>
  );
}

export function modelStateOf({ published, maintenance, health }: Healthy): ModelState {
  if (!published) return 'unpublished';
  if (maintenance) return 'maintenance';
  if (!health) return 'unknown';
  return health.state;
}
