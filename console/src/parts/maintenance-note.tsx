/** What is said of a model's maintenance while it lasts: why, and until when. */
import { defineTexts, useTexts } from '../texts/define-texts.ts';
import './model-health.css';
import { Time } from './time.tsx';

const texts = defineTexts('maintenance-note', {
  en: { until: 'Until' },
  zh: { until: '预计结束：' },
});

interface Maintained {
  maintenance: boolean;
  maintenance_note: string | null;
  /** Unix seconds. */
  maintenance_until: number | null;
}

export function MaintenanceNote({ of }: { of: Maintained }) {
  const say = useTexts(texts);
  const { maintenance, maintenance_note: note, maintenance_until: until } = of;
  if (!maintenance || (note === null && until === null)) return null;
  return (
    <div className="tg-maintenance-note">
      {note !== null && <p>{note}</p>}
      {until !== null && (
        <p>
          {say('until')} <Time at={until} />
        </p>
      )}
    </div>
  );
}
