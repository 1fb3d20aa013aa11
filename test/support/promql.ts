/** What a PromQL expression names: metrics and labels. */

const keywords = new Set('and or unless on ignoring by without group_left group_right offset bool'.split(' '));

/** Texts and ranges gone, which hold neither. Grafana's variables stand in ranges only. */
const bare = (expression: string): string =>
  expression.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');

/** The metrics of an expression: identifiers that are no function, keyword, label or number. */
export function metricsIn(expression: string): string[] {
  const text = bare(expression)
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const names: string[] = [];
  for (const match of text.matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)\b(\s*\()?/g)) {
    const [, name = '', call] = match;
    const isDuration = /^offset\s+$/.test(text.slice(0, match.index).slice(-8).trimStart());
    if (call === undefined && !keywords.has(name) && !isDuration) names.push(name);
  }
  return names;
}

/** The labels that an expression selects or groups by. */
export function labelsIn(expression: string): string[] {
  const text = bare(expression);
  const selected = [...text.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  );
  const grouped = [...text.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, inner = '']) =>
    inner.split(',').map((label) => label.trim()),
  );
  return [...selected, ...grouped].filter((label) => label !== '');
}
