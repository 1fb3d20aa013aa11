/** What a form with files may have, and the bounds that follow from it. */

/** What a form may have. */
export interface FormRules<FileName extends string, FieldName extends string> {
  files: readonly FileRule<FileName>[];
  /** Short texts; what else a form has is ignored, but for files. */
  fields: readonly FieldName[];
  /** Every field is kept as it was sent, whatever its name and however often it comes. */
  keepsFields?: boolean;
  /** Of one field, in bytes; 8192 without. */
  fieldBytesMax?: number;
  /** Fields that hold more, such as data URIs, and count as memory that bodies take. */
  largeFields?: LargeFields;
  /** All files together, in bytes; as many as each of them may have without. */
  filesBytesMax?: number;
}

interface LargeFields {
  /** Written as it is or as `name[]`. */
  name: string;
  /** Of one of them, in bytes. */
  bytesMax: number;
  /** How many there may be. */
  most: number;
}

export interface FileRule<FileName extends string> {
  name: FileName;
  bytesMax: number;
  /** How many files may have the name, written once or as `name[]`; one without. */
  most?: number;
  isOptional?: boolean;
}

const fieldBytesMaxDefault = 8192;
// Fields, part headers and unknown parts, which are skipped, must fit in what the files leave.
const besidesFilesBytesMax = 1024 * 1024;

/** The rules of a form, and what follows from them. */
export class Rules<FileName extends string, FieldName extends string> {
  readonly files: readonly Required<FileRule<FileName>>[];
  readonly fieldBytesMax: number;
  readonly filesMax: number;
  /** Of all files together, where that is less than each of them may have. */
  readonly filesBytesMax: number | undefined;
  /** Of the whole body. */
  readonly bytesMax: number;
  readonly keepsFields: boolean;
  readonly largeFields: LargeFields | undefined;
  readonly #fields: readonly FieldName[];

  constructor({ files, fields, keepsFields = false, ...bounds }: FormRules<FileName, FieldName>) {
    const { fieldBytesMax = fieldBytesMaxDefault, filesBytesMax, largeFields } = bounds;
    this.keepsFields = keepsFields;
    this.largeFields = largeFields;
    this.files = files.map((rule) => ({ most: 1, isOptional: false, ...rule }));
    this.#fields = fields;
    this.fieldBytesMax = fieldBytesMax;
    this.filesMax = this.files.reduce((sum, { most }) => sum + most, 0);
    this.filesBytesMax = filesBytesMax;
    const together = this.files.reduce((sum, { bytesMax, most }) => sum + bytesMax * most, 0);
    const large = largeFields === undefined ? 0 : largeFields.bytesMax * largeFields.most;
    this.bytesMax = (filesBytesMax ?? together) + besidesFilesBytesMax + large;
  }

  isLarge(name: string): boolean {
    return this.largeFields !== undefined && name.replace(/\[\d{0,3}\]$/, '') === this.largeFields.name;
  }

  /** Clients write several files of a name as `name[]` or `name[0]`. */
  fileNamed(name = ''): Required<FileRule<FileName>> | undefined {
    const plain = name.replace(/\[\d{0,3}\]$/, '');
    return this.files.find((file) => file.name === name || (file.name === plain && file.most > 1));
  }

  fieldNamed(name: string | undefined): FieldName | undefined {
    return this.#fields.find((field) => field === name);
  }
}
