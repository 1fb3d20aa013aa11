/** The part of a conversation that is being answered: what was asked since the last answer, and which tools ran since. */

/** A message, an item or a block, as far as the simulator looks at it. */
export type Saying =
  | { by: 'user'; text: string }
  | { by: 'assistant'; calls: number }
  | { by: 'tool'; text: string }
  | { by: 'other' };

export interface Round {
  /** The last thing that the user wrote: what is answered. */
  text: string;
  /** All that the user wrote in the round: where the knobs are looked for. */
  asked: string;
  /** How many tools the assistant called in the round. */
  callsMade: number;
  /** What tools answered since the assistant spoke last. */
  toolAnswers: readonly string[];
}

/**
 * Returns the round that is open. It begins with the last thing that the user wrote right after the assistant, so that
 * results of tools, and notes of an agent that stand beside them, belong to it.
 */
export function roundOf(sayings: readonly Saying[]): Round {
  const spoken = sayings.filter(({ by }) => by !== 'other');
  const start = spoken.findLastIndex(({ by }, at) => by === 'user' && spoken[at - 1]?.by === 'assistant');
  const round = spoken.slice(Math.max(0, start));
  const afterAssistant = round.slice(round.findLastIndex(({ by }) => by === 'assistant') + 1);
  const texts = round.flatMap((saying) => (saying.by === 'user' ? [saying.text] : []));
  return {
    text: texts.at(-1) ?? '',
    asked: texts.join('\n'),
    callsMade: round.reduce((sum, saying) => sum + (saying.by === 'assistant' ? saying.calls : 0), 0),
    toolAnswers: afterAssistant.flatMap((saying) => (saying.by === 'tool' ? [saying.text] : [])),
  };
}
