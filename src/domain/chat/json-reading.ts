/**
 * A JSON object of an upstream's, of which only a few members are read. An answer may be 64 MiB of images or log
 * probabilities; parsed, it would take up to forty times its bytes and hold this thread up for seconds. So what is large is
 * only looked through, and of it just the members that are asked for are parsed, each within a bound.
 */
import { parseJsonWithin } from '../json/json-bounds.ts';
import { type JsonMember, jsonMembers } from './json-members.ts';
import { isObject, jsonObjectOf, type JsonObject } from '../json/json-object.ts';

/** What is no longer is parsed whole, with every mistake in it found: that costs no more, and can't be many values. */
const parsedWholeBytesMax = 64 * 1024;

/** A member that isn't there is undefined. Of several with one name the last counts, as with any reader of JSON. */
export interface JsonReading {
  /** Throws TooManyValues, and SyntaxError where only this member was found to be no JSON. */
  value(name: string): unknown;
  isList(name: string): boolean;
  isObject(name: string): boolean;
  /** The object that this member is, and these members of it; undefined if it is none. */
  object(name: string, names: readonly string[]): JsonReading | undefined;
}

/**
 * The object in these bytes, of which only members with these names (ASCII) can be read; undefined if it is no JSON object,
 * as far as that was looked at: of what is large, values that are skipped are only known to end.
 */
export function readJson(bytes: Buffer, names: readonly string[], valuesMax?: number): JsonReading | undefined {
  if (bytes.length > parsedWholeBytesMax) return lookedThrough(() => new LookedThrough(bytes, names, 0, valuesMax));
  const value = jsonObjectOf(bytes);
  return value && new Parsed(value);
}

/** Undefined for what `jsonMembers` finds to be no object. */
function lookedThrough(look: () => LookedThrough): LookedThrough | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

class Parsed implements JsonReading {
  readonly #object: JsonObject;

  constructor(object: JsonObject) {
    this.#object = object;
  }

  value(name: string): unknown {
    return this.#object[name];
  }

  isList(name: string): boolean {
    return Array.isArray(this.#object[name]);
  }

  isObject(name: string): boolean {
    return isObject(this.#object[name]);
  }

  object(name: string): JsonReading | undefined {
    const value = this.#object[name];
    return isObject(value) ? new Parsed(value) : undefined;
  }
}

const brace = 0x7b;
const bracket = 0x5b;

class LookedThrough implements JsonReading {
  readonly #bytes: Buffer;
  readonly #members = new Map<string, JsonMember>();
  readonly #valuesMax: number | undefined;

  /** Throws a TypeError where no object begins at `from`, or doesn't end; at the top of the text, where more than it is there. */
  constructor(bytes: Buffer, names: readonly string[], from: number, valuesMax: number | undefined) {
    this.#bytes = bytes;
    this.#valuesMax = valuesMax;
    const { found, end } = jsonMembers(bytes, names, from);
    if (from === 0 && !isBlank(bytes, end)) throw new TypeError('something follows the object');
    for (const member of found) this.#members.set(member.name, member);
  }

  value(name: string): unknown {
    const member = this.#members.get(name);
    return member && parseJsonWithin(this.#bytes.subarray(member.start, member.end), this.#valuesMax);
  }

  isList(name: string): boolean {
    return this.#begins(name, bracket);
  }

  isObject(name: string): boolean {
    return this.#begins(name, brace);
  }

  object(name: string, names: readonly string[]): JsonReading | undefined {
    const member = this.#members.get(name);
    if (!member || !this.isObject(name)) return undefined;
    return lookedThrough(() => new LookedThrough(this.#bytes, names, member.start, this.#valuesMax));
  }

  #begins(name: string, byte: number): boolean {
    const member = this.#members.get(name);
    return member !== undefined && this.#bytes[member.start] === byte;
  }
}

function isBlank(bytes: Buffer, from: number): boolean {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}
