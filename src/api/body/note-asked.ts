/** What a body asks for, noted before it is checked: the record of a refused request says so too. */
import { isObject } from '../../domain/json/json-object.ts';
import { isKeepable } from '../../domain/text.ts';
import type { ApiContext } from '../context.ts';

/** No longer one is an id, or a name that is kept whole. */
const charactersMax = 256;

/** Notes the model that a body names, and who asks: `user`, or `metadata.user_id` of a message. */
export function noteAsked({ state }: Pick<ApiContext, 'state'>, body: unknown): void {
  if (!isObject(body)) return;
  const model = textOf(body['model']);
  if (model !== undefined) state.model = model;
  const { metadata } = body;
  const user = textOf(body['user']) ?? (isObject(metadata) ? textOf(metadata['user_id']) : undefined);
  if (user !== undefined) state.endUser = user;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= charactersMax && isKeepable(value) ? value : undefined;
