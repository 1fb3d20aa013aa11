/** A vendor's file that can't be read, with the place in it. */
export class ExportFault extends Error {
  override readonly name = 'ExportFault';
}

/** Rows that are held at once; a month of a busy account is some hundred thousand calls. */
export const rowsMax = 1_000_000;
