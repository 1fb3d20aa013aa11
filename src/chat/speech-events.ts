/** A speech call whose audio is asked for as events. */
import { parseJsonWithin } from '../domain/json/json-bounds.ts';
import { isObject } from '../domain/json/json-object.ts';

/** The body for the upstream: written anew, as two of its members change and it is short. */
export function askingForEvents(bytes: Buffer, model: string): Buffer[] {
  const body = parseJsonWithin(bytes);
  if (!isObject(body)) throw new TypeError('the body of a call is a JSON object');
  return [Buffer.from(JSON.stringify({ ...body, model, stream_format: 'sse' }))];
}
