/** What the tests of request bodies share: a model to ask, and tables of refused and accepted bodies. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Model, ModelKind } from '../../../src/domain/catalogue.ts';
import { micros } from '../../../src/domain/money.ts';

export function modelOf(kind: ModelKind, changes: Partial<Model> = {}): Model {
  return {
    id: `some-${kind}`,
    kind,
    ownedBy: 'example',
    created: 1_790_000_000,
    capabilities: [],
    published: true,
    maintenance: false,
    routes: [],
    price: { unit: 'second', perSecond: micros(50_000n) },
    limits: {},
    onDisconnect: 'abort',
    translate: false,
    allow: [],
    overrunFactor: 2,
    ...changes,
  };
}

export type Refusal = readonly [
  what: string,
  body: unknown,
  code: 'missing_parameter' | 'invalid_parameter',
  param: string | null,
];

/** One test for each row: the body is refused with this code and this param, in a message that names the param. */
export function refuses(rows: readonly Refusal[], parse: (body: unknown) => unknown): void {
  for (const [what, body, code, param] of rows) {
    test(`refuses ${what}`, () => {
      assert.throws(
        () => parse(body),
        (error: unknown) => {
          assert.ok(error instanceof Error && 'code' in error && 'param' in error);
          assert.deepEqual({ code: error.code, param: error.param }, { code, param }, error.message);
          assert.doesNotMatch(error.message, /Invalid|undefined/, 'a message of zod instead of a rule');
          if (param !== null) assert.ok(error.message.includes(`'${param}'`) || param === 'model', error.message);
          return true;
        },
      );
    });
  }
}

/** One test for each row: the body is taken, and what is read from it has these values. */
export function accepts<Result extends object>(
  rows: readonly (readonly [what: string, body: unknown, read: Partial<Result>])[],
  parse: (body: unknown) => Result,
): void {
  for (const [what, body, read] of rows) {
    test(`takes ${what}`, () => {
      const parsed = Object.entries(parse(body)).filter(([name]) => Object.hasOwn(read, name));
      assert.deepEqual(Object.fromEntries(parsed), read);
    });
  }
}
