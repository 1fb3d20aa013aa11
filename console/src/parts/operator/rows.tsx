/** A dense table, which becomes cards where there is no room for its columns: each cell then carries its column's name. */
import type { ReactNode } from 'react';
import './rows.css';

export interface Column<Item> {
  key: string;
  title: string;
  render: (item: Item) => ReactNode;
  /** Numbers stand at the right. */
  isNumber?: boolean;
  /** Ids and names of usual length: on one line, and cut where one is longer. */
  isShort?: boolean;
  /** Left out where the table is narrow; such as what a drawer shows, too. */
  isExtra?: boolean;
  /** Without its name on a card: it speaks for itself. */
  isPlain?: boolean;
}

interface RowsProps<Item> {
  /** The accessible name of the table. */
  caption: string;
  /** The first one names the row. */
  columns: readonly Column<Item>[];
  items: readonly Item[];
  idOf: (item: Item) => string;
}

export function Rows<Item>({ caption, columns, items, idOf }: RowsProps<Item>) {
  const [head, ...rest] = columns;
  if (!head) return null;
  return (
    <div className="tg-rows">
      <table>
        <caption className="tg-rows-unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)}>
              <th scope="row">{head.render(item)}</th>
              {rest.map((column) => (
                <td key={column.key} className={classOf(column)} data-name={column.isPlain ? undefined : column.title}>
                  {column.render(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<Item>({ isNumber, isShort, isExtra }: Column<Item>): string | undefined {
  const names = [isNumber && 'tg-rows-number', isShort && 'tg-rows-short', isExtra && 'tg-rows-extra'];
  return names.filter(Boolean).join(' ') || undefined;
}
