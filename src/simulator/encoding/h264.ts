/** H.264 encoding in WebAssembly (minih264, wrapped by h264-mp4-encoder), as packets that a muxer can time anew. */
import encoderModule from 'h264-mp4-encoder';
import { BufferSource, EncodedPacketSink, Input, MP4, type EncodedPacket } from 'mediabunny';
import type { Track } from './mux.ts';

export interface FrameSequence {
  /** Even numbers both. */
  width: number;
  height: number;
  framesPerSecond: number;
  /** Frames as planes of Y, U and V (4:2:0, limited range); each is read before the next is asked for. */
  frames: Iterable<Uint8Array>;
  durationMs: number;
}

/** Compression against quality, 10 to 51; flat cards with sharp letters stay clean at this. */
const quantization = 28;
/** The fastest of 0 to 10: 640x360 takes about 2 ms a frame. */
const speed = 10;
const keyFrameSeconds = 2;

/** Encodes frames that are `1 / framesPerSecond` apart; the last one lasts until `durationMs`. Same frames, same packets. */
export async function encodeH264(sequence: FrameSequence): Promise<Track> {
  const { width, height, framesPerSecond, durationMs } = sequence;
  const encoder = await encoderModule.createH264MP4Encoder();
  Object.assign(encoder, { width, height, frameRate: framesPerSecond, speed, quantizationParameter: quantization });
  encoder.groupOfPictures = Math.max(1, framesPerSecond * keyFrameSeconds);
  encoder.initialize();
  for (const frame of sequence.frames) encoder.addFrameYuv(frame);
  encoder.finalize();
  const file = encoder.FS.readFile(encoder.outputFilename);
  encoder.FS.unlink(encoder.outputFilename);
  encoder.delete();
  const input = new Input({ formats: [MP4], source: new BufferSource(file) });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) throw new Error('the encoder wrote no video');
  const encoded: EncodedPacket[] = [];
  for await (const packet of new EncodedPacketSink(track).packets()) {
    // The encoder's own file has no table of key frames, which would make every frame one.
    encoded.push(packet.clone({ type: (await track.determinePacketType(packet)) ?? packet.type }));
  }
  const timed = encoded.map((packet, at) => {
    const timestamp = at / framesPerSecond;
    const end = at + 1 === encoded.length ? durationMs / 1_000 : (at + 1) / framesPerSecond;
    return packet.clone({ timestamp, duration: end - timestamp });
  });
  return { codec: 'avc', decoderConfig: await track.getDecoderConfig(), packets: timed, packetsMax: timed.length };
}
