/** One model: its state, its rates of success, its maintenance, and its last 24 hours as a strip. */
import { texts as modelTexts } from '../pages/models/texts.ts';
import { useTexts } from '../texts/define-texts.ts';
import { localeOf, useLanguage } from '../texts/language.ts';
import { HourStrip } from './hour-strip.tsx';
import type { ModelStatus } from './status-report.ts';
import { rateText, texts } from './texts.ts';

export function ModelRow({ model }: { model: ModelStatus }) {
  const say = useTexts(texts);
  const sayKind = useTexts(modelTexts);
  const locale = localeOf(useLanguage());
  const { id, kind, state, lastHour, lastDay, maintenance, hours } = model;
  const rate = (value: number | null) => (value === null ? say('noTraffic') : rateText(value, locale));
  return (
    <article className="status-model" aria-label={id}>
      <header>
        <h3>{id}</h3>
        <span className="status-kind">{sayKind(kind)}</span>
        <span className={`status-state status-${state}`}>
          <span className="status-dot" aria-hidden="true" />
          {say(state)}
        </span>
      </header>
      {maintenance && <MaintenanceNote of={maintenance} />}
      <dl>
        <div>
          <dt>{say('lastHour')}</dt>
          <dd>{rate(lastHour)}</dd>
        </div>
        <div>
          <dt>{say('lastDay')}</dt>
          <dd>{rate(lastDay)}</dd>
        </div>
      </dl>
      <HourStrip hours={hours} />
    </article>
  );
}

function MaintenanceNote({ of: { note, until } }: { of: NonNullable<ModelStatus['maintenance']> }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  if (note === null && until === null) return null;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <div className="status-maintained">
      {note !== null && <p>{note}</p>}
      {until !== null && (
        <p>
          <time dateTime={until.toISOString()}>{say('until', { time: format.format(until) })}</time>
        </p>
      )}
    </div>
  );
}
