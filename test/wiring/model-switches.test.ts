/** Switches over a configuration: what is not switched stays as it is, and without the database the last known switches hold. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Switches } from '../../src/domain/accounts/model-switch-rules.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { ModelSwitches } from '../../src/runtime/live-model-switches.ts';

const of = (more = '') =>
  readConfiguration(
    `
providers: { simulator: { kind: simulator } }
models:
  - { id: first, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 1 } }
  - { id: second, kind: image, maintenance: true, routes: [{ provider: simulator, model: m }], price: { per_image: 1 } }
${more}`,
    'tollgate.yaml',
    {},
    providerKinds,
  );
const configuration = of();

const asIs = { published: null, maintenance: null };

async function switchesOf(first: Record<string, Switches> = {}) {
  let read = () => Promise.resolve(new Map(Object.entries(first)));
  let changes = 0;
  const errors: unknown[] = [];
  const switches = new ModelSwitches({
    read: () => read(),
    onChange: () => {
      changes++;
    },
    onError: (error) => errors.push(error),
  });
  switches.over(configuration);
  await switches.open();
  return {
    switches,
    errors,
    changes: () => changes,
    answer: (next: Record<string, Switches>) => (read = () => Promise.resolve(new Map(Object.entries(next)))),
    fail: () => (read = () => Promise.reject(new Error('away'))),
    ask: (next: typeof read) => (read = next),
  };
}

describe('a configuration with switches', () => {
  test('is itself where nothing is switched, or only to what the file says', async () => {
    for (const first of [
      {},
      { first: { published: true, maintenance: null } },
      { gone: { ...asIs, published: false } },
    ]) {
      const { switches } = await switchesOf(first);
      assert.equal(switches.over(configuration), configuration);
      await switches.close();
    }
  });

  test('has the switched values, the rest and the order as before, and is one object until something changes', async () => {
    const { switches, answer, changes } = await switchesOf({
      first: { ...asIs, published: false },
      second: { ...asIs, maintenance: false },
    });
    const switched = switches.over(configuration);
    assert.deepEqual(
      [...switched.models.values()].map(({ id, published, maintenance }) => [id, published, maintenance]),
      [
        ['first', false, false],
        ['second', true, false],
      ],
    );
    assert.equal(switched.models.get('first')?.price, configuration.models.get('first')?.price);
    assert.equal(switched.providers, configuration.providers);
    await switches.refresh();
    assert.equal(switches.over(configuration), switched);
    assert.equal(changes(), 0);

    const reloaded = of('retention_days: 9\n');
    assert.deepEqual(
      [switches.over(reloaded).retentionDays, switches.over(reloaded).models.get('first')?.published],
      [9, false],
    );

    answer({});
    await switches.refresh();
    assert.equal(changes(), 1);
    assert.equal(switches.over(reloaded), reloaded);
    await switches.close();
  });
});

describe('while the database is away', () => {
  test('the last known switches hold without the database, which is logged once', async () => {
    const { switches, fail, answer, errors, changes } = await switchesOf({ first: { ...asIs, published: false } });
    fail();
    await switches.refresh();
    await switches.refresh();
    assert.equal(switches.over(configuration).models.get('first')?.published, false);
    assert.deepEqual([errors.length, changes()], [1, 0]);
    answer({ first: { ...asIs, maintenance: {} } });
    await switches.refresh();
    assert.deepEqual(switches.over(configuration).models.get('first')?.maintenance, {});
    fail();
    await switches.refresh();
    assert.equal(errors.length, 2);
    await switches.close();
  });

  test('nothing begins: what was switched off must not be on for a while', async () => {
    const switches = new ModelSwitches({
      read: () => Promise.reject(new Error('away')),
      onChange: () => undefined,
      onError: () => undefined,
    });
    await assert.rejects(switches.open(), /away/);
    await switches.close();
  });
});

test('an answer that was long on its way is never taken for the newest', async () => {
  const { switches, ask, answer } = await switchesOf();
  let slow: (switches: Map<string, Switches>) => void = () => undefined;
  ask(() => new Promise((resolve) => (slow = resolve)));
  const first = switches.refresh();
  await new Promise(setImmediate); // it is asked
  answer({ first: { ...asIs, published: false } });
  const second = switches.refresh();
  slow(new Map());
  await Promise.all([first, second]);
  assert.equal(switches.over(configuration).models.get('first')?.published, false);
  await switches.close();
});

test('what is switched is heard without being asked for', async () => {
  const { switches, answer } = await switchesOf();
  answer({ first: { ...asIs, maintenance: {} } });
  for (let tries = 0; switches.over(configuration) === configuration; tries++) {
    assert.ok(tries < 600, 'nothing was heard within half a minute');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await switches.close();
});
