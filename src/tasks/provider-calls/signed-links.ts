/**
 * Signed links to stored files: `/files/<task>/<file>?e=<Unix seconds>&k=<id of the secret>&s=<signature>`, where the file
 * is the number of a result, or the name of one of the caller's uploads, such as `audio` or `image0`. The signature is base64url of HMAC-SHA256
 * over `tollgate file`, task, file and e, a line each.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TaskId } from '../../domain/ids.ts';
import { isUploadName, type UploadName } from '../../domain/tasks/uploads.ts';

/** The part of the derived keys that links need: the first signs, all verify. */
export interface LinkKeys {
  first: LinkKey;
  all: readonly LinkKey[];
}
export interface LinkKey {
  /** Names the secret; may be shown. */
  id: string;
  links: Uint8Array;
}

export interface FileLink {
  taskId: TaskId;
  /** Which of the task's results, from 0 to 9999, or which of its uploads. */
  file: number | UploadName;
  /** Unix seconds; the link is good until then. */
  expiresAtSeconds: number;
}

export type LinkVerdict =
  | { verdict: 'good'; link: FileLink }
  /** Signed by us, but too old. */
  | { verdict: 'expired' }
  /** Not signed by us as it stands. */
  | { verdict: 'forged' };

const taskIdForm = /^[A-Za-z0-9_]{1,64}$/;
const isFile = (name: string): boolean => /^(?:0|[1-9]\d{0,3})$/.test(name) || isUploadName(name);
const secondsForm = /^[1-9]\d{0,11}$/;

/** The path and query of a link, to be appended to the public address. */
export function signLink({ taskId, file, expiresAtSeconds }: FileLink, keys: LinkKeys): string {
  const [n, e] = [String(file), String(expiresAtSeconds)];
  if (!taskIdForm.test(taskId) || !isFile(n) || !secondsForm.test(e)) throw new RangeError('no link can name this');
  return `/files/${taskId}/${n}?e=${e}&k=${keys.first.id}&s=${signature(taskId, n, e, keys.first)}`;
}

/**
 * Judges a link by its two path parts and its query, as a router gives them. Never throws for what callers send;
 * takes the same time wherever a signature differs. A forged link is never reported as expired.
 */
export function verifyLink(
  path: { taskId: string; file: string },
  query: Readonly<Record<string, unknown>>,
  keys: LinkKeys,
  nowSeconds: number,
): LinkVerdict {
  const { e, k, s } = query;
  if (typeof e !== 'string' || typeof k !== 'string' || typeof s !== 'string') return { verdict: 'forged' };
  if (!taskIdForm.test(path.taskId) || !isFile(path.file) || !secondsForm.test(e)) return { verdict: 'forged' };
  const key = keys.all.find(({ id }) => id === k);
  if (key === undefined || !sameText(s, signature(path.taskId, path.file, e, key))) return { verdict: 'forged' };
  const expiresAtSeconds = Number(e);
  if (expiresAtSeconds <= nowSeconds) return { verdict: 'expired' };
  // We signed it, so it is an id of ours.
  const file = isUploadName(path.file) ? path.file : Number(path.file);
  return { verdict: 'good', link: { taskId: path.taskId as TaskId, file, expiresAtSeconds } };
}

function signature(taskId: string, file: string, expiresAt: string, key: LinkKey): string {
  return createHmac('sha256', key.links).update(`tollgate file\n${taskId}\n${file}\n${expiresAt}`).digest('base64url');
}

function sameText(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
