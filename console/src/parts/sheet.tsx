/** A table of records whose numbers stand below each other. Columns that a phone has no room for are left out there. */
import type { ReactNode } from 'react';
import './figures.css';

export interface SheetColumn<Row> {
  key: string;
  title: ReactNode;
  cell: (row: Row) => ReactNode;
  /** A number: right-aligned, in figures of one width. */
  isNumber?: boolean;
  /** Only where there is room. */
  isWide?: boolean;
}

interface SheetProps<Row> {
  /** The accessible name of the table. */
  label: string;
  columns: readonly SheetColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** By a click anywhere in the row; the row must have a button or link for the same. */
  onOpen?: (row: Row) => void;
  /** Below the rows: a cell for each column. */
  footer?: Readonly<Record<string, ReactNode>>;
}

export function Sheet<Row>({ label, columns, rows, keyOf, onOpen, footer }: SheetProps<Row>) {
  return (
    <div className="tg-sheet-frame">
      <table className="tg-sheet">
        <caption>{label}</caption>
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
          {rows.map((row) => (
            <tr key={keyOf(row)} {...(onOpen && { 'data-opens': true, onClick: () => onOpen(row) })}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.key} scope="row" className={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.key} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
        {footer && (
          <tfoot>
            <tr>
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)}>
                  {footer[column.key]}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

const classOf = ({ isNumber = false, isWide = false }: { isNumber?: boolean; isWide?: boolean }) =>
  [isNumber && 'tg-end', isWide && 'tg-wide'].filter((name) => name !== false).join(' ') || undefined;
