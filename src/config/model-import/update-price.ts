/** Makes a price of `tollgate.yaml` that of a list, with its comments kept, and says what changed. */
import { isAlias, isMap, isScalar, type ParsedNode, type YAMLMap } from 'yaml';
import { compareDecimals, parseDecimal } from '../../domain/exact-decimal.ts';
import { cardKeys } from '../../domain/price-lists/listed-model.ts';
import type { PriceEntry } from '../../domain/price-lists/price-entry.ts';
import { addKey, endOf, inBraces, type TextEdits } from './yaml-text.ts';

/** One value; `from` is undefined where there was none. */
export interface Change {
  /** Such as `price.input_per_million`. */
  path: string;
  from: string | undefined;
  to: string;
}

type Value = PriceEntry[string];

/** What the file may have that the list may have, too; all else is the operator's own. */
const listedKeys: readonly string[] = [...cardKeys, 'per_tool_call', 'above', 'service_tiers', 'batch'];

export interface PriceUpdate {
  text: string;
  edits: TextEdits;
  /** Called with what is left as it is: variables, values that places share, and what the list doesn't have. */
  note: (text: string) => void;
}

/** Has the mapping below `key` of `holder` say what `wanted` says, and returns what that changes. */
export function updatePrice(
  { holder, key, path, wanted }: { holder: YAMLMap; key: string; path: string; wanted: PriceEntry },
  { text, edits, note }: PriceUpdate,
): Change[] {
  const changes: Change[] = [];

  const update = (map: YAMLMap, name: string, value: Value, place: string): void => {
    const there = map.get(name, true) as ParsedNode | undefined;
    if (isAlias(there) || there?.anchor !== undefined) {
      note(`${place} is shared with other places, and is left as it is`);
    } else if (isMap(there) && isMapping(value)) {
      for (const [below, one] of Object.entries(value)) update(there, below, one, `${place}.${below}`);
      const kept = there.items.flatMap((pair) => (isScalar(pair.key) ? [String(pair.key.value)] : []));
      const left = kept.filter((below) => !(below in value) && listedKeys.includes(below));
      if (left.length > 0)
        note(`${left.map((below) => `${place}.${below}`).join(', ')} not in the list: left as it is`);
    } else if (there === undefined) {
      addKey(edits, text, map, name, inBraces(value));
      changes.push({ path: place, from: undefined, to: inBraces(value) });
    } else if (textOf(there).includes('${')) {
      note(`${place} has a variable, and is left as it is`);
    } else if (!isSame(there, value)) {
      edits.replace(there.range[0], endOf(text, there) ?? there.range[1], inBraces(value));
      changes.push({ path: place, from: textOf(there), to: inBraces(value) });
    }
  };

  update(holder, key, wanted, path);
  return changes;
}

const isMapping = (value: Value): value is PriceEntry => typeof value === 'object' && !Array.isArray(value);

/** The text of a value of the file; its digits as they are written. */
const textOf = (node: ParsedNode): string => (isScalar(node) ? node.source : inBraces(node.toJSON() as Value));

function isSame(node: ParsedNode, value: Value): boolean {
  if (isScalar(node) || typeof value !== 'object') return isSameAmount(textOf(node), inBraces(value));
  return sortedText(node.toJSON()) === sortedText(value);
}

function isSameAmount(one: string, other: string): boolean {
  const [a, b] = [parseDecimal(one), parseDecimal(other)];
  return a && b ? compareDecimals(a, b) === 0 : one === other;
}

/** The order of names makes no difference. */
function sortedText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const names = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${names.map(([name, one]) => `${name}:${sortedText(one)}`).join(',')}}`;
}
