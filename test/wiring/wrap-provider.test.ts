/** The wrapper round a provider: replaceable, layered, and without a list of the provider's methods. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Layer, wrapProvider } from '../../src/runtime/provider-calls/wrap-provider.ts';

interface Provider {
  readonly region: string;
  greet(name: string): string;
  farAway?(): string;
}

class Adapter implements Provider {
  readonly region: string;
  readonly #greeting: string;

  constructor(region: string, greeting: string) {
    this.region = region;
    this.#greeting = greeting;
  }

  greet(name: string): string {
    return `${this.#greeting} ${name}`;
  }
}

test('calls and values come from the adapter that is current', () => {
  let current: Provider = new Adapter('north', 'hello');
  const provider = wrapProvider(() => current, []);
  assert.deepEqual([provider.region, provider.greet('a')], ['north', 'hello a']);
  current = new Adapter('south', 'good day');
  assert.deepEqual([provider.region, provider.greet('a')], ['south', 'good day a']);
});

test('an optional method is there exactly while the current adapter has it, with its layers', () => {
  const layer: Layer<Provider> = { farAway: (call) => `<${call()}>` };
  let current: Provider = new Adapter('north', 'hello');
  const provider = wrapProvider(() => current, [layer]);
  const answer = () => provider.farAway?.();
  assert.equal(answer(), undefined);
  current = { region: 'south', greet: () => '', farAway: () => 'here' };
  assert.equal(answer(), '<here>');
});

test('the first layer is the outermost, and a layer may change arguments and answers', () => {
  const provider = wrapProvider<Provider>(
    () => new Adapter('north', 'hello'),
    [{ greet: (call, name) => `1(${call(name)})` }, { greet: (call, name) => `2(${call(name.toUpperCase())})` }],
  );
  assert.equal(provider.greet('a'), '1(2(hello A))');
});
