/** `tollgate` with only what a first word leads to, as one command loads it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { tollgateProgram } from '../../src/cli/program.ts';

const whole = await tollgateProgram();
const namesOf = (program: Command) => program.commands.map((command) => command.name());
const helpOf = (program: Command, word: string) =>
  program.commands.find((command) => command.name() === word)?.helpInformation();

for (const word of namesOf(whole))
  test(`${word} is the same alone as among all`, async () => {
    const alone = await tollgateProgram(word);
    assert.equal(helpOf(alone, word), helpOf(whole, word));
    assert.ok(alone.commands.length < whole.commands.length);
  });

test('a word that leads to nothing, or is an option, has all to choose from', async () => {
  for (const word of ['account', '--help', 'help', ''])
    assert.deepEqual(namesOf(await tollgateProgram(word)), namesOf(whole));
});
