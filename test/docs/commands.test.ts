/** `docs/commands.md` has every command of `tollgate` with every argument, option, default and choice, and no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { tollgateProgram } from '../../src/cli/program.ts';
import { allPages, codesIn, differences, examplesOf, headingsOf, pageAt, type Page, tablesOf } from './pages.ts';

const page = pageAt('docs/commands.md');
const program = await tollgateProgram();
const commands = new Map(leavesOf(program, []));
const isCommand = (heading: string) => heading.startsWith('tollgate ');

test('each command has a heading, and each heading is a command', () => {
  const headings = headingsOf(page).filter(isCommand);
  assert.deepEqual(differences(page.path, headings, [...commands.keys()]), []);
});

test('each has its arguments and options in a table, with defaults and choices', () => {
  const tables = new Map(tablesOf(page).map((table) => [table.heading, table.rows]));
  const wrong = [...commands].flatMap(([name, command]) => {
    const rows = new Map((tables.get(name) ?? []).map((cells) => [codesIn(cells[0] ?? '')[0] ?? '', cells]));
    const real = inputsOf(command);
    return [
      ...differences(`${page.path}, ${name}:`, [...rows.keys()], [...real.keys()]),
      ...[...real].flatMap(([input, facts]) => {
        const reported = rows.get(input)?.slice(1).join(' ');
        const missing = reported === undefined ? [] : facts.filter((fact) => !reported.includes(fact));
        return missing.map((fact) => `${page.path}, ${name}: the row of ${input} doesn't have ${fact}`);
      }),
    ];
  });
  assert.deepEqual(wrong, []);
});

test('every command that a page names is one, with its options', () => {
  const wrong = allPages().flatMap((one) =>
    namedOn(one).flatMap((line) => mistakesOf(line).map((text) => `${one.path}: ${text}`)),
  );
  assert.deepEqual(wrong, []);
});

/** What a page writes after `tollgate`, in its text and in its examples for a shell. */
function namedOn(one: Page): string[] {
  const written = one.text.replace(/```[^]*?```/g, '').match(/`[^`]+`/g) ?? [];
  const lines = examplesOf(one).filter(({ language }) => language === 'sh');
  const all = [...written.map((code) => code.slice(1, -1)), ...lines.flatMap(({ code }) => code.split('\n'))];
  return all.flatMap((code) => /(?:^|npx )tollgate ([^|#)<]*)/.exec(code)?.[1]?.trim() ?? []);
}

function mistakesOf(line: string): string[] {
  const { command, rest } = called(program, line.split(/\s+/));
  const [next = ''] = rest;
  const isUnknown = command.commands.length > 0 && /^[a-z]/.test(next);
  const given = rest.flatMap((word) => /^--[a-z-]+/.exec(word)?.[0] ?? []);
  const known = new Set(['--help', '--version', ...command.options.map(({ long }) => long)]);
  const unknown = given.filter((option) => !known.has(option));
  return [...(isUnknown ? [next] : []), ...unknown].map((word) => `tollgate ${line}: there is no ${word}`);
}

/** The command that words begin with, as far down as they lead, and the words after it. */
function called(command: Command, words: readonly string[]): { command: Command; rest: readonly string[] } {
  const below = command.commands.find((one) => one.name() === words[0]);
  return below ? called(below, words.slice(1)) : { command, rest: words };
}

/** Commands that do something, by the words that they are called with. */
function leavesOf(command: Command, above: readonly string[]): [string, Command][] {
  const words = [...above, command.name()];
  if (command.commands.length === 0) return [[words.join(' '), command]];
  return command.commands.flatMap((below) => leavesOf(below, words));
}

/** Arguments and options as they are written, each with what its row must have. */
function inputsOf({ registeredArguments, options }: Command): Map<string, string[]> {
  const inputs = new Map<string, string[]>();
  for (const argument of registeredArguments) inputs.set(`<${argument.name()}>`, argument.required ? ['required'] : []);
  for (const { flags, mandatory, defaultValue, argChoices = [], negate } of options) {
    const unset: unknown = negate ? undefined : defaultValue;
    const isTold = typeof unset === 'string' || typeof unset === 'number';
    const choices = argChoices.map((choice) => `\`${choice}\``);
    inputs.set(flags, [...(mandatory ? ['required'] : []), ...(isTold ? [`\`${unset}\``] : []), ...choices]);
  }
  return inputs;
}
