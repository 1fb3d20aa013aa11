/** The body of `POST /batches`, parsed. */
import { z } from 'zod';
import { type BatchEndpoint, batchEndpoints } from '../batches/endpoints.ts';
import {
  batchHoursMax,
  fileSecondsMax,
  fileSecondsMin,
  metadataNameCharactersMax,
  metadataPairsMax,
  metadataValueCharactersMax,
} from '../limits.ts';
import { isKeepable } from '../text.ts';
import { httpAddress, integerFrom, oneOf, word } from './fields.ts';
import { parseWith } from './parse.ts';

const windowRule = `must be '1h' to '${batchHoursMax}h', such as '24h'`;
const metadataRule = `must be an object of at most ${metadataPairsMax} pairs, whose names have at most ${metadataNameCharactersMax} characters and whose values are strings of at most ${metadataValueCharactersMax}`;

const isMetadata = (pairs: Readonly<Record<string, string>>): boolean =>
  Object.keys(pairs).length <= metadataPairsMax &&
  Object.entries(pairs).every(
    ([name, value]) =>
      name.length <= metadataNameCharactersMax &&
      value.length <= metadataValueCharactersMax &&
      isKeepable(name) &&
      isKeepable(value),
  );

export const batchBody = z.object({
  input_file_id: word,
  endpoint: oneOf(batchEndpoints),
  completion_window: z
    .string(windowRule)
    .regex(/^[1-9]\d{0,2}h$/, windowRule)
    .refine((text) => Number.parseInt(text) <= batchHoursMax, windowRule),
  metadata: z.record(z.string(), z.string(metadataRule), metadataRule).refine(isMetadata, metadataRule).nullish(),
  output_expires_after: z
    .object(
      {
        anchor: z.literal('created_at', "must be 'created_at'"),
        seconds: integerFrom(fileSecondsMin, fileSecondsMax),
      },
      "must be an object with 'anchor' and 'seconds'",
    )
    .nullish(),
  webhook_url: httpAddress().nullish(),
});

export interface BatchRequest {
  inputFileId: string;
  endpoint: BatchEndpoint;
  windowSeconds: number;
  metadata: Readonly<Record<string, string>> | null;
  /** How long its output files are kept, from when they are made. */
  outputSeconds: number;
  webhookUrl?: string;
}

/** Refuses with `missing_parameter` or `invalid_parameter`. */
export function parseBatchRequest(body: unknown): BatchRequest {
  const read = parseWith(batchBody, body);
  return {
    inputFileId: read.input_file_id,
    endpoint: read.endpoint,
    windowSeconds: Number.parseInt(read.completion_window) * 3600,
    metadata: read.metadata ?? null,
    outputSeconds: read.output_expires_after?.seconds ?? fileSecondsMax,
    ...(typeof read.webhook_url === 'string' && { webhookUrl: read.webhook_url }),
  };
}
