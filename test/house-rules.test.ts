/** The rules of the house, kept by reading the source: which folder may import which, what a file may contain, and which words are used. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { errorTable } from '../src/domain/errors.ts';
import { openRooms, roomOf, rooms } from './support/layout.ts';
import { realNames, replacedWordsIn, unreadPaths, wordedPaths } from './support/replaced-words.ts';

const root = join(import.meta.dirname, '..');

interface Source {
  /** From `src`, with forward slashes. */
  path: string;
  text: string;
  /** All of its tree, walked once. */
  nodes: readonly ts.Node[];
  imports: readonly Import[];
}

const sources: Source[] = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8');
    return { path, text, ...readProgram(path, text) };
  });

test('every file stands in a room', () => {
  const strays = sources.filter(({ path }) => !(roomOf(path) in rooms) && !(roomOf(path) in openRooms));
  assert.deepEqual(
    strays.map(({ path }) => path),
    [],
  );
  const names = new Set(sources.map(({ path }) => roomOf(path)));
  assert.deepEqual([...names].sort(), [...Object.keys(rooms), ...Object.keys(openRooms)].sort());
});

describe('imports point one way', () => {
  for (const [room, { all, types = [], packages }] of Object.entries(rooms)) {
    test(`${room} imports ${[...all, ...types.map((name) => `types of ${name}`)].join(', ') || 'no other room'}`, () => {
      const wrong = ofRoom(room).flatMap(({ path, imports }) =>
        imports
          .filter(({ target, isPackage, typeOnly }) => {
            if (isPackage) return !typeOnly && !packages.some((name) => matches(target, name));
            const other = roomOf(target);
            return other !== room && !all.includes(other) && !(typeOnly && types.includes(other));
          })
          .map(({ target }) => `${path} imports ${target}`),
      );
      assert.deepEqual(wrong, []);
    });
  }

  test("Amazon's SDK is loaded only where a bucket is named", () => {
    const importers = sources.filter(
      ({ path, imports }) =>
        !path.startsWith('blobs/s3/') &&
        imports.some(({ target }) => target.startsWith('@aws-sdk/') || target.startsWith('blobs/s3/')),
    );
    assert.deepEqual(
      importers.map(({ path }) => path),
      ['runtime/open-blob-store.ts'],
    );
    assert.match(importers[0]?.text ?? '', /await import\('\.\.\/blobs\/s3\/s3-store\.ts'\)/);
    assert.doesNotMatch(importers[0]?.text ?? '', /from '[^']*s3/);
  });

  test('the ends of the product are imported by each other only', () => {
    const wrong = sources
      .filter(({ path }) => !(roomOf(path) in openRooms))
      .filter(({ imports }) => imports.some(({ target, isPackage }) => !isPackage && roomOf(target) in openRooms));
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });
});

test('no file imports itself by way of others, not even for types', () => {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  assert.deepEqual(cyclesIn(targets), []);
  const wrong = new Map([
    ['a.ts', ['b.ts']],
    ['b.ts', ['c.ts', 'd.ts']],
    ['c.ts', ['a.ts']],
    ['d.ts', []],
  ]);
  assert.deepEqual(cyclesIn(wrong), [['a.ts', 'b.ts', 'c.ts']]);
});

describe('each file of src keeps to the layout rules:', () => {
  const noneOf = (rule: string, wrong: (source: Source) => boolean) =>
    void test(rule, () =>
      assert.deepEqual(
        sources.filter(wrong).map(({ path }) => path),
        [],
      ),
    );
  const inRoom = (path: string, names: readonly string[]) => names.some((name) => path.startsWith(`${name}/`));

  noneOf(
    'the environment is read by config, commands and embedded servers only',
    ({ path, nodes }) =>
      !inRoom(path, ['config', 'cli', 'embedded']) && nodes.some((node) => isProperty(node, 'process', 'env')),
  );
  noneOf(
    'no clock and no chance in domain and workflows',
    ({ path, nodes }) =>
      inRoom(path, ['domain', 'workflows']) &&
      nodes.some(
        (node) =>
          isProperty(node, 'Date', 'now') ||
          isProperty(node, 'Math', 'random') ||
          isProperty(node, 'performance', 'now') ||
          (ts.isNewExpression(node) && isNamed(node.expression, 'Date') && (node.arguments ?? []).length === 0),
      ),
  );
  noneOf('no file is longer than 400 lines', ({ text }) => text.split('\n').length > 401);
  noneOf('every file begins with its idea', ({ text }) => !text.startsWith('/**'));
  noneOf('nothing is typed any', ({ nodes }) => nodes.some(({ kind }) => kind === ts.SyntaxKind.AnyKeyword));
  noneOf(
    'query texts stand beside their tables only, but for the two that an embedded server takes',
    ({ path, nodes }) =>
      !inRoom(path, [
        'postgres',
        'blobs',
        'ledger',
        'accounts',
        'files',
        'tasks',
        'webhooks',
        'chat',
        'audit',
        'batches',
        'reconciliation',
        'request-records',
        'bodies',
      ]) &&
      !['embedded/data-folder-lock.ts', 'embedded/postgres-server.ts'].includes(path) &&
      nodes.some((node) => isText(node) && isQuery(node.getText())),
  );
});

