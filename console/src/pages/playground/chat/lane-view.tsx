/** A lane as it is seen: alone, or beside the other with the name of its model and a way to go on with it alone. */
import { Button } from 'antd';
import { useTexts } from '../../../texts/define-texts.ts';
import { type Fault, FaultAlert } from '../shared/fault.tsx';
import type { Lane } from './lane.ts';
import { texts } from './texts.ts';
import { Turns } from './turns.tsx';

interface Props {
  lane: Lane;
  fault: Fault | undefined;
  isRaw: boolean;
  /** Ends the comparison with this lane; none where there is no other. */
  onKeep: (() => void) | undefined;
}

export function LaneView({ lane, fault, isRaw, onKeep }: Props) {
  const say = useTexts(texts);
  return (
    <section className="tg-lane" aria-label={onKeep ? lane.model.id : say('conversation')}>
      {onKeep && (
        <header>
          <h2>{lane.model.id}</h2>
          <Button size="small" onClick={onKeep} {...(lane.isRunning && { disabled: true })}>
            {say('keepLane')}
          </Button>
        </header>
      )}
      <Turns lane={lane} isRaw={isRaw} />
      <FaultAlert fault={fault} />
    </section>
  );
}
