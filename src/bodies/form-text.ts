/** What is kept of a body that is no text: of a form its fields and what its files are, of a file that. Never their bytes. */

export interface FormSummary {
  /** In the order in which they came. */
  fields: readonly { name: string; value: string }[];
  files: readonly FileSummary[];
}

export interface FileSummary {
  /** Of the part. */
  name: string;
  /** As the caller calls it, without folders; empty where it has no name. */
  fileName: string;
  /** As the caller says. */
  type: string;
  /** Undefined: the form was refused before its end was known. */
  bytes: number | undefined;
}

/** As JSON, with fields by their names, so that those that are named are redacted as in any body. */
export function formText({ fields, files }: FormSummary): Buffer {
  const values = new Map<string, string[]>();
  for (const { name, value } of fields) values.set(name, [...(values.get(name) ?? []), value]);
  const shown = {
    fields: Object.fromEntries([...values].map(([name, list]) => [name, list.length === 1 ? list[0] : list])),
    files: files.map(({ name, fileName, type, bytes }) => ({ name, file_name: fileName, type, bytes: bytes ?? null })),
  };
  return Buffer.from(JSON.stringify(shown));
}

export const fileText = (type: string, bytes: number): Buffer => Buffer.from(JSON.stringify({ type, bytes }));
