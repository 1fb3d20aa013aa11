/** One batch as the API gives it. */
import type { Answer } from '../../api/client.ts';

export type BatchPage = Answer<'getBatch'>;
