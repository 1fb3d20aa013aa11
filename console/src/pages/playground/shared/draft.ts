/** What is typed and not sent, kept in the tab: after another page or a reload it is still there. */
import { useEffect, useState } from 'react';
import { useSession } from '../../../api/session.ts';
import { useAccountId } from '../../../parts/use-account.ts';

type Value = string | number | boolean | null | readonly string[];
export type Plain = Readonly<Record<string, Value>>;

/** The name under which something is kept: of this person, for this account. */
export function useDraftName(page: string): string {
  return `tollgate.playground.${useSession().person.id}.${useAccountId()}.${page}`;
}

/** The values of a form, and how to change some of them. */
export function useDraft<Values extends Plain>(
  page: string,
  first: Values,
): [Values, (change: Partial<Values>) => void] {
  const name = useDraftName(page);
  const [values, setValues] = useState(() => readDraft(name, first));
  useEffect(() => keep(name, values), [name, values]);
  return [values, (change) => setValues((before) => ({ ...before, ...change }))];
}

/** Keeps a value as JSON. A tab that may keep no more loses the draft and nothing else. */
export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(name);
  }
}

/** What was kept, as it was; undefined if nothing, or nothing that can be read. */
export function kept(name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

const readDraft = <Values extends Plain>(name: string, first: Values): Values => readDraftFrom(kept(name), first);

/** The values that were kept, as far as they fit the form; the others are those of the first draft. */
export function readDraftFrom<Values extends Plain>(stored: unknown, first: Values): Values {
  if (typeof stored !== 'object' || stored === null) return first;
  const fitting = Object.entries(stored).filter(([key, value]) => isLike(first[key], value));
  return { ...first, ...Object.fromEntries(fitting) };
}

/** A value that may be empty is a number where it is not. */
function isLike(wanted: Value | undefined, value: unknown): boolean {
  if (wanted === undefined) return false;
  if (wanted === null || typeof wanted === 'number') return value === null || typeof value === 'number';
  if (Array.isArray(wanted)) return Array.isArray(value) && value.every((item) => typeof item === 'string');
  return typeof value === typeof wanted;
}