test('no text has a word that docs/glossary.md replaces', () => {
  const findings = wordedPaths
    .flatMap(filesBelow)
    .flatMap((path) =>
      unreadPaths.includes(path)
        ? []
        : replacedWordsIn(path, readFileSync(join(root, path), 'utf8')).map(
            ({ line, word, instead }) => `${path}:${line}: "${word}"; say instead: ${instead}`,
          ),
    );
  assert.deepEqual(findings, []);
});

test('every name that may have a replaced word is still in use', () => {
  const files = wordedPaths.flatMap(filesBelow);
  const unused = realNames.filter(
    ({ path, text }) => !files.includes(path) || !readFileSync(join(root, path), 'utf8').includes(text),
  );
  assert.deepEqual(unused, []);
});

describe("the console's front end", () => {
  const folder = join(root, 'console', 'src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.(tsx?|css)$/.test(path) && path !== 'api/schema.ts')
    .map((path): Source => {
      const text = readFileSync(join(folder, path), 'utf8');
      const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
      // Styles are no program: an empty tree.
      const program = path.endsWith('.css') ? '' : text;
      return { path, text, ...readProgram(`console/src/${path}`, program, kind) };
    });
  const noneOf = (rule: string, wrong: (source: Source) => boolean) =>
    void test(rule, () =>
      assert.deepEqual(
        files.filter(wrong).map(({ path }) => path),
        [],
      ),
    );

  test('is there', () => assert.ok(files.length > 0));
  noneOf('no file is longer than 400 lines', ({ text }) => text.split('\n').length > 401);
  noneOf('every file begins with its idea', ({ text }) => !text.startsWith('/**'));
  noneOf('nothing is typed any', ({ nodes }) => nodes.some(({ kind }) => kind === ts.SyntaxKind.AnyKeyword));
  noneOf(
    'imports nothing of the server but types of domain, its time zones, and texts of the documentation',
    ({ imports }) =>
      imports.some(
        ({ target, isPackage, typeOnly }) =>
          !isPackage &&
          !/^(?:console\/|docs\/.*\?raw$)/.test(target) &&
          !(typeOnly && target.startsWith('src/domain/')) &&
          target !== 'src/domain/time-zone.ts',
      ),
  );
});

test('every code of the error table is thrown somewhere', () => {
  const used = new Set<string>();
  for (const { path, nodes } of sources) {
    if (path === 'domain/errors.ts' || path.startsWith('api/openapi/')) continue; // listed there, not thrown
    for (const node of nodes) if (ts.isStringLiteral(node)) used.add(node.text);
  }
  assert.deepEqual(
    Object.keys(errorTable).filter((code) => !used.has(code)),
    [],
  );
});

/** Documents that are not in the repository, so a reference to their chapters is of no use to a reader. */
const foreignDocument =
  /\(contract\b|\bcontract,? (?:sections? )?\d|\bthe contract(?:'s| says| has| knows)|(?<!Compose )\bspecification\b/i;

test('no text refers to a document that is not in the repository', () => {
  const referring = ['src', 'console/src', 'docs', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:tsx?|mjs|md|css)$/.test(path))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      // This file has the words themselves, and the client's types are made of the API's document.
      .filter((path) => path !== 'test/house-rules.test.ts' && path !== 'console/src/api/schema.ts')
      .flatMap((path) =>
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .flatMap((line, at) => (foreignDocument.test(line) ? [`${path}:${at + 1}`] : [])),
      ),
  );
  assert.deepEqual(referring, []);
});

test('these rules see what breaks them', () => {
  for (const text of [
    'as it is (contract, section 3)',
    'see contract 5',
    "the contract's codes",
    '(specification 2.1)',
  ])
    assert.match(text, foreignDocument);
  for (const text of ['The contract is `BlobStore.write`.', "the Compose Specification's own reader"])
    assert.doesNotMatch(text, foreignDocument);
  assert.deepEqual(replacedWordsIn('docs/x.md', 'A task\nNobody is Told of SOUND, untold, soundly, `trouble`'), [
    { line: 2, word: 'SOUND', instead: 'audio' },
    { line: 2, word: 'Nobody', instead: 'no caller, no process; a passive sentence' },
    { line: 2, word: 'Told', instead: 'notified, reported, returned; known (told apart: distinguished)' },
    { line: 2, word: 'trouble', instead: 'error, failure; connection error' },
  ]);
  assert.deepEqual(replacedWordsIn('docs/metrics.md', 'the outcome `trouble`'), []);
  const names = 'isTroubleOf(HTTPTrouble, pictureMs, troubled, amendment, NoBody2, soundMs)';
  assert.deepEqual(
    replacedWordsIn('src/x.ts', names).map(({ word }) => word),
    ['isTroubleOf', 'HTTPTrouble', 'pictureMs'],
  );
  assert.deepEqual(replacedWordsIn('docs/x.md', names), [], 'only names in code are taken apart');
  const { imports } = readProgram(
    'domain/x.ts',
    `import type { A } from '../api/a.ts'; import { type B, c } from 'zod'; export * from './d.ts'; await import('../net/e.ts');`,
  );
  assert.deepEqual(imports, [
    { target: 'api/a.ts', isPackage: false, typeOnly: true },
    { target: 'zod', isPackage: true, typeOnly: false },
    { target: 'domain/d.ts', isPackage: false, typeOnly: false },
    { target: 'net/e.ts', isPackage: false, typeOnly: false },
  ]);
  const { nodes } = readProgram('domain/x.ts', 'const now = Date.now();');
  assert.ok(nodes.some((node) => isProperty(node, 'Date', 'now')));
  for (const text of [
    `'select id from tasks'`,
    '`update tasks set x = ${y}`',
    `'insert into a values (1)'`,
    `'delete from a'`,
  ]) {
    assert.ok(isQuery(text), text);
  }
  for (const text of [`'select a file from the list of files you set'`, `'Delete it'`, `'create a key'`])
    assert.ok(!isQuery(text), text);
});

interface Import {
  target: string;
  isPackage: boolean;
  typeOnly: boolean;
}

function readProgram(path: string, text: string, kind?: ts.ScriptKind): Pick<Source, 'nodes' | 'imports'> {
  const nodes: ts.Node[] = [];
  const walk = (node: ts.Node): void => {
    nodes.push(node);
    node.forEachChild(walk);
  };
  walk(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind));
  return { nodes, imports: nodes.flatMap((node) => importOf(path, node) ?? []) };
}

