/** What operators see of a model besides: its routes, and the two switches over what the file says. */
import { api, type Answer } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Model } from './model-card.tsx';
import { texts } from './texts.ts';

type Field = 'published' | 'maintenance';
type Facts = NonNullable<Model['operation']>;

/** What a switch does when it goes from one value to the other. None of it is for ever, so nothing is red. */
const actions = {
  published: {
    true: ['unpublish', 'askUnpublish', 'unpublishMeans'],
    false: ['publish', 'askPublish', 'publishMeans'],
  },
  maintenance: {
    true: ['endMaintenance', 'askEndMaintenance', 'endMaintenanceMeans'],
    false: ['beginMaintenance', 'askBeginMaintenance', 'beginMaintenanceMeans'],
  },
} as const;

export function Operation(props: { model: Model; operation: Facts; onSwitched: () => Promise<unknown> }) {
  const { model, operation, onSwitched } = props;
  const say = useTexts(texts);
  return (
    <section className="tg-operation" aria-label={say('operation')}>
      <h4>{say('routes')}</h4>
      <ol>
        {operation.routes.map(({ provider, model: name }) => (
          <li key={`${provider} ${name}`}>
            {provider} <span aria-hidden="true">·</span> <code>{name}</code>
          </li>
        ))}
      </ol>
      {(['published', 'maintenance'] as const).map((field) => (
        <SwitchRow key={field} field={field} model={model} operation={operation} onSwitched={onSwitched} />
      ))}
    </section>
  );
}

function SwitchRow(props: { field: Field; model: Model; operation: Facts; onSwitched: () => Promise<unknown> }) {
  const { field, model, operation, onSwitched } = props;
  const say = useTexts(texts);
  const { id } = model;
  const value = model[field];
  const set = operation.switch?.[field] === null ? null : operation.switch;
  const [action, ask, means] = actions[field][value ? 'true' : 'false'];
  const put = (next: boolean | null) => async (reason: string) => {
    await switchModel({ model: id, [field]: next, reason });
    await onSwitched();
  };
  const named = (text: string) => ({
    size: 'small' as const,
    danger: false,
    'aria-label': say('nameAction', { action: text, id }),
  });
  return (
    <div className="tg-switch">
      <div>
        <strong>{say('fieldIs', { field: say(field) })}</strong> {say(value ? 'yes' : 'no')}
        <span className="tg-switch-source">{set ? <SetBy set={set} /> : say('fromFile')}</span>
      </div>
      <div className="tg-switch-actions">
        {set && (
          <ConfirmButton
            title={say('askBackToFile', { id })}
            text={say(operation.file[field] ? 'fileSaysYes' : 'fileSaysNo')}
            withReason
            onConfirm={put(null)}
            buttonProps={named(say('backToFile'))}
          >
            {say('backToFile')}
          </ConfirmButton>
        )}
        <ConfirmButton
          title={say(ask, { id })}
          text={say(means)}
          withReason
          onConfirm={put(!value)}
          buttonProps={named(say(action))}
        >
          {say(action)}
        </ConfirmButton>
      </div>
    </div>
  );
}

type Set = Pick<Answer<'switchModel'>, 'set_by' | 'set_by_email' | 'set_at'>;

export function SetBy({ set }: { set: Set }) {
  const say = useTexts(texts);
  return (
    <>
      {say('setBy', { who: set.set_by_email ?? set.set_by ?? '' })}
      {set.set_at !== null && (
        <>
          {' · '}
          <Time at={set.set_at} relative />
        </>
      )}
    </>
  );
}

interface Change {
  model: string;
  published?: boolean | null;
  maintenance?: boolean | null;
  reason: string;
}

export const switchModel = (body: Change) => api.PUT('/console/api/operator/model-switches', { body });
