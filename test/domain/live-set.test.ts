/** A live set: members come and go in any order, and a place that is given up twice is taken from no other member. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LiveSet } from '../../src/domain/live-set.ts';

const sorted = (live: LiveSet<string>) => live.members().sort();

void describe('LiveSet', () => {
  void it('has those who were added and not removed', () => {
    const live = new LiveSet<string>();
    const places = ['a', 'b', 'c', 'd'].map((name) => live.add(name));
    for (const index of [1, 3]) if (places[index]) live.remove(places[index]);
    live.add('e');
    assert.deepEqual(sorted(live), ['a', 'c', 'e']);
    assert.equal(live.size, 3);
  });

  void it('lets the same member come twice', () => {
    const live = new LiveSet<string>();
    const first = live.add('a');
    live.add('a');
    live.remove(first);
    assert.deepEqual(live.members(), ['a']);
  });

  void it('removes no other member when a place is given up twice', () => {
    const live = new LiveSet<string>();
    const first = live.add('a');
    live.add('b');
    live.remove(first);
    live.remove(first);
    assert.deepEqual(live.members(), ['b']);
  });

  void it('lets go of a member whose place is still kept', () => {
    const live = new LiveSet<string>();
    const place = live.add('a');
    live.remove(place);
    assert.equal(place.member, undefined);
  });

  void it('gives back all that it had when it is cleared, and knows their places no more', () => {
    const live = new LiveSet<string>();
    const place = live.add('a');
    live.add('b');
    assert.deepEqual(live.clear().sort(), ['a', 'b']);
    live.add('c');
    live.remove(place);
    assert.deepEqual(live.members(), ['c']);
  });

  void it('keeps its members whatever order they leave in', () => {
    const live = new LiveSet<number>();
    const places = Array.from({ length: 100 }, (_, index) => live.add(index));
    const left = new Set(places.keys());
    for (let step = 0, index = 0; step < 60; step++) {
      index = (index + 37) % 100;
      const place = places[index];
      if (place) live.remove(place);
      left.delete(index);
      assert.deepEqual(new Set(live.members()), left);
    }
  });
});
