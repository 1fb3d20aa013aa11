/** A YAML text as a plain value: the environment filled in, and the line of every key and item kept for messages. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Range } from 'yaml';
import { variable } from '../domain/tasks/variables.ts';
import { SettingsError } from './setting-errors.ts';
import { syntaxMistakes } from './yaml-syntax.ts';

export type Path = readonly (string | number)[];

export interface YamlDocument {
  value: unknown;
  /** What can't be read, such as a missing environment variable; the value has `undefined` there. */
  mistakes: readonly string[];
  /** Paths of the values that such a mistake left empty: what a schema says about them is only its echo. */
  unread: ReadonlySet<string>;
  /** The values of the variables that were left to be filled in later. */
  variables: Readonly<Record<string, string>>;
  /** `tollgate.yaml:12: models[0].price.per_image: must be …`; a path that isn't there takes its parent's line. */
  mistake(path: Path, message: string): string;
}

// Aliases may repeat a part of the document; these bounds end a document that grows by that beyond reason.
const nodesMax = 100_000;
const depthMax = 64;

/**
 * Reads one document. `${NAME}` in any text becomes the variable's value, always as text; `$${` stands for `${`.
 * A plain number at a path of `keepsDigits` is given as it was written, so that no decimal is lost; so is a text at a path of
 * `keepsVariables`, whose variables are looked up, but filled in where they are used.
 * Throws a SettingsError with every syntax mistake.
 */
export function readYaml(
  text: string,
  file: string,
  env: Record<string, string | undefined>,
  keepsDigits: (path: Path) => boolean,
  keepsVariables: (path: Path) => boolean,
): YamlDocument {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) {
    const found = syntaxMistakes(faults, document.contents, lineCounter);
    throw new SettingsError(found.map(({ line, message }) => `${file}:${line}: ${message}`));
  }
  const lines = new Map<string, number>();
  const mistakes: string[] = [];
  const unread = new Set<string>();
  const variables: Record<string, string> = {};
  let nodes = 0;

  const mistake = (path: Path, message: string) => {
    let line = lines.get(pathText(path));
    for (let length = path.length - 1; line === undefined && length > 0; length--)
      line = lines.get(pathText(path.slice(0, length)));
    return `${file}:${line ?? 1}: ${path.length === 0 ? '' : `${pathText(path)}: `}${message}`;
  };
  const refuse = (path: Path, message: string) => {
    mistakes.push(mistake(path, message));
    unread.add(pathText(path));
    return undefined;
  };

  const valueOf = (node: unknown, path: Path): unknown => {
    if (++nodes > nodesMax || path.length > depthMax)
      throw new SettingsError([
        mistake(
          path.slice(0, 3),
          `must not have more than ${depthMax} levels or ${nodesMax} values, including aliases`,
        ),
      ]);
    if (isAlias(node)) return valueOf(node.resolve(document), path);
    if (isMap(node)) {
      const entries: [string, unknown][] = [];
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        const below = [...path, name];
        if (isScalar(key)) note(below, key.range);
        if (name === '' || name === '__proto__') refuse(below, 'this key is not allowed');
        else entries.push([name, valueOf(value, below)]);
      }
      return Object.fromEntries(entries);
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const below = [...path, index];
        if (hasRange(item)) note(below, item.range);
        return valueOf(item, below);
      });
    }
    if (!isScalar(node)) return null;
    if (typeof node.value === 'string') return filledIn(node.value, path);
    return typeof node.value === 'number' && keepsDigits(path) ? (node.source ?? node.value) : node.value;
  };
  const note = (path: Path, range: Range | null | undefined) => {
    if (range) lines.set(pathText(path), lineCounter.linePos(range[0]).line);
  };
  const filledIn = (value: string, path: Path): string | undefined => {
    const isKept = keepsVariables(path);
    const filled = value.replace(variable, (whole, escape: string, name: string, end: string) => {
      if (escape !== '') return whole.slice(1);
      const found = env[name];
      if (end !== '' && /^[A-Za-z_]\w*$/.test(name) && found !== undefined && found !== '') {
        if (isKept) variables[name] = found;
        return found;
      }
      if (end === '' || !/^[A-Za-z_]\w*$/.test(name))
        refuse(path, '${…} must name an environment variable ($${ is a literal ${)');
      else refuse(path, `the environment variable ${name} is not set`);
      return '';
    });
    if (unread.has(pathText(path))) return undefined;
    return isKept ? value : filled;
  };

  return { value: valueOf(document.contents, []), mistakes, unread, variables, mistake };
}

/** `models[0].price`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');

const hasRange = (node: unknown): node is { range: Range } =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