function importOf(path: string, node: ts.Node): Import | undefined {
  const found = (name: string, typeOnly: boolean): Import => {
    const isPackage = !name.startsWith('.');
    return { target: isPackage ? name : posix.join(posix.dirname(path), name), isPackage, typeOnly };
  };
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
    return found(node.moduleSpecifier.text, isTypeOnly(node.importClause));
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier))
    return found(node.moduleSpecifier.text, node.isTypeOnly);
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return undefined;
  const [name] = node.arguments;
  return name && ts.isStringLiteral(name) ? found(name.text, false) : undefined;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    !clause.name && names !== undefined && ts.isNamedImports(names) && names.elements.every((name) => name.isTypeOnly)
  );
}

/** The groups of files that reach each other, by Tarjan's strongly connected components. */
function cyclesIn(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const enter = (path: string): void => {
    const place = order.size;
    order.set(path, place);
    lowest.set(path, place);
    open.push(path);
    for (const target of targets.get(path) ?? []) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) enter(target);
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!));
    }
    if (lowest.get(path) !== place) return;
    const group = open.splice(open.indexOf(path));
    if (group.length > 1) cycles.push(group.sort());
  };
  for (const path of targets.keys()) if (!order.has(path)) enter(path);
  return cycles;
}

/** The text files of a folder, or the file itself, from the root. */
function filesBelow(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.(?:[cm]?tsx?|mjs|md|css|html|ya?ml|json|sh|sql|cfg)$/.test(name));
}

function ofRoom(room: string): Source[] {
  return sources.filter(({ path }) => roomOf(path) === room);
}

/** A name that ends in `:`, `/` or `-` allows all that begin with it; any other its own subpaths too. */
function matches(target: string, name: string): boolean {
  return target === name || target.startsWith(/[:/-]$/.test(name) ? name : `${name}/`);
}

function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
}

function isQuery(text: string): boolean {
  return /^['"`]\s*(with\s+\w+\s+as\s*\(|select\s+[^.;]*?\bfrom\s+\w+(\s+where\b|['"`\s]*$)|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(table|index|database|role)\s|alter\s+\w+\s|truncate\s)/i.test(
    text,
  );
}

function isProperty(node: ts.Node, object: string, name: string): boolean {
  return ts.isPropertyAccessExpression(node) && node.name.text === name && isNamed(node.expression, object);
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}
