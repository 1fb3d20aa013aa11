/** What the steps of batches work with, and what they answer. */
import type { ApiKey } from '../accounts/api-keys.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { BatchState } from '../domain/batches/batch-states.ts';

export type BatchTools = Pick<
  ApiDependencies,
  'configuration' | 'database' | 'blobs' | 'guard' | 'providers' | 'log'
> & {
  /** The key that a batch was created with, if it is as the gateway sealed it. */
  findKey: (id: string) => Promise<ApiKey | undefined>;
};

export interface Validated {
  state: BatchState;
  total: number;
  mistakes: number;
}
