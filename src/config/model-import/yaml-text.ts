/** Pieces of `tollgate.yaml` as text: prices in braces on one line, models on lines of their own. */
import { isMap, isScalar, isSeq, parse, type YAMLMap, type YAMLSeq } from 'yaml';
import type { ListedModel } from '../../domain/price-lists/listed-model.ts';
import type { PriceEntry } from '../../domain/price-lists/price-entry.ts';

export interface NewModel {
  provider: string;
  price: PriceEntry;
  cost: PriceEntry;
}

/** Changes of a text that leave every other character as it is. */
export class TextEdits {
  readonly #edits: { start: number; end: number; text: string }[] = [];

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  insert(position: number, text: string): void {
    this.replace(position, position, text);
  }

  /** Returns the changed text; what was inserted at one place comes in the order of its calls. */
  applyTo(text: string): string {
    let position = 0;
    const pieces: string[] = [];
    for (const { start, end, text: piece } of [...this.#edits].sort((a, b) => a.start - b.start)) {
      pieces.push(text.slice(position, start), piece);
      position = end;
    }
    return [...pieces, text.slice(position)].join('');
  }
}

/** `{ input_per_million: 1.25, above: [{ input_tokens: 200001, input_per_million: 2.5 }] }`. */
export function inBraces(value: PriceEntry[string]): string {
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(inBraces).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${key}: ${inBraces(one)}`)
    .join(', ')} }`;
}

/** Adds a key at the end of a mapping, in the mapping's own style. */
export function addKey(edits: TextEdits, text: string, map: YAMLMap, key: string, value: string): void {
  const [first] = map.items;
  const last = map.items.at(-1);
  if (!isScalar(first?.key) || !first.key.range) throw new RangeError('the mapping is empty');
  const end = endOf(text, last?.value) ?? endOf(text, last?.key) ?? 0;
  if (map.flow === true) edits.insert(end, `, ${key}: ${value}`);
  else edits.insert(lineEnd(text, end), `\n${' '.repeat(columnOf(text, first.key.range[0]))}${key}: ${value}`);
}

/** Adds a model at the end of the list of models, in the list's own style. */
export function addModel(edits: TextEdits, text: string, list: YAMLSeq, model: ListedModel, entry: NewModel): void {
  const end = endOf(text, list.items.at(-1)) ?? 0;
  const [listStart = 0] = list.range ?? [];
  if (list.flow === true) {
    edits.insert(end, `, { ${modelLines(model, entry, true).join(', ')} }`);
    return;
  }
  const indent = ' '.repeat(columnOf(text, listStart));
  const lines = modelLines(model, entry, false).map((line, index) => `\n${indent}${index === 0 ? '- ' : '  '}${line}`);
  edits.insert(lineEnd(text, end), lines.join(''));
}

/** Returns where a node's text ends, without the line end that block collections take with them. */
export function endOf(text: string, node: unknown): number | undefined {
  if (!(isScalar(node) || isMap(node) || isSeq(node)) || !node.range) return undefined;
  const [start, end] = node.range;
  return start + text.slice(start, end).trimEnd().length;
}

function modelLines(model: ListedModel, { provider, price, cost }: NewModel, isFlow: boolean): string[] {
  const id = quoted(model.id);
  const route = [`provider: ${provider}`, `model: ${id}`, `cost: ${inBraces(cost)}`];
  const limits = model.maxOutputTokens === undefined ? [] : [`limits: { max_output_tokens: ${model.maxOutputTokens} }`];
  return [
    `id: ${id}`,
    `kind: ${model.kind}`,
    ...(model.capabilities.length > 0 ? [`capabilities: [${model.capabilities.join(', ')}]`] : []),
    ...(isFlow
      ? [`routes: [{ ${route.join(', ')} }]`]
      : ['routes:', ...route.map((line, index) => `${index === 0 ? '  - ' : '    '}${line}`)]),
    `price: ${inBraces(price)}`,
    ...limits,
  ];
}

/** In quotes, unless YAML reads it as the same text without them. */
const quoted = (text: string): string =>
  /^[\w./:@-]+$/.test(text) && !text.endsWith(':') && parse(text) === text ? text : JSON.stringify(text);

const columnOf = (text: string, position: number): number => position - (text.lastIndexOf('\n', position - 1) + 1);

function lineEnd(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  const found = end === -1 ? text.length : end;
  return text[found - 1] === '\r' ? found - 1 : found;
}
