/** The current details of a batch's workflow at each step, for operators in Temporal's UI; they are not written to the history. */
import type { BatchEnded, SliceRun } from '../activities/activity-types.ts';
import { amountText, micros } from '../domain/money.ts';

export const validating = 'Checking every line; nothing is held before all are good.';

export const refused = (mistakes: number): string =>
  `Failed: ${counted(mistakes)} mistakes in its lines. Nothing was sent.`;

export const running = ({ total, completed, failed, cost, currency, paused, againInMs }: SliceRun): string => {
  const parts = [`${counted(completed + failed)} of ${counted(total)} lines done`, `${counted(failed)} failed`];
  const wait = againInMs > 0 ? ` The next lines are tried in ${Math.ceil(againInMs / 1000)} s at the latest.` : '';
  return `${parts.join(', ')}; cost ${costText(cost, currency)}.${pauses[paused ?? 'none']}${wait}`;
};

const pauses = {
  none: '',
  insufficient_balance: ' Paused: the balance is insufficient.',
  provider_busy: ' Paused: the provider is busy.',
};

export const finalizing = 'All lines have ended; writing the output and error files.';

export const ended = ({ state, cost, currency }: BatchEnded): string =>
  `${state[0]?.toUpperCase() ?? ''}${state.slice(1)}; cost ${costText(cost, currency)}.`;

const costText = (cost: number, currency = ''): string => `${amountText(micros(BigInt(cost)))} ${currency}`.trim();

/** `50,000`: the sandbox of workflows has no locales to rely on. */
const counted = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
