/** How a model is doing: a dot, words and its latency, never the colour alone. */
import { localeOf, useLanguage } from '../texts/language.ts';
import { defineTexts, useTexts } from '../texts/define-texts.ts';
import './model-health.css';

const texts = defineTexts('model-health', {
  en: {
    available: 'Available',
    unavailable: 'Not available',
    maintenance: 'In maintenance',
    unpublished: 'Not published',
    unknown: 'Not known yet',
  },
  zh: {
    available: '可用',
    unavailable: '不可用',
    maintenance: '维护中',
    unpublished: '未发布',
    unknown: '尚未检测',
  },
});

export interface Healthy {
  published: boolean;
  maintenance: boolean;
  health: { available: boolean; latency_ms: number | null } | null;
}

type State = keyof (typeof texts)['en'];

export function ModelHealth({ model }: { model: Healthy }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const state = stateOf(model);
  const latency = state === 'available' ? model.health?.latency_ms : null;
  return (
    <span className={`tg-health tg-health-${state}`}>
      <span className="tg-health-dot" aria-hidden="true" />
      {say(state)}
      {typeof latency === 'number' && <span className="tg-health-latency">{latencyText(latency, locale)}</span>}
    </span>
  );
}

function stateOf({ published, maintenance, health }: Healthy): State {
  if (!published) return 'unpublished';
  if (maintenance) return 'maintenance';
  if (!health) return 'unknown';
  return health.available ? 'available' : 'unavailable';
}

function latencyText(ms: number, locale: string): string {
  const [value, unit, digits] = ms < 1_000 ? [ms, 'millisecond', 0] : [ms / 1_000, 'second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: digits }).format(value);
}
