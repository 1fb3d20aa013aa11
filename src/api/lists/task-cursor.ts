/** Where a list of tasks goes on, of the public API and the console's. */
import * as z from 'zod';
import type { TaskPosition } from '../../tasks/rows/task-list.ts';
import { cursorRule } from './list-query.ts';

export const taskCursorOf = ({ createdAt, id }: TaskPosition): string => `${createdAt.getTime()}.${id}`;

const cursorForm = /^(\d{1,14})\.((?:img|vid|avt)_[0-9a-f]{32})$/;
export const taskCursor = z
  .string(cursorRule)
  .regex(cursorForm, cursorRule)
  .transform((cursor): TaskPosition => {
    const [, ms = '', id = ''] = cursorForm.exec(cursor) ?? [];
    return { createdAt: new Date(Number(ms)), id };
  })
  .optional();
