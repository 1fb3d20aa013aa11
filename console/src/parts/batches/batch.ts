/** A batch as lists and pages have it, and what follows from how it stands. */
import type { Answer } from '../../api/client.ts';

export type BatchLine = Answer<'listBatches'>['data'][number];

/** In the order of a batch's life. */
export const batchStatuses = [
  ...(['validating', 'in_progress', 'finalizing', 'completed'] as const),
  ...(['failed', 'expired', 'cancelling', 'cancelled'] as const),
] satisfies readonly BatchLine['status'][];

/** Whether something of it is about to change. */
export const isRunning = ({ ended }: Pick<BatchLine, 'ended'>): boolean => ended === null;

/** Whether lines of it may still be kept from being sent. */
export const canCancel = ({ status }: Pick<BatchLine, 'status'>): boolean =>
  status === 'validating' || status === 'in_progress';

/** How many of its lines have an answer or an error, in percent of all. */
export const percentOf = ({ total, completed, failed }: BatchLine['counts']): number =>
  total === 0 ? 0 : Math.floor(((completed + failed) * 100) / total);
