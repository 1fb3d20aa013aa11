/** The form of `POST /files`, parsed: what a file is for, its name and how long it is kept. */
import { z } from 'zod';
import { fileNameCharactersMax, fileSecondsMax, fileSecondsMin } from '../limits.ts';
import { isKeepable } from '../text.ts';
import { integerFrom, oneOf } from './fields.ts';
import { type FieldTypes, valuesOfForm } from './form-fields.ts';
import { invalid, missing, parseWith } from './parse.ts';

/** What callers upload. */
const uploadPurposes = ['batch', 'user_data', 'vision'] as const;
export const filePurposes = [...uploadPurposes, 'batch_output'] as const;
export type FilePurpose = (typeof filePurposes)[number];

const anchorField = 'expires_after[anchor]';
const secondsField = 'expires_after[seconds]';
export const fileForm = z.object({
  purpose: oneOf(uploadPurposes),
  [anchorField]: z.literal('created_at', "must be 'created_at'").nullish(),
  [secondsField]: integerFrom(fileSecondsMin, fileSecondsMax).nullish(),
});
/** The names of its fields. */
export const fileFormFields = ['purpose', anchorField, secondsField] as const;
const types: FieldTypes = { [secondsField]: 'integer' };

export interface FileRequest {
  purpose: FilePurpose;
  filename: string;
  /** From its creation on; null: until it is deleted. */
  keptSeconds: number | null;
}

/**
 * What was asked for. Files of batches are kept for 30 days without a time of their own. Refuses with `missing_parameter`
 * or `invalid_parameter`.
 */
export function parseFileRequest(
  sent: Readonly<Partial<Record<(typeof fileFormFields)[number], string>>>,
  filename: string,
): FileRequest {
  const { purpose, [anchorField]: anchor, [secondsField]: seconds } = parseWith(fileForm, valuesOfForm(sent, types));
  if (seconds !== undefined && anchor === undefined) throw missing(anchorField, `must be 'created_at'`);
  if (anchor !== undefined && seconds === undefined)
    throw missing(secondsField, `must be an integer from ${fileSecondsMin} to ${fileSecondsMax}`);
  requireName(filename);
  if (purpose === 'batch' && !filename.toLowerCase().endsWith('.jsonl'))
    throw invalid('file', "must have a name that ends in .jsonl when 'purpose' is 'batch'");
  return { purpose, filename, keptSeconds: seconds ?? (purpose === 'batch' ? fileSecondsMax : null) };
}

function requireName(filename: string): void {
  const isName = filename !== '' && filename.length <= fileNameCharactersMax && isKeepable(filename);
  if (!isName) throw invalid('file', `must have a name of 1 to ${fileNameCharactersMax} characters`);
}
