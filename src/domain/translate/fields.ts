/**
 * Reads the fields of a request that goes to a model in another form than it came in. A field that nothing has read is
 * refused by its path, so that nothing a caller asked for is lost unseen. `null` counts as absent.
 */
import { isObject, type JsonObject } from '../json/json-object.ts';
import type { GatewayError } from '../errors.ts';
import { invalid, list, missing } from '../requests/parse.ts';

/** The fields of one object, at its path in the request. All readers throw GatewayError. */
export class Fields {
  readonly path: string;
  readonly #object: JsonObject;
  readonly #known = new Set<string>();

  constructor(object: unknown, path = '') {
    if (!isObject(object)) throw invalid(path === '' ? 'body' : path, 'must be an object');
    this.#object = object;
    this.path = path;
  }

  /** The path of a field: `messages[0].content`. */
  at(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`;
  }

  /** A value of any kind. */
  value(name: string): unknown {
    this.#known.add(name);
    return Object.hasOwn(this.#object, name) ? (this.#object[name] ?? undefined) : undefined;
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value !== undefined && typeof value !== 'string') throw invalid(this.at(name), 'must be a string');
    return value;
  }

  requiredText(name: string): string {
    const text = this.text(name);
    if (text === undefined) throw missing(this.at(name), 'must be a string');
    return text;
  }

  number(name: string, min: number, max: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw invalid(this.at(name), `must be a number from ${min} to ${max}`);
  }

  integer(name: string, min: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value;
    throw invalid(this.at(name), `must be an integer from ${min}`);
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value !== undefined && typeof value !== 'boolean') throw invalid(this.at(name), 'must be true or false');
    return value;
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.value(name);
    if (value !== undefined && !Array.isArray(value)) throw invalid(this.at(name), 'must be an array');
    return value;
  }

  object(name: string): Fields | undefined {
    const value = this.value(name);
    return value === undefined ? undefined : new Fields(value, this.at(name));
  }

  oneOf<const Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const found = values.find((each) => each === value);
    if (found === undefined) throw notCarried(this.at(name), `must be ${quotedList(values)}`);
    return found;
  }

  requiredOneOf<const Value extends string>(name: string, values: readonly Value[]): Value {
    const value = this.oneOf(name, values);
    if (value === undefined) throw missing(this.at(name), `must be ${quotedList(values)}`);
    return value;
  }

  /** Fields that change nothing of an answer: accepted with any value. Each is named in docs/internals/translation.md. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#known.add(name);
  }

  /** Refuses a field unless it is absent, or has the value that asks for nothing. */
  refuse(name: string, way: string, nothing?: (value: unknown) => boolean): void {
    const value = this.value(name);
    if (value !== undefined && nothing?.(value) !== true) throw notCarried(this.at(name), way);
  }

  /** Refuses the first field that was not read. */
  end(): void {
    for (const [name, value] of Object.entries(this.#object)) {
      if (this.#known.has(name) || value === null || value === undefined) continue;
      throw notCarried(
        this.at(name).slice(0, 200),
        `must be omitted; allowed here are ${quotedList([...this.#known])}`,
      );
    }
  }
}

/** What a model has no form for that is served over chat completions. `way` is the rule: what to send instead. */
export const notCarried = (param: string, way: string): GatewayError =>
  invalid(param, `can't be carried to this model, which is served over chat completions: it ${way}`);

export const quotedList = (values: readonly string[]): string => list(values.map((value) => `'${value}'`));

/** An object without the members that are undefined. */
export const defined = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
