/** Conversations in the history: kept once an answer has come, with the form they were asked by; opened again as they were. */
import { useEffect } from 'react';
import { readDraftFrom } from '../shared/draft.ts';
import { type PastRun, useHistory } from '../shared/history.ts';
import { type Draft, firstDraft } from './draft.ts';
import type { Lane } from './lane.ts';
import { keepable, readTurns } from './turn.ts';
import { listOf } from '../../../parts/json.ts';

/** Keeps what the lanes have said, whenever none of them is being answered. */
export function useRememberedChat(draft: Draft, lanes: readonly Lane[]): void {
  const { remember } = useHistory('chat');
  const isRunning = lanes.some((lane) => lane.isRunning);
  const [first] = lanes;
  const label = first?.turns.find(({ role }) => role === 'user')?.text ?? '';
  const ready = !isRunning && first && first.turns.length > 0;
  const said = ready ? JSON.stringify(lanes.map(({ turns }) => keepable(turns))) : '';
  useEffect(() => {
    if (!first || said === '') return;
    const models = lanes.map(({ model }) => model.id);
    const [model = '', otherModel = ''] = models;
    const form = { ...draft, text: '', images: '', model, otherModel };
    remember({ id: first.id, label, models: models.join(', '), values: { draft: form, lanes: JSON.parse(said) } });
    // oxlint-disable-next-line react/exhaustive-deps -- what is typed meanwhile is no reason to keep it anew
  }, [said]);
}

/** Reads a run that was kept: its form, and the turns of each lane. */
export function readChat({ values }: PastRun): { draft: Draft; lanes: ReturnType<typeof readTurns>[] } {
  return { draft: readDraftFrom(values['draft'], firstDraft), lanes: listOf(values['lanes']).map(readTurns) };
}
