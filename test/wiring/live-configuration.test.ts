import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { pino } from 'pino';
import type { ProviderSettings } from '../../src/domain/catalogue.ts';
import type { ChatProvider } from '../../src/providers/chat-contract.ts';
import type { TaskProvider } from '../../src/providers/contract.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { LiveConfiguration } from '../../src/runtime/live-configuration.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

/** An adapter that says what it was made from, and when it is closed. */
interface Made {
  of: ProviderSettings;
  closed: boolean;
}

let db: TestDatabase;
let made: Made[];
before(async () => {
  db = await freshDatabase();
});
after(() => db.drop());
beforeEach(() => {
  made = [];
});

const configurationOf = (providers: string) =>
  readConfiguration(
    `providers: { base: { kind: simulator }, ${providers} }\nmodels:\n  - { id: m, kind: image, routes: [{ provider: base, model: m }], price: { per_image: 1 } }\n`,
    'tollgate.yaml',
    {},
    providerKinds,
  );

const adapterOf = (of: ProviderSettings): Made & Pick<TaskProvider, 'close'> => {
  const adapter = {
    of,
    closed: false,
    close: () => {
      adapter.closed = true;
      return Promise.resolve();
    },
  };
  made.push(adapter);
  return adapter;
};

function open(providers: string, leavingMs = 10): LiveConfiguration {
  return new LiveConfiguration(configurationOf(providers), {
    database: db.database,
    makeTasks: (settings) =>
      new Map(
        [...settings].map(([name, of]) => [
          name,
          {
            ...adapterOf(of),
            abilities: { idempotent: true, lookup: false, cancel: false, webhook: false },
            submit: () => Promise.resolve({ outcome: 'accepted', jobId: String(of.numbers['latency_ms']) }),
            poll: () => Promise.resolve({ state: 'missing' }),
          } satisfies TaskProvider,
        ]),
      ),
    makeChat: (settings) =>
      new Map(
        [...settings].map(([name, of]) => [
          name,
          {
            ...adapterOf(of),
            endpoints: [],
            start: () => ({ pause: () => undefined, resume: () => undefined, abort: () => undefined }),
          } satisfies ChatProvider,
        ]),
      ),
    log: pino({ level: 'silent' }),
    leavingMs,
  });
}

const with1 = 'a: { kind: simulator, latency_ms: 1 }';
const with2 = 'a: { kind: simulator, latency_ms: 2 }';
const adaptersOf = (name: string) => made.filter(({ of }) => of.name === name);
const submitted = async (provider: TaskProvider | undefined) => {
  const submission = await provider?.submit({} as never, new AbortController().signal);
  return submission?.outcome === 'accepted' ? submission.jobId : undefined;
};

test('the adapters of a provider that is as it was are kept, and no other is made', async () => {
  const live = open(with1);
  const { chatProviders } = live.now;
  await live.replace(configurationOf(`${with1}, b: { kind: simulator }`));
  assert.equal(live.now.chatProviders.get('a'), chatProviders.get('a'));
  assert.equal(adaptersOf('a').length, 2); // one for tasks, one for chat
  assert.equal(adaptersOf('b').length, 2);
  await live.close();
  assert.deepEqual(new Set(made.map(({ closed }) => closed)), new Set([true]));
});

test('a provider that is held across a reload uses its new adapter, and the old one is closed when the work under way is over', async () => {
  const live = open(with1);
  const held = live.providers.get('a');
  assert.equal(await submitted(held), '1');
  let end = () => {};
  const work = live.during(() => new Promise<void>((resolve) => (end = resolve)));
  await live.replace(configurationOf(with2));
  assert.equal(await submitted(held), '2');
  assert.equal(await submitted(live.providers.get('a')), '2');
  const old = adaptersOf('a').slice(0, 2);
  assert.deepEqual(
    old.map(({ closed }) => closed),
    [false, false],
  );
  const later = live.during(() => new Promise<void>(() => undefined)); // began after the reload, so nothing waits for it
  void later;
  end();
  await work;
  assert.deepEqual(
    old.map(({ closed }) => closed),
    [true, true],
  );
  await live.close();
});

test('what a follower can not prepare refuses the reload, and everything is as it was', async () => {
  const live = open(with1);
  const seen: string[] = [];
  live.follow({
    begin: (names) => {
      seen.push(`begin ${names.join()}`);
      return Promise.reject(new Error('Temporal is away'));
    },
    end: (name) => {
      seen.push(`end ${name}`);
      return Promise.resolve();
    },
  });
  const before = live.now;
  await assert.rejects(live.replace(configurationOf(`${with2}, b: { kind: simulator }`)), /Temporal is away/);
  assert.deepEqual(seen, ['begin b', 'end b']);
  assert.equal(live.now, before);
  assert.equal(await submitted(live.providers.get('a')), '1');
  assert.equal(live.providers.has('b'), false);
  assert.deepEqual(
    made.map(({ of, closed }) => [of.name, of.numbers['latency_ms'], closed]).filter(([, , closed]) => closed),
    [
      ['a', 2, true],
      ['b', 0, true],
      ['a', 2, true],
      ['b', 0, true],
    ],
  );
  await live.close();
});

test('a removed provider that comes back before it is gone goes on as it was', async () => {
  const live = open(with1, 600_000);
  const ended: string[] = [];
  live.follow({
    end: (name) => {
      ended.push(name);
      return Promise.resolve();
    },
  });
  await live.replace(configurationOf(''));
  assert.deepEqual([...live.now.configuration.providers.keys()], ['base']);
  assert.equal(await submitted(live.providers.get('a')), '1'); // for tasks that came at the last moment
  await live.replace(configurationOf(with1));
  assert.equal(await submitted(live.providers.get('a')), '1');
  assert.ok(live.now.chatProviders.has('a'));
  assert.deepEqual(ended, []);
  await live.close();
});

test('reloads that come at once are made one after the other', async () => {
  const live = open(with1);
  const changes = await Promise.all([
    live.replace(configurationOf(with2)),
    live.replace(configurationOf('')),
    live.replace(configurationOf('b: { kind: simulator }')),
  ]);
  assert.deepEqual(changes, ['providers changed: a', 'providers removed: a', 'providers added: b']);
  await live.close();
});
