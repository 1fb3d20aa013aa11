/** A request as the lists of the console have it. */
import type { Answer } from '../../api/client.ts';

export type ShownRequest = Answer<'listRequests'>['data'][number] | Answer<'listAllRequests'>['data'][number];

/** How a request ended, for its colour; the status says the same in figures. */
export function outcomeOf({ status, code }: Pick<ShownRequest, 'status' | 'code'>): 'good' | 'refused' | 'failed' {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  return code === null ? 'good' : 'failed';
}
