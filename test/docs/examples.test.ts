/**
 * The examples that need no gateway: configurations are read, JSON is parsed. The others run in `test/full/docs.test.ts`;
 * here it is kept that each can be run, or says why not.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { readConfiguration } from '../../src/config/configuration.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { examplesOf, pagesWithExamples, placeOf } from './pages.ts';

/** Examples that say why they can't run on their own. One more is a decision, not an oversight. */
const exemptMax = 12;
const runnable = ['sh', 'js', 'python'];
/** Empty: diagrams and what programs print. */
const languages = [...runnable, 'yaml', 'json', 'ini', ''];

const examples = pagesWithExamples().flatMap(examplesOf);
const env = Object.fromEntries(['UPSTREAM_API_KEY', 'FAL_KEY', 'REPLICATE_API_TOKEN'].map((name) => [name, 'key']));

test('each example is in a language that is checked', () => {
  const others = examples.filter(({ language }) => !languages.includes(language));
  assert.deepEqual(others.map(placeOf), []);
});

test('each exempt example says why, and they are few', (context) => {
  const exempt = examples.filter((example) => example.exempt !== undefined && runnable.includes(example.language));
  // A page whose examples are run by a test of its own says so once.
  const reasons = new Set(exempt.map(({ page, exempt: why = '' }) => `${page}: ${why}`));
  for (const reason of reasons) context.diagnostic(reason);
  assert.deepEqual(exempt.filter(({ exempt: why = '' }) => why.length < 10).map(placeOf), [], 'give a reason');
  assert.ok(reasons.size <= exemptMax, `${reasons.size} reasons not to run; more than ${exemptMax} are too many`);
});

describe('examples that need no gateway', () => {
  const isOurs = /^(providers|models|deployments):/m;
  for (const example of examples.filter(({ exempt }) => exempt === undefined)) {
    const { code, page, language } = example;
    if (language === 'json') test(`${placeOf(example)} is JSON`, () => void JSON.parse(code));
    if (language !== 'yaml') continue;
    if (isOurs.test(code))
      test(`${placeOf(example)} is a configuration`, () =>
        void readConfiguration(whole(code), page, env, providerKinds));
    else test(`${placeOf(example)} is YAML`, () => void parse(code));
  }
});

/** An example of models alone uses the simulator under the name that other examples give it. */
const whole = (code: string): string =>
  /^providers:/m.test(code) ? code : `providers:\n  local: { kind: simulator }\n${code}`;
