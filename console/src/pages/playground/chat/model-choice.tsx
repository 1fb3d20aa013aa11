/** The model that is asked, or the two that are compared. */
import { Button } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import type { ModelFacts } from '../shared/facts.ts';
import { ModelField } from '../shared/model-field.tsx';
import { texts } from './texts.ts';

interface Props {
  models: readonly ModelFacts[];
  model: ModelFacts;
  /** The second one; none while nothing is compared. */
  other: ModelFacts | undefined;
  onModel: (id: string) => void;
  onOther: (id: string) => void;
  /** Begins or ends the comparison. */
  onCompare: (isComparing: boolean) => void;
  errors: { model: string | undefined; other: string | undefined };
}

export function ModelChoice({ models, model, other, onModel, onOther, onCompare, errors }: Props) {
  const say = useTexts(texts);
  return (
    <div className="tg-model-choice">
      <ModelField models={models} model={model} onChange={onModel} error={errors.model} />
      {other && (
        <ModelField
          name="otherModel"
          label={say('otherModel')}
          models={models}
          model={other}
          onChange={onOther}
          error={errors.other}
        />
      )}
      <Button size="small" onClick={() => onCompare(other === undefined)}>
        {say(other ? 'endCompare' : 'compare')}
      </Button>
    </div>
  );
}
