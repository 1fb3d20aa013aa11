/** Containers of audio, written by hand: WebM as a browser records it, and pages of Ogg. Their packets have heads and no content. */

const unknownSize = Buffer.from('01ffffffffffffff', 'hex');

const element = (id: string, content: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x1000_0000 + content.length);
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
};

/** An element without its end, as one is that is still being written. */
const begun = (id: string, content: Buffer): Buffer => Buffer.concat([Buffer.from(id, 'hex'), unknownSize, content]);

const byte = (value: number): Buffer => Buffer.from([value]);

/** An Opus packet of one frame of 20 ms. */
const packet20ms = Buffer.concat([byte(0xfc), Buffer.alloc(40)]);
const msOfCluster = 1000;

/** Packets of Opus of 20 ms each, so many milliseconds apart. */
export function webm({
  packets,
  msOfPacket = 20,
  codec = 'A_OPUS',
}: {
  packets: number;
  msOfPacket?: number;
  codec?: string;
}): Buffer {
  const track = Buffer.concat([...[element('d7', byte(1)), element('83', byte(2)), element('86', Buffer.from(codec))]]);
  const blocks = Array.from({ length: packets }, (_, at) => at * msOfPacket).map((ms) => {
    const head = Buffer.from([0x81, 0, 0, 0x80]);
    head.writeInt16BE(ms % msOfCluster, 1);
    return { cluster: Math.floor(ms / msOfCluster), block: element('a3', Buffer.concat([head, packet20ms])) };
  });
  const clusters = Array.from({ length: (blocks.at(-1)?.cluster ?? 0) + 1 }, (_, cluster) => {
    const time = Buffer.alloc(4);
    time.writeUInt32BE(cluster * msOfCluster);
    const own = blocks.filter((one) => one.cluster === cluster).map(({ block }) => block);
    return begun('1f43b675', Buffer.concat([element('e7', time), ...own]));
  });
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    begun('18538067', Buffer.concat([element('1654ae6b', element('ae', track)), ...clusters])),
  ]);
}

/** A stream that this packet begins, and a page of 100 bytes for each of these positions. */
export function oggPages(first: Buffer, positions: readonly number[]): Buffer {
  const page = (flags: number, position: number, body: Buffer) => {
    const head = Buffer.alloc(28);
    head.write('OggS', 'latin1');
    head.writeUInt8(flags, 5);
    head.writeBigUInt64LE(BigInt(position), 6);
    head.writeUInt32LE(7, 14);
    head.writeUInt8(1, 26);
    head.writeUInt8(body.length, 27);
    return Buffer.concat([head, body]);
  };
  return Buffer.concat([page(2, 0, first), ...positions.map((position) => page(0, position, Buffer.alloc(100)))]);
}
