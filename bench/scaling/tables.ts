/** The tables of docs/scaling.md, by the name that stands in the page before each. */
import { markdownTable } from '../report.ts';
import { type Needs, needsOf } from './cluster.ts';
import { allFigures, assumed, estimate, type Figures } from './figures.ts';
import { loads } from './loads.ts';
import { sensitivityTable } from './sensitivity.ts';
import { hotAccountTable, neighboursTable } from './simulated-tables.ts';

interface Line {
  title: string;
  text: (needs: Needs) => string;
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
/** Two digits that mean something; nothing at all is a dash. */
const about = (value: number): string => {
  if (value === 0) return '–';
  if (value >= 100) return Number(value.toPrecision(2)).toLocaleString('en');
  return String(Number(value.toPrecision(value < 1 ? 1 : 2)));
};
/** Whole, and never none where something is needed. */
const cores = (value: number): string => (value === 0 ? '–' : count(Math.ceil(value)));
const some = (value: number): string => (value === 0 ? '–' : count(value));

const written = ({ commitsPerSecond, walMbPerSecond }: Needs['books'] | Needs['engine']): string =>
  commitsPerSecond === 0 ? '–' : `${about(commitsPerSecond)}; ${about(walMbPerSecond)}`;

const main: readonly Line[] = [
  { title: 'APIs, a core each', text: ({ apis }) => count(apis) },
  { title: 'workers, a core each', text: ({ workers }) => some(workers) },
  { title: 'Temporal: cores of history', text: ({ temporal }) => cores(temporal.history) },
  { title: 'of matching', text: ({ temporal }) => cores(temporal.matching) },
  { title: 'of the frontend', text: ({ temporal }) => cores(temporal.frontend) },
  { title: 'history shards, at least', text: ({ temporal }) => some(temporal.shards) },
  { title: 'partitions of a task queue', text: ({ temporal }) => some(temporal.partitions) },
  { title: "cores of Temporal's PostgreSQL", text: ({ engine }) => cores(engine.cores) },
  { title: "cores of the gateway's PostgreSQL", text: ({ books }) => cores(books.cores) },
  { title: 'connections to it, at most', text: ({ books }) => about(books.connections) },
  { title: 'blob store, MB/s in and as many out', text: ({ blobs }) => about(blobs.inMbPerSecond) },
  { title: '**cores in all**', text: ({ cores: all }) => `**${cores(all)}**` },
  { title: '**cells**', text: ({ cells }) => `**${cells}**` },
];

const details: readonly Line[] = [
  { title: 'memory of an API, MB', text: ({ apiMb }) => about(apiMb) },
  { title: 'memory of a worker, MB', text: ({ workerMb }) => about(workerMb) },
  { title: 'news of ended tasks heard a second, by all APIs', text: (needs) => about(needs.noticesHeardPerSecond) },
  { title: "gateway's PostgreSQL: commits a second; MB/s of WAL", text: ({ books }) => written(books) },
  { title: 'disk, TB more a month', text: ({ books }) => about(books.diskTb) },
  { title: 'ledger entries a month, millions', text: ({ books }) => about(books.entriesPerMonth / 1e6) },
  { title: 'audit of a month, hours', text: ({ books }) => about(books.auditHours) },
  { title: "Temporal's PostgreSQL: the same", text: ({ engine }) => written(engine) },
  { title: 'disk, TB kept', text: ({ engine }) => about(engine.diskTb) },
  { title: 'events of history a second', text: ({ eventsPerSecond }) => about(eventsPerSecond) },
  { title: "writes for Temporal's lists a second", text: (needs) => about(needs.visibilityWritesPerSecond) },
  { title: 'blob store, TB kept', text: ({ blobs }) => about(blobs.keptTb) },
  { title: 'cores more, if APIs send the results', text: ({ sendingCores }) => cores(sendingCores) },
];

const needsTable = (lines: readonly Line[]) => (figures: Figures) => {
  const needs = loads.map((load) => needsOf(load, figures));
  const rows = lines.map(({ title, text }) => [title, ...needs.map(text)]);
  return markdownTable(['', ...loads.map(({ name }) => name)], rows);
};

function figuresTable(figures: Figures): string {
  const rows = allFigures.map(({ name, unit, about: of, source }) => {
    const value = figures[name].toLocaleString('en', { maximumFractionDigits: 4 });
    return `| ${of} | ${value}${unit === '' ? '' : ` ${unit}`} | ${source} |\n`;
  });
  return `| figure | value | from |\n| --- | ---: | --- |\n${rows.join('')}`;
}

/** How much of it is measured. */
function statusText(): string {
  const estimates = allFigures.filter(({ source }) => source.startsWith(estimate)).length;
  const guesses = allFigures.filter(({ source }) => source === assumed).length;
  const measured = allFigures.length - estimates - guesses;
  return (
    `Of the model's ${allFigures.length} figures ${measured} are measured or read in the source, ${guesses} are assumed` +
    (estimates === 0 ? '.\n' : `, and ${estimates} are estimates until their benchmark has run on a quiet machine.\n`)
  );
}

export const tables = {
  needs: needsTable(main),
  status: statusText,
  details: needsTable(details),
  sensitivity: sensitivityTable,
  'hot account': hotAccountTable,
  neighbours: neighboursTable,
  figures: figuresTable,
} satisfies Record<string, (figures: Figures) => string>;
