/** A batch of a thousand lines in the document, at the points of its life. */
import type { BatchState } from '../../domain/batches/batch-states.ts';
import { exampleIds } from './example-ids.ts';
import { exampleCreated } from './examples.ts';

const mistakes = {
  object: 'list',
  data: [{ code: 'model_not_found', line: 3, message: "Model 'sim-chad' not found.", param: 'body.model' }],
};

/** How many of its lines are done by then. */
const doneAt: Partial<Record<BatchState, number>> = {
  completed: 998,
  cancelled: 412,
  cancelling: 412,
  in_progress: 412,
};

export function batchExample(state: BatchState) {
  const done = doneAt[state] ?? 0;
  const isCompleted = state === 'completed';
  const isStarted = done > 0;
  const isCancelled = state === 'cancelling' || state === 'cancelled';
  return {
    ...{ id: exampleIds.batch, object: 'batch', endpoint: '/v1/chat/completions' },
    errors: state === 'failed' ? mistakes : null,
    ...{ input_file_id: exampleIds.file, completion_window: '24h', status: state },
    output_file_id: isCompleted ? exampleIds.file : null,
    error_file_id: null,
    created_at: exampleCreated,
    in_progress_at: isStarted ? exampleCreated + 2 : null,
    expires_at: exampleCreated + 86_400,
    finalizing_at: isCompleted ? exampleCreated + 600 : null,
    completed_at: isCompleted ? exampleCreated + 601 : null,
    failed_at: state === 'failed' ? exampleCreated + 2 : null,
    expired_at: null,
    cancelling_at: isCancelled ? exampleCreated + 300 : null,
    cancelled_at: null,
    request_counts: { total: isStarted ? 1000 : 0, completed: done, failed: isCompleted ? 2 : 0 },
    usage: {
      input_tokens: done * 40,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: done * 60,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: done * 100,
    },
    metadata: null,
    _local: { cost: done / 1000, held: state === 'in_progress' ? 0.4 : 0, balance: 99, paused: null },
  };
}
