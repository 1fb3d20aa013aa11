/** One reading of a body: names at its top that another reader of JSON may understand otherwise are refused. */
import type * as z from 'zod';
import { jsonMembers, type JsonMembers } from '../../domain/chat/json-members.ts';
import { GatewayError } from '../../domain/errors.ts';
import { foldedName } from '../../domain/json/folded-name.ts';

/**
 * The members at the top of a body that was parsed, those of `places` with their places. Refuses with `invalid_json` a
 * name that is there twice, since some readers take the first and some the last, and one that equals one of `names` but
 * for its case, since some readers ignore that. A name is what it spells, however it is escaped.
 */
export function readMembers(
  bytes: Buffer,
  value: object,
  names: ReadonlySet<string>,
  places: readonly string[],
): JsonMembers {
  const members = jsonMembers(bytes, places);
  const written = Object.keys(value);
  const doubled = written.length === members.count ? undefined : doubledName(bytes);
  if (doubled !== undefined) throw ambiguous(doubled, 'appears twice; send it once');
  for (const name of written) {
    if (names.has(name)) continue;
    const meant = foldedNames(names).get(foldedName(name));
    if (meant !== undefined) throw ambiguous(name, `differs from '${meant}' only in case; send '${meant}'`);
  }
  return members;
}

/** The names of a schema's fields. */
export const namesOf = ({ shape }: Pick<z.ZodObject, 'shape'>): ReadonlySet<string> => new Set(Object.keys(shape));

const foldedSets = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, string>>();

function foldedNames(names: ReadonlySet<string>): ReadonlyMap<string, string> {
  let found = foldedSets.get(names);
  if (!found) foldedSets.set(names, (found = new Map([...names].map((name) => [foldedName(name), name]))));
  return found;
}

/** The first name that comes a second time. */
function doubledName(bytes: Buffer): string | undefined {
  const seen = new Set<string>();
  for (const { name } of jsonMembers(bytes, undefined).found) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

function ambiguous(name: string, what: string): GatewayError {
  const shown = name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}…` : name;
  return new GatewayError('invalid_json', `The body is ambiguous: '${shown}' ${what}.`, { param: shown });
}

const nameCharactersMax = 64;
