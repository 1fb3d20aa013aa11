/** What an operator switches of one model over what the file says. None of it is for ever, so nothing is red. */
import { api, type Answer } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Time } from '../../parts/time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { MaintenanceButton } from './maintenance-button.tsx';
import { texts } from './texts.ts';

export type OperatorModel = Answer<'listOperatorModels'>['data'][number];

export function Switches({ model, onSwitched }: { model: OperatorModel; onSwitched: () => Promise<unknown> }) {
  const say = useTexts(texts);
  const { id, published, maintenance, file, switch: set } = model;
  const put = (change: Omit<Change, 'model' | 'reason'>) => async (reason: string) => {
    await switchModel({ model: id, ...change, reason });
    await onSwitched();
  };
  const named = (text: string) => ({
    size: 'small' as const,
    danger: false,
    'aria-label': say('nameAction', { action: text, id }),
  });
  return (
    <span className="tg-buttons">
      <MaintenanceButton model={model} onSet={(change, reason) => put(change)(reason)} />
      {maintenance && (
        <ConfirmButton
          title={say('askEndMaintenance', { id })}
          text={say('endMaintenanceMeans')}
          withReason
          onConfirm={put({ maintenance: false })}
          buttonProps={named(say('endMaintenance'))}
        >
          {say('endMaintenance')}
        </ConfirmButton>
      )}
      <ConfirmButton
        title={say(published ? 'askUnpublish' : 'askPublish', { id })}
        text={say(published ? 'unpublishMeans' : 'publishMeans')}
        withReason
        onConfirm={put({ published: !published })}
        buttonProps={named(say(published ? 'unpublish' : 'publish'))}
      >
        {say(published ? 'unpublish' : 'publish')}
      </ConfirmButton>
      {set && (
        <ConfirmButton
          title={say('askBackToFile', { id })}
          text={say('fileSays', {
            published: say(file.published ? 'yes' : 'no'),
            maintenance: say(file.maintenance ? 'yes' : 'no'),
          })}
          withReason
          onConfirm={put({ published: null, maintenance: null })}
          buttonProps={named(say('backToFile'))}
        >
          {say('backToFile')}
        </ConfirmButton>
      )}
    </span>
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
  maintenance_note?: string;
  /** ISO 8601. */
  maintenance_until?: string;
  reason: string;
}

export const switchModel = (body: Change) => api.PUT('/console/api/operator/model-switches', { body });
