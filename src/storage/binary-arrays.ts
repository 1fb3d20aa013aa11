/**
 * Arrays as parameters in PostgreSQL's binary format (`array_recv`): nothing is escaped here or parsed there, which is
 * most of what writing many small rows at once costs in text or JSON.
 */

/** How the elements of one type are written. The numbers are the types' OIDs in `pg_type`. */
interface ElementType<T> {
  oid: number;
  bytesOf(value: T): number;
  write(into: Buffer, at: number, value: T, view: DataView): void;
}

type Encoder<T> = <Row>(rows: readonly Row[], value: (row: Row) => T | null | undefined) => Buffer;

/** `text[]`, also for what a statement casts from text. */
export const texts: Encoder<string> = encoderOf({
  oid: 25,
  bytesOf: (value) => Buffer.byteLength(value),
  write: (into, at, value) => void into.write(value, at),
});

/** `bigint[]` */
export const bigints: Encoder<bigint> = encoderOf({
  oid: 20,
  bytesOf: () => 8,
  write: (_into, at, value, view) => view.setBigInt64(at, value),
});

/** `integer[]` */
export const integers: Encoder<number> = encoderOf({
  oid: 23,
  bytesOf: () => 4,
  write: (_into, at, value, view) => view.setInt32(at, value),
});

/** `boolean[]` */
export const booleans: Encoder<boolean> = encoderOf({
  oid: 16,
  bytesOf: () => 1,
  write: (_into, at, value, view) => view.setUint8(at, value ? 1 : 0),
});

/** `bytea[]` */
export const byteas: Encoder<Buffer> = encoderOf({
  oid: 17,
  bytesOf: (value) => value.length,
  write: (into, at, value) => void value.copy(into, at),
});

/** `uuid[]`, from its usual form of 36 characters. */
export const uuids: Encoder<string> = encoderOf({
  oid: 2950,
  bytesOf: () => 16,
  write: (into, at, value) => void into.write(value.replaceAll('-', ''), at, 'hex'),
});

/** `xid[]`: the numbers of transactions. */
export const transactionIds: Encoder<number> = encoderOf({
  oid: 28,
  bytesOf: () => 4,
  write: (_into, at, value, view) => view.setUint32(at, value),
});

const postgres_epoch_ms = Date.UTC(2000, 0, 1);

/** `timestamptz[]`: microseconds since 2000. */
export const moments: Encoder<Date> = encoderOf({
  oid: 1184,
  bytesOf: () => 8,
  write: (_into, at, value, view) => view.setBigInt64(at, BigInt(value.getTime() - postgres_epoch_ms) * 1000n),
});

const head_bytes = 20;
const null_length = -1;

// Dimensions, whether there are nulls, the element's type, then the one dimension's length and lower bound; and each
// element after its length.
function encoderOf<T>(type: ElementType<T>): Encoder<T> {
  return (rows, value) => {
    let bytes = head_bytes + 4 * rows.length;
    let hasNulls = false;
    const values = rows.map(value);
    for (const each of values) {
      if (each === null || each === undefined) hasNulls = true;
      else bytes += type.bytesOf(each);
    }
    const into = Buffer.allocUnsafe(bytes);
    const view = new DataView(into.buffer, into.byteOffset, bytes);
    view.setInt32(0, 1);
    view.setInt32(4, hasNulls ? 1 : 0);
    view.setUint32(8, type.oid);
    view.setInt32(12, rows.length);
    view.setInt32(16, 1);
    let at = head_bytes;
    for (const each of values) {
      if (each === null || each === undefined) {
        view.setInt32(at, null_length);
        at += 4;
        continue;
      }
      const length = type.bytesOf(each);
      view.setInt32(at, length);
      type.write(into, at + 4, each, view);
      at += 4 + length;
    }
    return into;
  };
}
